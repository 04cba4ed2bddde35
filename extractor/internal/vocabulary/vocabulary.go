// Package vocabulary holds the word lists of the extractor: data on what words
// mean in the names of fields and tools, in values and in text.
package vocabulary

import (
	"strings"
	"sync"
)

// Set is an immutable set of words. It is built on first use, so that importing
// the package costs nothing at start.
type Set struct {
	// List holds the words, separated by white space. In sets used with Rank each line is a rank, the
	// best first.
	List string
	once sync.Once
	rank map[string]uint8
}

func (s *Set) ranks() map[string]uint8 {
	s.once.Do(func() {
		s.rank = map[string]uint8{}
		line := uint8(0)
		for words := range strings.Lines(s.List) {
			for w := range strings.FieldsSeq(words) {
				s.rank[w] = line
			}
			line++
		}
	})
	return s.rank
}

// Has reports whether the set contains a word.
func (s *Set) Has(w string) bool { _, ok := s.ranks()[w]; return ok }

// HasBytes is like Has without allocating a string.
func (s *Set) HasBytes(w []byte) bool { _, ok := s.ranks()[string(w)]; return ok }

// Rank returns the number of the line that holds a word, from 0, for sets that list the best words
// first.
func (s *Set) Rank(w string) (rank uint8, ok bool) { rank, ok = s.ranks()[w]; return rank, ok }

// byWord returns a function that returns the word before the colon of the line that lists a word, or "".
// It reads the lines on first use.
func byWord(list string) func(word string) string {
	heads := sync.OnceValue(func() map[string]string {
		heads := map[string]string{}
		for line := range strings.Lines(list) {
			head, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
			for word := range strings.SplitSeq(words, ", ") {
				heads[word] = head
			}
		}
		return heads
	})
	return func(word string) string { return heads()[word] }
}

// containers are nouns for entities that often contain others.
const containers = `account album app application article basket blog board book bucket calendar cart catalog category channel chat client cluster collection
	company container contact conversation course customer database department document domain employee event file flight folder forum
	group guest hotel instance invoice issue item job library mailbox member menu message namespace network order organization page
	patient playlist post product profile project property queue release repo repository reservation restaurant room server session shop
	site space sprint store student subscription table task team tenant thread ticket topic trip user vendor video website wiki workflow
	workspace zone`

// The tables below are vocabulary, not configuration, and are never modified.
var (
	// GenericNouns do not describe a record. A record under one of them takes its
	// type from further out, in the end from the tool's name.
	GenericNouns = Set{List: `data datum datas result response res payload body output content value record row item list listing array
		element collection_item object entity resource thing edge node hit match _source source _embedded embedded attribute field
		metadata meta property properties detail info information summary spec doc_list page_info pageinfo batch set map dict dictionary
		success successful succeeded ok status error errors warning return returned found all any self this root top structured_content
		structuredcontent relationship include included extra context params param parameter entries_list child total count index search
		query update change current latest recent new old first last next previous prev text json xml multistatus propstat prop`}

	// VagueNouns are nouns in tool names that do not name a subject.
	VagueNouns = Set{List: `data datum result response resource object entity thing info information detail everything anything something
		output content value all`}

	// EntityNouns are common nouns for entities in APIs. They make an explicit "type"
	// plausible and justify an id in prose: "order #W12".
	EntityNouns = Set{List: containers + ` action activity actor ad address agent agreement airline airport alarm alert alias announcement
		answer api_key appointment approval archive area artifact artist asset assignment attachment attendee auction audience author
		badge balance bank banner bed bill bin block blob body_part booking bookmark bot branch brand budget bug build building bus cabin
		call camera campaign candidate car card carrier case certificate chapter charge chart check checkout claim class clinic code_scan
		color column comment commit community component condition connection connector consent contract contributor copy country coupon
		creator credential credit_card crew currency cycle dashboard dataset deal debt delivery deploy deployment deposit destination
		device diagnosis diagram dimension directory discount discussion disk dispatch distribution doctor donation donor draft driver
		drug edition email encounter endpoint engine enrollment entry environment episode epic equipment escalation estimate exam exchange
		execution exercise expense experiment export facility factory feature feed feedback field_definition filter fixture flag form
		formula friend fulfillment function fund game gate genre gift_card goal grade grant guide hold holiday hook hospital host
		household idea image import incident index ingredient ingestion insight inspection installation institution instrument integration
		interaction interface intent inventory invitation invite itinerary journal journey key_pair keyword label lab language layer
		layout lead league lease lesson letter level license line link listing loan locale location lock log machine manager manufacturer
		map market match meal media meeting membership memo merchant metric milestone mission model module monitor movie museum news node
		note notebook notification object_storage occurrence offer office option organisation origin outlet owner package panel parcel
		parent parking participant partner party passenger pattern payee payer payment payment_method payout person pet pharmacy phase
		phone photo pipeline place plan plane plant platform player pod podcast point policy poll pool port portfolio position posting
		practitioner prescription presentation price procedure process program promotion proposal prospect provider publication publisher
		pull pull_request merge_request purchase question quiz quote rack rate rating reaction reader receipt recipe recipient
		recommendation recording redirect referral refund region registration regulation relation relationship reminder rental report
		reply request requirement resort response_plan return review revision reviewer reward ride role route row rule run runner sale
		salary sample scan scenario schedule school scope score screen script season seat secret section security_group segment seller
		sensor sequence series service shape share shelf shift shipment shipper show signal sku skill slide slot snapshot solution song
		speaker sponsor stack staff stage standard statement station step stock stop storage story stream street study subject submission
		subnet subscriber subtask suite supplier survey switch symbol tag target taxonomy teacher template term test theater theme tier
		timer timesheet tour tournament town track train tracking transaction transcript transfer translation treatment trial trigger
		truck tutorial tweet unit university update upload vacancy vacation variable variant vehicle venue version view virtual_machine
		visit visitor vm volume voucher vote vpc vulnerability wallet pr mr beneficiary medication observation operation opportunity
		replica replica_set snippet authorization permit prescription_refill load_balancer merge_queue purchase_order work_order
		service_request line_item time_entry blog_post warehouse warranty watch webhook widget window winner wishlist word work worker
		workout worktree`}

	// ContainerNouns often come first in a tool's name and name a container, not the
	// subject: getPageSections is about sections.
	ContainerNouns = Set{List: containers + ` cms guild house list org schema`}

	// CompoundNouns are kept whole although their first word is a container.
	CompoundNouns = Set{List: `price_list wish_list mailing_list shopping_list watch_list todo_list allow_list block_list blog_post
		merge_request change_request load_balancer account_type app_store dns_record application_form book_club case_study cart_rule
		category_type customer_group customer_segment database_cluster database_instance document_type event_type event_source file_system
		file_share flight_plan group_policy issue_type item_type job_role job_posting message_queue message_template network_interface
		network_acl order_type order_line page_template product_type product_line product_variant property_type room_type server_group
		store_credit store_location subscription_plan table_view task_list task_queue team_role ticket_type user_group user_pool user_role
		user_story video_game workflow_run workflow_step`}

	// StatusWords are values of a "type", "kind" or "object" field that describe the
	// outcome of a call or the shape of its result, not the record.
	StatusWords = Set{List: `success successful succeeded error errors ok okay fail failed failure failing true false yes no none null nil
		undefined unknown redacted default active inactive enabled disabled pending open opened closed complete completed done running
		stopped started cancelled canceled accepted rejected approved denied valid invalid new old draft published public private internal
		external warning info debug result response list array object string number integer int float double boolean bool date datetime
		timestamp text json html xml csv yaml markdown string_list plain raw binary base64 standard basic premium normal other others misc
		custom mixed any all static dynamic primary secondary main left right on off high low medium critical`}

	// AttributeTails are last words of a tool's noun that name an aspect of the
	// subject: get_order_details is about an order.
	AttributeTails = Set{List: `detail info information data datum summary overview metadata meta content contents status state result
		record list listing listings index count total stats statistic statistics id identifier name by full json yaml xml csv text table
		object resource value properties property attribute attributes batch bulk v1 v2 v3 v4 async sync tool api details infos registry`}

	// Modifiers are words before a tool's noun that select among its entities.
	Modifiers = Set{List: `all any my our your the a an this that these those one many multiple single several each every some new old
		latest recent last first next previous current available active inactive open opened closed pending top best popular trending
		featured full more other related similar matching specific existing valid live upcoming past future direct nearby local remote
		public private non stop onestop nonstop bulk batch own shared me now it`}

	// Prepositions end the noun of a tool's name: find_user_by_email.
	Prepositions = Set{List: `by for from with without in into of on onto to at as via using and or where between after before since until
		within per about under over near around through against when given if`}
)

// FigureWords are in the names of figures, total_papers, Bytes processed, or behind them: 100000
// characters.
var FigureWords = Set{List: `total num count max min average avg sum byte bytes size length amount price quantity volume budget duration
	rows results records characters chars words lines pages tokens`}

// ValueNouns are in the last place of names of values that no tool takes, whatever they look like.
var ValueNouns = Set{List: `color colour version prefix suffix ratio rate size duration amount percent score mime time date`}

// NotReferenced are nouns of fields whose values look like identifiers but are facts.
var NotReferenced = Set{List: `phone mobile fax zip postcode amount price total version year month day quantity size color colour model
	unit grade level score position language dimension rate salary currency symbol option card date time duration ip host port weight
	height width depth length value tag label keyword feature permission scope url email percent status code message text hash digest
	checksum line style format isrc ms sec secs second seconds minute minutes hour hours day days byte bytes kb mb gb px result results
	record records view views`}
