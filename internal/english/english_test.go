package english_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// regular and irregular nouns whose plural is worth spelling out.
var plurals = []struct{ singular, plural string }{
	{"page", "pages"}, {"pull_request", "pull_requests"}, {"security_group", "security_groups"},
	{"entry", "entries"}, {"category", "categories"}, {"policy", "policies"}, {"query", "queries"},
	{"day", "days"}, {"key", "keys"}, {"gateway", "gateways"}, {"survey", "surveys"}, {"colloquy", "colloquies"},
	{"status", "statuses"}, {"bus", "buses"}, {"virus", "viruses"}, {"campus", "campuses"}, {"bonus", "bonuses"},
	{"address", "addresses"}, {"process", "processes"}, {"class", "classes"}, {"access", "accesses"},
	{"business", "businesses"}, {"box", "boxes"}, {"inbox", "inboxes"}, {"index", "indexes"},
	{"branch", "branches"}, {"batch", "batches"}, {"search", "searches"}, {"hash", "hashes"},
	{"cache", "caches"}, {"niche", "niches"}, {"epoch", "epochs"}, {"stomach", "stomachs"},
	{"house", "houses"}, {"warehouse", "warehouses"}, {"database", "databases"}, {"release", "releases"},
	{"response", "responses"}, {"license", "licenses"}, {"course", "courses"}, {"purchase", "purchases"},
	{"use", "uses"}, {"clause", "clauses"}, {"expense", "expenses"}, {"enterprise", "enterprises"},
	{"case", "cases"}, {"base", "bases"}, {"dose", "doses"}, {"cause", "causes"}, {"lease", "leases"},
	{"alias", "aliases"}, {"canvas", "canvases"}, {"atlas", "atlases"}, {"gas", "gases"}, {"lens", "lenses"},
	{"bias", "biases"}, {"analysis", "analyses"}, {"hypothesis", "hypotheses"}, {"crisis", "crises"},
	{"diagnosis", "diagnoses"}, {"axis", "axes"}, {"iris", "irises"}, {"synopsis", "synopses"},
	{"movie", "movies"}, {"cookie", "cookies"}, {"tie", "ties"}, {"pie", "pies"}, {"zombie", "zombies"},
	{"hero", "heroes"}, {"photo", "photos"}, {"todo", "todos"}, {"repo", "repos"}, {"echo", "echoes"},
	{"shoe", "shoes"}, {"leaf", "leaves"}, {"knife", "knives"}, {"shelf", "shelves"}, {"life", "lives"},
	{"roof", "roofs"}, {"proof", "proofs"}, {"brief", "briefs"}, {"drive", "drives"}, {"archive", "archives"},
	{"quiz", "quizzes"}, {"size", "sizes"}, {"prize", "prizes"}, {"blitz", "blitzes"}, {"buzz", "buzzes"},
	{"person", "people"}, {"contact_person", "contact_people"}, {"salesperson", "salespeople"},
	{"child", "children"}, {"man", "men"}, {"woman", "women"}, {"human", "humans"}, {"mouse", "mice"},
	{"foot", "feet"}, {"matrix", "matrices"}, {"vertex", "vertices"}, {"criterion", "criteria"},
	{"radius", "radii"}, {"menu", "menus"}, {"sku", "skus"}, {"cpu", "cpus"}, {"api", "apis"}, {"uri", "uris"},
	{"emoji", "emojis"}, {"kpi", "kpis"}, {"id", "ids"}, {"ip", "ips"}, {"dns_record", "dns_records"},
	{"café", "cafés"}, {"página", "páginas"}, {"Page", "Pages"}, {"PDF", "PDFs"},
}

// unchanging are nouns that are their own plural, and what is no noun at all.
const unchanging = `media news series species metadata data info equipment feedback staff software
	hardware sms dns aws s3 ec2 oauth2 social_media user_metadata sheep headquarters analytics
	redis __proto__ _ a_ 页面 заказ № 42`

// nouns are nouns as APIs use them; each is a singular.
const nouns = `account action activity actor ad addon address admin advertiser agency agent agreement airline
	airport alarm album alert alias allocation amendment amount analysis annotation answer apartment app
	appeal application appointment approval archive area article artifact artist asset assignment attachment
	attempt attendee attribute auction audience audit author authority authorization availability avatar award
	backup badge balance bank banner basket batch bed benefit bid bill billing_address billing_cycle binding
	blob block blog_post board body bonus book booking bot bounce box branch brand bridge briefing brush
	bucket budget bug build building bundle bus business button buyer cabin cache calendar call campaign campus
	candidate canvas car card cargo carrier cart case cashier catalog category cause cell certificate change channel
	chapter charge chat check checklist checkout child city claim class clause client clinic cluster code
	collection color column comment commit committee community company comparison competition component
	condition conference config configuration connection consensus constraint contact container content contract
	contributor conversation copy cost country county coupon course court cover credential credit_card credit_note
	criterion crop currency customer cycle dashboard database dataset datatype date day deadline deal dealer debit
	decision delivery demo department deployment depot description design destination device diagram dialog
	dictionary digest directive directory discount discussion disk dispatch dispute distributor district doctor
	document domain donation donor download draft drive driver driver_license duty edge edition editor email embargo
	embedding employee employer endpoint engine enterprise entity entitlement entry enum environment episode epoch
	error estimate event exam example exception exchange execution exercise expense experiment experience export
	extension fact factory faculty failure family farm favorite fax feature fee feed field file filter finding
	fine firewall fix flag fleet flight flow folder follower footer forecast form format forum fragment framework
	franchise function fund game gateway genre gift goal grade grant graph group guest guide handler hash
	header headline history holiday home hook horse hospital host hotel hour house hub icon identity image
	import inbox incident income index industry influence ingress ingredient input inquiry inspection instance
	institute instruction insurance integration interest interface interview inventory investment investor
	invitation invoice issue item itinerary job journal journey key keyword kit knife label lake lambda
	language launch law lawyer layer layout lead leader league lease ledger lens lesson letter level library license
	life limit line link list listing load loan location lock log login lookup loss loyalty_program machine
	mailbox manager mandate manifest map margin market match material matrix meal measure measurement medicine
	meeting member membership memo memory menu merchant merge_request message method metric migration milestone
	minute mission mode model module month movie name namespace neighborhood network newsletter niche node
	note notebook notification object objective offer office opportunity option order order_item organization
	origin output outage owner package page page_section parameter parcel parent park participant partner party pass
	passage passenger password patch path patient payer payment payment_method payout payroll penalty permission
	person pet pharmacy phase phone phone_number photo physician pipeline plan plane planet platform player
	playlist plugin pod poll policy pool population port portfolio position post postcode prefix premise
	prescription price principal prize procedure process processor product product_variant profile program project
	promise promotion proof property proposal protocol provider province proxy publication publisher pull_request
	purchase purchase_order purpose quantity query question queue quiz quota quote race rack range rate rating ratio
	reaction reader reason receipt recipe recipient record refund region registry relation relationship release
	reminder remote renewal repair replica reply report repository request requirement research_paper
	reservation resource response restaurant result return revenue review revision reviewer reward ride right role
	roof room rota route router row rule run sale sample sandbox schedule schema school scope score screen
	script search season seat secret section sector security_group segment seller semester seminar sensor sentence
	series server service session setting settlement shape share shelf shift shipment shop sign signature site size
	skill sku slide slot snapshot social_network source space speaker species specification spouse sprint stack
	stage standard state statement station statistic status step stock stop storage store story strategy stream
	street student studio style subject submission subnet subscriber subscription subsidiary suite summary supplier
	supply support_case surplus survey switch symbol symptom syllabus synopsis system table tag target task tax taxi
	teacher team template tenant term terminal territory test test_suite text theme thesis thread threshold ticket
	tie time timeline timezone title toast todo token tool topic tour track trade trailer train transaction
	transcript transfer transition translation trial trigger trip trophy truck tutorial type unit university update
	upload uri url use usage user user_story vacancy vaccine value variable variant vehicle vendor venue version
	vertex video view virus visa visit visitor volume vote voucher vulnerability wallet warehouse warning
	warranty watch wave webhook website week weight widget wiki window wish wishlist witness word worker workflow
	workout workspace workshop year zone`

func TestPluralAndSingular(t *testing.T) {
	t.Parallel()
	for _, tt := range plurals {
		t.Run(tt.singular, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.plural, english.Plural(tt.singular), "plural of the singular")
			assert.Equal(t, tt.plural, english.Plural(tt.plural), "plural of the plural")
			assert.Equal(t, tt.singular, english.Singular(tt.plural), "singular of the plural")
			assert.Equal(t, tt.singular, english.Singular(tt.singular), "singular of the singular")
		})
	}
}

func TestUnchanging(t *testing.T) {
	t.Parallel()
	for _, w := range append(strings.Fields(unchanging), "") {
		assert.Equal(t, w, english.Plural(w))
		assert.Equal(t, w, english.Singular(w))
	}
}

func TestRoundTripOfNouns(t *testing.T) {
	t.Parallel()
	words := strings.Fields(nouns)
	require.Greater(t, len(words), 500)
	for _, w := range words {
		p := english.Plural(w)
		assert.Equal(t, w, english.Singular(w), "singular of singular %q", w)
		assert.Equal(t, w, english.Singular(p), "singular of plural %q", p)
		assert.Equal(t, p, english.Plural(p), "plural of plural %q", p)
		if w != "series" && w != "species" {
			assert.NotEqual(t, w, p, "plural")
		}
	}
}

func TestSecondPluralsAreRead(t *testing.T) {
	t.Parallel()
	for plural, singular := range map[string]string{
		"indices": "index", "schemata": "schema", "foci": "focus", "formulae": "formula",
		"volcanos": "volcano", "cargoes": "cargo", "zeroes": "zero", "matrixes": "matrix", "peoples": "person",
	} {
		assert.Equal(t, singular, english.Singular(plural))
	}
}

func TestOnePluralForTwoNouns(t *testing.T) {
	t.Parallel()
	for noun, other := range map[string]string{"basis": "base", "datum": "data", "axe": "axis"} {
		assert.Equal(t, noun, english.Singular(noun))
		assert.Equal(t, other, english.Singular(english.Plural(noun)))
	}
}

func TestUnchangedWordsDoNotAllocate(t *testing.T) {
	words := []string{"status", "statuses", "pull_request", "pull_requests", "news", "s3", "box", "boxes", "address"}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for _, w := range words {
			english.Singular(w)
		}
		english.Plural("pull_requests")
		english.Plural("media")
	}))
}

func FuzzInflection(f *testing.F) {
	for _, tt := range plurals {
		f.Add(tt.singular)
		f.Add(tt.plural)
	}
	for _, w := range strings.Fields(unchanging) {
		f.Add(w)
	}
	f.Add("\xffs")
	f.Add("ies")
	f.Add("_ses")
	f.Fuzz(func(t *testing.T, word string) {
		s, p := english.Singular(word), english.Plural(word)
		require.Equal(t, s, english.Singular(s), "Singular is idempotent")
		require.LessOrEqual(t, len(p), len(word)+3)
		if utf8.ValidString(word) {
			require.True(t, utf8.ValidString(s) && utf8.ValidString(p))
		}
	})
}

func BenchmarkSingular(b *testing.B) {
	b.ReportAllocs()
	words := strings.Fields(nouns)
	for i := 0; b.Loop(); i++ {
		english.Singular(words[i%len(words)])
	}
}

func BenchmarkPlural(b *testing.B) {
	b.ReportAllocs()
	words := strings.Fields(nouns)
	for i := 0; b.Loop(); i++ {
		english.Plural(words[i%len(words)])
	}
}
