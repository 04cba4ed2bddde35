package extractor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// lines are entities as "type id label", references with a ">" in front.
func lines(es []memory.Entity) []string {
	out := []string{}
	for _, e := range es {
		mark := ""
		switch e.Role {
		case memory.RoleReference:
			mark = ">"
		case memory.RoleAlias:
			mark = "="
		}
		out = append(out, fmt.Sprintf("%s%s %s %s", mark, e.Type, e.ID, e.Label()))
	}
	return out
}

func extract(t *testing.T, in extractor.Input) extractor.Extraction {
	t.Helper()
	x, err := extractor.New(nil)
	require.NoError(t, err)
	out, err := x.Extract(context.Background(), in)
	require.NoError(t, err)
	return out
}

const (
	homeID  = "550e8400-e29b-41d4-a716-446655440000"
	aboutID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
)

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tool, args, result string
		want                     []string
	}{
		// The seed's four patterns.
		{"single object", "cms_getPage", "", `{"id":"` + homeID + `","name":"Home","slug":"home"}`, []string{"page " + homeID + " Home"}},
		{"title", "cms_getPage", "", `{"id":"` + homeID + `","title":"Home"}`, []string{"page " + homeID + " Home"}},
		{"slug as name", "cms_getPage", "", `{"id":"` + homeID + `","slug":"home"}`, []string{"page " + homeID + " home"}},
		{"matches have types", "cms_findResource", "", `{"matches":[{"id":"p-1001","type":"page","name":"A"},{"id":"e-1002","type":"entry","name":"B"},{"id":"m-1003","type":"media","name":"C"},{"id":"p-1004","type":"page","name":"D"}]}`,
			[]string{"page p-1001 A", "entry e-1002 B", "media m-1003 C"}},
		{"top-level array, first five", "cms_listPages", "", `[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"},{"id":4,"name":"d"},{"id":5,"name":"e"},{"id":6,"name":"f"}]`,
			[]string{"page 1 a", "page 2 b", "page 3 c", "page 4 d", "page 5 e"}},
		{"data, first five", "cms_listEntries", "", `{"data":[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"},{"id":4,"name":"d"},{"id":5,"name":"e"},{"id":6,"name":"f"}],"total":6}`,
			[]string{"entry 1 a", "entry 2 b", "entry 3 c", "entry 4 d", "entry 5 e"}},
		{"sections by section name", "cms_getPageSections", "", `[{"id":"s-1001","sectionName":"Hero","name":"x"},{"id":"s-1002","sectionKey":"footer"},{"id":"s-1003","key":"nav"},{"id":"s-1004","type":"pagesection"}]`,
			[]string{"section s-1001 Hero", "section s-1002 footer", "section s-1003 nav", "section s-1004 Unnamed section"}},

		// Wrappers.
		{"success and page", "anything", "", `{"success":true,"page":{"id":"p-1001","name":"Home"}}`, []string{"page p-1001 Home"}},
		{"count and pages", "anything", "", `{"count":2,"pages":[{"id":"p-1001","name":"Home"},{"id":"p-1002","name":"About"}]}`, []string{"page p-1001 Home", "page p-1002 About"}},
		{"results", "search_documents", "", `{"results":[{"id":"d-1001","title":"Plan"}]}`, []string{"document d-1001 Plan"}},
		{"items", "list_pages", "", `{"items":[{"id":"p-1001","name":"Home"}]}`, []string{"page p-1001 Home"}},
		{"value", "list_messages", "", `{"value":[{"id":"m-1001","subject":"Hello"}]}`, []string{"message m-1001 Hello"}},
		{"edges and nodes", "list_issues", "", `{"data":{"issues":{"edges":[{"node":{"id":"i-1001","title":"Bug"}}]}}}`, []string{"issue i-1001 Bug"}},
		{"hits", "search_products", "", `{"hits":{"total":1,"hits":[{"_id":"p-1001","_score":1.5,"_source":{"name":"Lamp"}}]}}`, []string{"product p-1001 Lamp"}},
		{"JSON:API", "get_article", "", `{"data":{"type":"articles","id":"1001","attributes":{"title":"News"}}}`, []string{"article 1001 News"}},
		{"_embedded", "call", "", `{"_embedded":{"orders":[{"id":"o-1001","status":"open"}]}}`, []string{"order o-1001 open"}},
		{"Kubernetes", "kubectl_get", "", `{"kind":"Pod","metadata":{"name":"web-7d9f8b-x2x1z","uid":"` + homeID + `"}}`, []string{"pod " + homeID + " web-7d9f8b-x2x1z", "=pod web-7d9f8b-x2x1z web-7d9f8b-x2x1z"}},
		{"items of a record are items", "get_cart", "", `{"id":"c-1001","items":[{"id":"x-1001","name":"Lamp"}]}`, []string{"cart c-1001 Unnamed cart", "item x-1001 Lamp"}},
		{"JSON-RPC", "get_page", "", `{"jsonrpc":"2.0","id":1,"result":{"id":"p-1001","name":"Home"}}`, []string{"page p-1001 Home"}},

		// Identity.
		{"order with items", "get_order_details", "", `{"order_id":"#W1","user_id":"ann_lee_9620","items":[{"name":"Lamp","product_id":"6817146515","item_id":"7453605304"}],"status":"open"}`,
			[]string{"order #W1 open", "item 7453605304 Lamp", ">product 6817146515 of Lamp", ">user ann_lee_9620 Unnamed user"}},
		{"name and one typed id", "get_product_details", "", `{"name":"Laptop","product_id":"4760268021","variants":{"8997785118":{"item_id":"8997785118","options":{"color":"grey"}}}}`,
			[]string{"product 4760268021 Laptop", "item 8997785118 grey"}},
		{"map keyed by id", "get_user", "", `{"payment_methods":{"credit_card_4421486":{"brand":"visa"},"paypal_1621947":{"source":"paypal"}}}`,
			[]string{"payment_method credit_card_4421486 visa", "payment_method paypal_1621947 paypal"}},
		{"bare ids", "get_user", "", `{"orders":["#W4923227","#W1234567"]}`, []string{">order #W4923227 Unnamed order", ">order #W1234567 Unnamed order"}},
		{"id of value zero", "get_page", "", `{"id":0,"name":"Root"}`, []string{"page 0 Root"}},
		{"large number", "get_page", "", `{"id":12345678901234567890123,"name":"Big"}`, []string{"page 12345678901234567890123 Big"}},
		{"number keeps precision", "get_page", "", `{"id":9007199254740993,"name":"Big"}`, []string{"page 9007199254740993 Big"}},
		{"camel case", "getCustomer", "", `{"customerId":"c-1001","fullName":"Ann Lee"}`, []string{"customer c-1001 Ann Lee"}},
		{"reference", "book_flight", "", `{"booking_reference":"XK42LM","status":"confirmed"}`, []string{"booking XK42LM confirmed"}},
		{"sku", "search_products", "", `{"products":[{"sku":"LMP-1001","name":"Lamp"}]}`, []string{"product LMP-1001 Lamp"}},
		{"code", "list_airports", "", `[{"code":"SFO","name":"San Francisco"}]`, []string{"airport SFO San Francisco"}},
		{"status code is no id", "ping", "", `{"code":200,"message":"OK"}`, []string{}},
		{"issue with key", "jira_get_issue", "", `{"id":"10001","key":"PROJ-1","fields":{"summary":"Fix login"}}`, []string{"issue 10001 Fix login", "=issue PROJ-1 Fix login"}},
		{"Mongo id", "get_user", "", `{"_id":{"$oid":"507f1f77bcf86cd799439011"},"name":"Ann"}`, []string{"user 507f1f77bcf86cd799439011 Ann"}},
		{"AWS", "aws.ec2.DescribeInstances", "", `{"Reservations":[{"Instances":[{"InstanceId":"i-0abc123def4567890","InstanceType":"t3.micro","Tags":[{"Key":"Name","Value":"web"}]}]}]}`, []string{"instance i-0abc123def4567890 web"}},
		{"names to ids", "list_all_product_types", "", `{"Action Camera":"3377618313","Desk Lamp":"6817146515"}`, []string{"product_type 3377618313 Action Camera", "product_type 6817146515 Desk Lamp"}},
		{"codes to names", "list_all_airports", "", `{"SFO":"San Francisco","JFK":"New York"}`, []string{"airport SFO San Francisco", "airport JFK New York"}},
		{"record that does not repeat its id", "get_user_details", `{"user_id":"ann_lee_9620"}`, `{"name":{"first_name":"Ann","last_name":"Lee"},"email":"ann@example.com","membership":"gold"}`, []string{"user ann_lee_9620 Ann Lee"}},

		{"key beside a message is no record", "call", "", `{"status":404,"error":"Not Found","path":"/api/v1/pages"}`, []string{}},
		{"address of a list", "list_charges", "", `{"object":"list","url":"/v1/charges","data":[{"id":"ch_1001abc","object":"charge","status":"paid"}]}`, []string{"charge ch_1001abc paid"}},
		{"paths", "read_directory", "", `{"files":[{"path":"/docs/plan-2024.pdf","size":1234}]}`, []string{"file /docs/plan-2024.pdf size 1234"}},
		{"names written as programs write", "list_databases", "", `{"databases":[{"name":"prod-db","engine":"postgres"},{"name":"Main Database"}]}`, []string{"database prod-db postgres"}},
		{"typed id in a list", "get_order", "", `{"payments":[{"amount":12.5,"status":"paid","payment_method_id":"visa_12345"}]}`, []string{"payment_method visa_12345 paid, amount 12.5"}},
		{"ids for machines", "get_issue", "", `{"id":1001,"node_id":"MDU6SXNzdWUx","title":"Bug"}`, []string{"issue 1001 Bug"}},
		{"line items", "get_order", "", `{"order":{"id":1001,"line_items":[{"id":2001,"title":"Lamp"}],"order_items":[{"id":3001,"title":"Desk"}]}}`, []string{"order 1001 Unnamed order", "line_item 2001 Lamp", "item 3001 Desk"}},
		{"rich text", "search", "", `{"results":[{"object":"page","id":"` + homeID + `","properties":{"Name":{"id":"title","type":"title","title":[{"plain_text":"Home"}]}}}]}`, []string{"page " + homeID + " Home"}},
		{"person", "get_contact", "", `{"id":"512","properties":{"firstname":"Ann","lastname":"Lee"}}`, []string{"contact 512 Ann Lee"}},
		{"name and id in one field", "get_order", "", `{"order_id":"W-1001","customer":"Ann Lee (CUST-88213)"}`, []string{"order W-1001 Ann Lee (CUST-88213)", ">customer CUST-88213 Ann Lee"}},
		{"what cannot be had comes last", "list_variants", "", `{"variants":[{"id":"v-1001","color":"red","available":false},{"id":"v-1002","color":"blue","available":true}]}`, []string{"variant v-1002 blue", "variant v-1001 red"}},
		{"page token", "list_pages", "", `{"pages":[],"next_page_token":"dGVhbTpDMDYx"}`, []string{">page_token dGVhbTpDMDYx Unnamed page_token"}},

		{"map keys by structure", "fetch", "", `{"categories":{"cat_1":{"name":"Books"},"cat_2":{"name":"Toys"}},"address":{"line1":{"text":"x"}}}`, []string{"category cat_1 Books", "category cat_2 Toys"}},
		{"map keys of a list tool", "list_cars", "", `{"CAR-A1":{"name":"Alpha"},"CAR-B7":{"name":"Beta"}}`, []string{"car CAR-A1 Alpha", "car CAR-B7 Beta"}},
		{"bare ids of a list tool", "list_user_ids", "", `["u_1a","u_2b"]`, []string{"user u_1a Unnamed user", "user u_2b Unnamed user"}},
		{"dates are no ids", "get_daily_stats", "", `{"2024-01-01":{"visits":3},"2024-01-02":{"visits":9}}`, []string{}},
		{"digest", "get_hash", "", `5d41402abc4b2a76b9719d911017c592`, []string{}},
		{"bare id of what was created", "add_card", "", `card-77a1`, []string{"card card-77a1 Unnamed card"}},
		{"what record and tool agree on", "get_movie", "", `{"imdbID":"tt1375666","Title":"Inception","Type":"movie"}`, []string{"movie tt1375666 Inception"}},
		{"words are no ids", "list_colors", "", `["red","blue"]`, []string{}},
		{"run together", "get_order", "", `{"orderid":"W-1001","_ownerid_value":"u-1001","valid":"yes","paid":1}`, []string{"order W-1001 paid 1", ">owner u-1001 Unnamed owner"}},
		{"identifiers of many systems", "get_message", "", `{"sid":"SM1f0e8ae6ade43cb3c0ce4525424e404f","body":"Hello"}`, []string{"message SM1f0e8ae6ade43cb3c0ce4525424e404f Hello"}},
		{"FHIR reference", "get_appointment", "", `{"id":"apt-1001","practitioner":{"reference":"Practitioner/929177","display":"Dr. Lee"}}`, []string{"appointment apt-1001 Unnamed appointment", ">practitioner Practitioner/929177 Dr. Lee"}},
		{"what a record points to", "get_order", "", `{"id":"o-1001","customer":{"id":"c-1001","name":"Ann"}}`, []string{"order o-1001 Unnamed order", ">customer c-1001 Ann"}},
		{"blank ids", "get_user", "", `[{"id":null,"name":"x"},{"id":"","name":"y"},{"id":true,"name":"z"}]`, []string{}},
		{"codes of a status", "get_order", "", `{"id":"o-1001","status":{"code":"SHIPPED","label":"Shipped"}}`, []string{"order o-1001 Shipped"}},
		{"schema", "get_schema", "", `{"type":"object","properties":{"id":{"type":"string"}}}`, []string{}},
		{"codes in a row", "get_booking", "", "Booking ID: BK-1001\nTicket codes: MJDF4VV2, L658OFV4\n", []string{"booking BK-1001 Unnamed booking", ">ticket MJDF4VV2 Unnamed ticket", ">ticket L658OFV4 Unnamed ticket"}},

		// Keys that are identifiers, and identifiers under keys that do not say so.
		{"map keys before what they point to", "listOrders", "", `{"orders":{"ord-123456":{"userId":"u-12345","total":5},"ord-123457":{"userId":"u-12346","total":6}}}`, []string{"order ord-123456 total 5", "order ord-123457 total 6", ">user u-12345 Unnamed user", ">user u-12346 Unnamed user"}},
		{"map keys that items repeat", "get_product", "", `{"variants":{"8997785118":{"item_id":"8997785118","color":"grey"}}}`, []string{"item 8997785118 grey"}},
		{"places in a map", "listOrders", "", `{"orders":{"0":{"userId":"u-12345","total":5}}}`, []string{"user u-12345 total 5"}},
		{"called as the collection", "list_departments", "", `[{"department":"D-661","title":"Finance"},{"department":"D-662","title":"People"}]`, []string{"department D-661 Finance", "department D-662 People"}},
		{"called as the head of the tool's noun", "list_review_cycles", "", "- cycle: RC-2025-S1\n  title: Spring 2025\n", []string{"review_cycle RC-2025-S1 Spring 2025"}},
		{"called as the list", "create_employee", "", `{"employee_no":"E305937","onboarding":{"checklist":"ONB40329","tasks":[{"task":"T629588","what":"Sign contract"}]}}`, []string{"employee E305937 Unnamed employee", "task T629588 Sign contract", ">checklist ONB40329 Unnamed checklist"}},
		{"called as the record, before another id", "search_shipments", "", "Shipment: SHP32371693\nTracking number: 123456789012\nStatus: In transit\n", []string{"shipment SHP32371693 In transit", ">tracking 123456789012 Unnamed tracking"}},
		{"names are no codes", "list_departments", "", `[{"department":"Finance","title":"Money"}]`, []string{}},
		{"tags of assets", "list_assets", "", "- asset_tag: LT52566\n  model: ThinkPad X1\n- asset_tag: LT52567\n  model: iPhone 14\n", []string{"asset LT52566 ThinkPad X1", "asset LT52567 iPhone 14"}},
		{"tags that are no ids", "get_service", "", `{"id":"svc-1001","image_tag":"latest","user_tags":["red","blue"]}`, []string{"service svc-1001 latest, red, blue"}},
		{"barcodes", "list_copies", "", `[{"item_barcode":"38465073633499","branch":"Central"}]`, []string{"item 38465073633499 Central"}},
		{"a barcode beside an id", "find_patron", "", `{"barcode":"23687680023807","patron_id":"p2951852","given":"Kenji"}`, []string{"patron p2951852 Kenji", "=patron 23687680023807 Kenji"}},
		{"what rows begin with", "get_quiz_items", "", "item,stem,points\nqz75622-001,What is a cell?,1\nqz75622-002,\"Name two parts, please.\",1\n", []string{"quiz_item qz75622-001 What is a cell?, points 1", "quiz_item qz75622-002 Name two parts, please., points 1"}},
		{"records by number", "catalog_search", "", `{"records":[{"record":"b97535404","isbn":"9781920038349","book_title":"The Tidal Year"}]}`, []string{"catalog b97535404 The Tidal Year", "=catalog 9781920038349 The Tidal Year"}},
		{"words that rows begin with", "list_quiz_items", "", `[{"item":"mp3-player","points":1},{"item":"2024","points":2}]`, []string{}},
		{"unknown codes that rows begin with", "list_centres", "", `[{"cost_pot":"CC5996","holder":"Ann"},{"cost_pot":"CC5997","holder":"Ben"}]`, []string{"cost_pot CC5996 Ann", "cost_pot CC5997 Ben"}},
		{"products that rows begin with", "list_hosts", "", `[{"os":"Windows11","cpu":"M1234"}]`, []string{}},
		{"a number under the record's noun", "get_account", "", `{"account":912656062,"status":"open"}`, []string{"account 912656062 open"}},
		{"serial codes", "get_container", "", `{"id":"c-1001","bill_of_lading":"MEDUAB998795","cost_centre":"CC5996","fiscal":"FY2024","model":"TX10025"}`, []string{"container c-1001 Unnamed container", ">bill_of_lading MEDUAB998795 Unnamed bill_of_lading", ">cost_centre CC5996 Unnamed cost_centre"}},
		{"names to codes", "list_warehouses", "", `{"North depot":"WH-8J85","Harbour hall":"WH-5L24","Cold store":"WH-D886"}`, []string{"warehouse WH-8J85 North depot", "warehouse WH-5L24 Harbour hall", "warehouse WH-D886 Cold store"}},
		{"names to other facts", "get_boarding_pass", "", `{"Gate":"B22","Seat":"A-12","Group":"C-3"}`, []string{}},
		{"other names of a record", "get_track", "", `{"track":{"id":"vm117jeOHgfJismVzuTlz3","name":"Last Tram","uri":"spotify:track:vm117jeOHgfJismVzuTlz3"}}`, []string{"track vm117jeOHgfJismVzuTlz3 Last Tram", "=track spotify:track:vm117jeOHgfJismVzuTlz3 Last Tram"}},
		{"the one name of a record", "get_track", "", `{"name":"Last Tram","uri":"spotify:track:vm117jeOHgfJismVzuTlz3"}`, []string{"track spotify:track:vm117jeOHgfJismVzuTlz3 Last Tram"}},
		{"addresses are no other names", "get_track", "", `{"id":"t-1001","name":"Last Tram","uri":"https://example.com/t/1001"}`, []string{"track t-1001 Last Tram"}},
		{"messages by their time", "conversations_history", "", `{"messages":[{"user":"U0ABCDE12FG","text":"Hello","ts":"1730000001.123456"}]}`, []string{"message 1730000001.123456 Hello", ">user U0ABCDE12FG Unnamed user"}},
		{"times are no ids", "list_events", "", `{"events":[{"ts":"2024-05-01T10:00:00Z","text":"Hello"},{"ts":1730000001.5,"text":"Hello"}]}`, []string{}},

		// Parts.
		{"parts that describe", "list_orders", "", `{"items":[{"id":"o-1234","snippet":{"title":"Fix chain","channelId":"UC12345"}}]}`, []string{"order o-1234 Fix chain", ">channel UC12345 of Fix chain"}},
		{"own name before that of a part", "list_orders", "", `{"items":[{"id":"o-1234","title":"First","details":{"carrier_id":"c-12345","name":"By sea"}}]}`, []string{"order o-1234 First", ">carrier c-12345 of First"}},
		{"parts that are things", "get_issue", "", `{"id":"i-1234","title":"Bug","assignee":{"name":"Ann","user_id":"u-12345"}}`, []string{"issue i-1234 Bug", ">user u-12345 Ann"}},
		{"ids that say of what", "search_list", "", `{"items":[{"kind":"youtube#searchResult","id":{"kind":"youtube#video","videoId":"abcdefgh-_1"},"snippet":{"channelId":"UCabcdefghijklmnopqrstu2","title":"Ten minute soup"}}]}`, []string{"video abcdefgh-_1 Ten minute soup", ">channel UCabcdefghijklmnopqrstu2 of Ten minute soup"}},
		{"words before figures of the same thing", "list_threads", "", `{"threads":[{"id":"Ug1234567890","replies":3,"topComment":{"id":"Ug1234567890","text":"Great tip"}}]}`, []string{"thread Ug1234567890 Great tip"}},

		// Types.
		{"sorts of a list's items", "list_rows", "", `{"tickets":[{"id":"t-1234","kind":"bug"},{"id":"t-1235","type":"task"}]}`, []string{"ticket t-1234 bug", "ticket t-1235 task"}},
		{"sorts of what a tool lists", "list_pending_approvals", "", "- id: '12345678'\n  kind: expense\n- id: '12345679'\n  kind: leave\n", []string{"approval 12345678 expense", "approval 12345679 leave"}},
		{"types in a namespace", "list_rows", "", `{"tickets":[{"id":"t-1234","kind":"tracker#bug"}]}`, []string{"bug t-1234 Unnamed bug"}},
		{"types of mixed lists", "list_folder", "", `{"entries":[{"id":"f-1234","type":"file"},{"id":"d-1234","type":"folder"}]}`, []string{"file f-1234 Unnamed file", "folder d-1234 Unnamed folder"}},
		{"entities", "get_states", "", `[{"entity_id":"light.kitchen_1","state":"on","attributes":{"friendly_name":"Kitchen lamp"}}]`, []string{"entity light.kitchen_1 Kitchen lamp"}},
		{"entities that are meant", "get_automation", "", `{"id":"a-1001","actions":[{"target":{"entity_id":"light.kitchen_1"}}]}`, []string{"automation a-1001 Unnamed automation", "entity light.kitchen_1 Unnamed entity"}},
		{"entities of a type", "get_customer", "", `{"customer":{"entity_id":"c-1001","name":"Ann"}}`, []string{"customer c-1001 Ann"}},
		{"maps by id", "find", "", `{"restaurantsById":{"store_12cde":{"displayName":"A"},"123456":{"displayName":"B"}},"orderedIds":["123456","x-99999"]}`, []string{"restaurant store_12cde A", "restaurant 123456 B"}},
		{"id key of a compound", "aws.ec2.DescribeSecurityGroups", "", `{"SecurityGroups":[{"GroupId":"sg-903004f8","GroupName":"web"}]}`, []string{"security_group sg-903004f8 web"}},
		{"list of a kind", "k8s_list", "", `{"kind":"PodList","items":[{"metadata":{"name":"a-1","uid":"` + homeID + `"}}]}`, []string{"pod " + homeID + " a-1", "=pod a-1 a-1"}},
		{"deep edges", "query", "", `{"data":{"customer":{"id":"c-1001","orders":{"edges":[{"node":{"id":"o-1001"}}]}}}}`, []string{"customer c-1001 Unnamed customer", "order o-1001 Unnamed order"}},
		{"sort under a key", "list_transactions", "", `{"transactions":[{"id":"tx-1001","kind":"SALE","amount":5}]}`, []string{"transaction tx-1001 SALE, amount 5"}},
		{"JSON:API type before an attribute", "get_activity", "", `{"data":{"type":"activities","id":"1001","attributes":{"kind":"call","subject":"Intro"}}}`, []string{"activity 1001 Intro"}},
		{"service in the tool's name", "es_search", "", `{"id":"x-1001","name":"N"}`, []string{"resource x-1001 N"}},
		{"stated type", "get_thing", "", `{"object":"charge","id":"ch_1001abc","amount":5}`, []string{"charge ch_1001abc amount 5"}},
		{"stated sort is no type", "list_accounts", "", `{"accounts":[{"id":"a-1001","type":"savings","name":"Rainy day"}]}`, []string{"account a-1001 Rainy day"}},
		{"status is no type", "get_page", "", `{"type":"success","id":"p-1001","name":"Home"}`, []string{"page p-1001 Home"}},
		{"type is no string", "get_page", "", `{"type":7,"id":"p-1001","name":"Home"}`, []string{"page p-1001 Home"}},
		{"GraphQL", "query", "", `{"data":{"viewer":{"__typename":"User","id":"u-1001","login":"ann"}}}`, []string{"user u-1001 ann"}},
		{"nothing says a type", "run", "", `{"id":"x-1001","name":"N"}`, []string{"resource x-1001 N"}},

		// Texts.
		{"bare id", "find_user_id_by_name_zip", "", `ann_lee_9620`, []string{"user ann_lee_9620 Unnamed user"}},
		{"prose", "send_certificate", "", `Certificate certificate_3221322 added to user ann_lee_9620 with amount 100.`, []string{"certificate certificate_3221322 Unnamed certificate", "user ann_lee_9620 Unnamed user"}},
		{"prose with issue key", "create_issue", "", `Created issue PROJ-123: Fix login`, []string{"issue PROJ-123 Unnamed issue"}},
		{"prose without ids", "transfer", "", `Transfer successful, please wait 5 minutes.`, []string{}},
		{"numbered list", "search_hotels", "", "Found 2 hotels:\n1. Grand Plaza (ID: HTL-4821) - $220\n2. Sea View Inn (ID: HTL-9930) - $140\n", []string{"hotel HTL-4821 Grand Plaza", "hotel HTL-9930 Sea View Inn"}},
		{"list by number", "list_prs", "", "#12  Fix login bug   ann   open\n#15  Add dark mode   ben   open\n", []string{"pr 12 Fix login bug", "pr 15 Add dark mode"}},
		{"list of paths", "list_files", "", "/home/report-2024.pdf\n/home/notes.txt\n", []string{"file /home/report-2024.pdf Unnamed file", "file /home/notes.txt Unnamed file"}},
		{"list under a heading", "show", "", "Vouchers:\n- VX0AU41  10% summer\n- VX0AU42  5% winter\n", []string{"voucher VX0AU41 10% summer", "voucher VX0AU42 5% winter"}},
		{"ids in brackets", "list_meetings", "", "* Standup [MTG-1001]\n* Review [MTG-1002]\n", []string{"meeting MTG-1001 Standup", "meeting MTG-1002 Review"}},
		{"number of a ticket", "create_ticket", "", "Ticket #4521 created successfully.", []string{"ticket 4521 Unnamed ticket"}},
		{"reference of a booking", "book_hotel", "", "Your booking is confirmed! Booking reference: BK-77120.", []string{"booking BK-77120 Unnamed booking"}},
		{"command line table", "kubectl_get_pods", "", "NAME                   READY   STATUS    AGE\nweb-7d9f8b6c5-x2x1z    1/1     Running   3d\napi-5c6d7e8f9-abcde    1/1     Running   5h\n", []string{"pod web-7d9f8b6c5-x2x1z 3d, Running, 1/1", "pod api-5c6d7e8f9-abcde 5h, Running, 1/1"}},
		{"figure", "calculate", "", `8276.23`, []string{}},
		{"error", "find_user", "", `Error: user not found`, []string{}},
		{"JSON in a string", "get_page", "", `"{\"id\":\"p-1001\",\"name\":\"Home\"}"`, []string{"page p-1001 Home"}},
		{"JSON in a field", "get_page", "", `{"output":"{\"id\":\"p-1001\",\"name\":\"Home\"}"}`, []string{"page p-1001 Home"}},
		{"JSON in strings of a list", "list_pages", "", `{"output":["{\"id\":\"p-1001\",\"name\":\"Home\"}"]}`, []string{"page p-1001 Home"}},
		{"MCP content", "mcp__cms__get_page", "", `{"content":[{"type":"text","text":"{\"id\":\"p-1001\",\"name\":\"Home\"}"}],"isError":false}`, []string{"page p-1001 Home"}},
		{"MCP content and structured", "get_page", "", `{"content":[{"type":"text","text":"{\"id\":\"p-1001\",\"name\":\"Home\"}"}],"structuredContent":{"id":"p-1001","name":"Home"}}`, []string{"page p-1001 Home"}},
		{"MCP resource", "get_page", "", `{"content":[{"type":"resource","resource":{"uri":"cms://p","text":"{\"id\":\"p-1001\",\"name\":\"Home\"}"}}]}`, []string{"page p-1001 Home"}},
		{"YAML", "get_page", "", "page:\n  id: p-1001\n  name: Home\n", []string{"page p-1001 Home"}},
		{"NDJSON", "list_pages", "", "{\"id\":\"p-1001\",\"name\":\"A\"}\n{\"id\":\"p-1002\",\"name\":\"B\"}\n", []string{"page p-1001 A", "page p-1002 B"}},
		{"key: value", "get_order", "", "Order ID: W-1001\nStatus: open\nCustomer: Ann Lee\n", []string{"order W-1001 open, Ann Lee"}},
		{"CSV", "list_users", "", "id,name,city\nu-1001,Ann,Oslo\nu-1002,Ben,Rome\n", []string{"user u-1001 Ann", "user u-1002 Ben"}},
		{"TSV", "list_users", "", "id\tname\nu-1001\tAnn\nu-1002\tBen\n", []string{"user u-1001 Ann", "user u-1002 Ben"}},
		{"Markdown table", "list_users", "", "| ID | Name |\n|----|------|\n| u-1001 | Ann |\n| u-1002 | Ben |\n", []string{"user u-1001 Ann", "user u-1002 Ben"}},
		{"Python", "list_users", "", "[{'id': 'u-1001', 'name': \"Ann\", 'admin': True, 'note': None}]", []string{"user u-1001 Ann"}},
		{"XML", "get_user", "", "<user><id>u-1001</id><name>Ann</name></user>", []string{"user u-1001 Ann"}},
		{"identifiers at the ends of lines", "list_rooms", "", "Rooms:\n* Single: EUR 80 [RM-92195-S2]\n* Twin, balcony: EUR 110 [RM-92195-T6]\n", []string{"room RM-92195-S2 Single: EUR 80", "room RM-92195-T6 Twin, balcony: EUR 110"}},
		{"several in brackets on a line", "get_tour", "", "A tour. Meeting point: the square. Slots: 18:00 (SLT-454652), 20:00 (SLT-965754).", []string{"slot SLT-454652 18:00", "slot SLT-965754 20:00"}},
		{"pairs on the lines of a list", "search_flights", "", "1) TP6632  HAM 15:45 -> LIS  offer=off_owJZ77BaBMAM\n2) FR1653  HAM 06:20 -> LIS  offer=off_FFkX493LQjur\n", []string{"flight TP6632 HAM 15:45 -> LIS", "offer off_owJZ77BaBMAM Unnamed offer", "flight FR1653 HAM 06:20 -> LIS", "offer off_FFkX493LQjur Unnamed offer"}},
		{"a label of two words", "get_loyalty", "", "Loyalty account: LOY77838713\nTier: Silver\n", []string{">loyalty_account LOY77838713 Unnamed loyalty_account"}},
		{"identifiers that begin with their key", "list_patients", "", "id,mrn,name\nP-1001,MRN91356083,Ann\n", []string{"patient P-1001 Ann", ">mrn MRN91356083 of Ann"}},
		{"a key that is no id's", "list_products", "", `{"data":[{"id":"prod_1001abc","name":"Pro","default_price":"price_7hEX91vq"}]}`, []string{"product prod_1001abc Pro", ">price price_7hEX91vq of Pro"}},
		{"a price is none", "list_products", "", `{"data":[{"id":"prod_1001abc","name":"Pro","default_price":"12900"}]}`, []string{"product prod_1001abc Pro"}},
		{"serial numbers", "list_lines", "", `{"lines":[{"id":"L-1001","simSerial":"8944381050018364117"}]}`, []string{"line L-1001 Unnamed line", ">sim 8944381050018364117 Unnamed sim"}},
		{"commits", "list_commits", "", `[{"sha":"b2f41c8211bcdfa359bb4220717316796584ad73","node_id":"C_kwDOct7cKVdF3JN1","commit":{"message":"Fix it"},"parents":[{"sha":"2736b868f7a278c19d70505b661b577663aa5286"}]}]`, []string{"commit b2f41c8211bcdfa359bb4220717316796584ad73 Fix it", ">commit 2736b868f7a278c19d70505b661b577663aa5286 Unnamed commit"}},
		{"the commit of a branch", "list_pull_requests", "", `[{"number":71,"title":"Fix it","head":{"ref":"fix-1","sha":"b2f41c8211bcdfa359bb4220717316796584ad73"}}]`, []string{"pull_request 71 Fix it", ">commit b2f41c8211bcdfa359bb4220717316796584ad73 Unnamed commit"}},
		{"names beside ARNs", "describe_alarms", "", `{"Alarms":[{"AlarmName":"disk-full-42","AlarmArn":"arn:aws:cloudwatch:eu:1:alarm:disk-full-42","StateValue":"OK"}]}`, []string{"alarm arn:aws:cloudwatch:eu:1:alarm:disk-full-42 disk-full-42", "=alarm disk-full-42 disk-full-42"}},
		{"generated names", "list_workflows", "", `{"items":[{"name":"deploy-recommender-ghl4r"},{"name":"deploy-cart-z979s"}]}`, []string{"workflow deploy-recommender-ghl4r Unnamed workflow", "workflow deploy-cart-z979s Unnamed workflow"}},
		{"the kind is an argument", "kubectl_get", `{"resource":"pods","namespace":"shop"}`, "NAME           STATUS\nweb-7d9f8b-x2  Running\napi-5c6d7e-f9  Pending\n", []string{"pod web-7d9f8b-x2 Running", "pod api-5c6d7e-f9 Pending"}},
		{"an id or a key", "get_issue", `{"issueIdOrKey":"OPS-1787"}`, `{"id":"49686","key":"OPS-1787","title":"Disk full"}`, []string{"issue 49686 Disk full", "=issue OPS-1787 Disk full"}},
		{"the number of a pull", "get_pull_request", `{"pull_number":71}`, `{"id":2657128178,"number":71,"title":"Fix it"}`, []string{"pull_request 2657128178 Fix it", "=pull_request 71 Fix it"}},
		{"what siblings share comes last", "list_variants", "", `{"variants":[{"id":"v-1001","fabric":"cotton","color":"red"},{"id":"v-1002","fabric":"cotton","color":"blue"}]}`, []string{"variant v-1001 red, cotton", "variant v-1002 blue, cotton"}},
		{"words before codes", "list_accounts", "", `{"accounts":[{"id":"a-1001","sort_code":"20-45-77","nickname":"House"}]}`, []string{"account a-1001 House, 20-45-77"}},
		{"lines in MCP content", "list_rooms", "", `{"content":[{"type":"text","text":"Rooms:\n* Single: EUR 80 [RM-92195-S2]\n* Twin: EUR 110 [RM-92195-T6]"}]}`, []string{"room RM-92195-S2 Single: EUR 80", "room RM-92195-T6 Twin: EUR 110"}},

		// Sentences about what happened.
		{"what happened to the record", "cancel_order", "", `{"id":1002,"message":"Order 1002 cancelled"}`, []string{"order 1002 Unnamed order"}},
		{"in the passive", "cancel_order", "", `{"order_id":"#W1002","status":"Your order has been cancelled.","total":"12 items"}`, []string{"order #W1002 12 items"}},
		{"by its id", "cancel_order", "", `{"order_id":"#W1002","detail":"Cancelled W1002"}`, []string{"order #W1002 Unnamed order"}},
		{"successfully", "create_ticket", "", `{"id":"TCK-77","detail":"Created successfully!"}`, []string{"ticket TCK-77 Unnamed ticket"}},
		{"what happened to the call", "create_ticket", "", `{"id":"TCK-77","detail":"Request accepted"}`, []string{"ticket TCK-77 Unnamed ticket"}},
		{"of another thing", "send", "", `{"message_id":"m-1001","message":"Order 1002 cancelled"}`, []string{"message m-1001 Order 1002 cancelled"}},
		{"a word that looks like a verb", "get_order", "", `{"order_id":"#W1002","note":"Order for Ann, gift wrapped","kind":"used"}`, []string{"order #W1002 Order for Ann, gift wrapped, used"}},
		{"a name", "get_order", "", `{"order_id":"#W1002","title":"Order paid late"}`, []string{"order #W1002 Order paid late"}},

		// Not entities.
		{"secrets", "get_user", "", `{"id":"u-1001","name":"Ann","api_key":"abc123def456","access_token":"tok_123456","password":"pw-123456"}`, []string{"user u-1001 Ann"}},
		{"secrets by name", "get_user", "", `{"id":"u-1001","name":"Ann","pin":"9931","verification_code":"448812","mfa_code":"112233","seed_phrase":"a1 b2 c3","backup_codes":["aaaa-1111","bbbb-2222"],"connection_string":"host=db1 user=x"}`, []string{"user u-1001 Ann"}},
		{"secrets in facts", "get_user", "", `{"id":"u-1001","note":"ghp_0123456789abcdefghij","memo":"use Bearer abcdefghijklmnop","url2":"postgres://bob:hunter2@db/x"}`, []string{"user u-1001 Unnamed user"}},
		{"secrets in lines", "show", "", "Vouchers:\n- VX0AU41  ghp_0123456789abcdefghij\n- ghp_0123456789abcdefghij [MTG-1001]\n", []string{"voucher VX0AU41 Unnamed voucher", "voucher MTG-1001 Unnamed voucher"}},
		{"secrets are things too", "list_secrets", "", `{"SecretList":[{"ARN":"arn:aws:secretsmanager:eu:1:secret:db","Name":"prod/db-url","SecretString":"hunter2hunter2"}]}`, []string{"secret arn:aws:secretsmanager:eu:1:secret:db prod/db-url", "=secret prod/db-url prod/db-url"}},
		{"secret shapes", "get_setting", "", `{"id":"sk-abcdefghij0123456789","name":"x"}`, []string{}},
		{"dates, prices, addresses", "get_user", "", `{"id":"u-1001","name":"Ann","created_at":"2024-05-01T10:00:00Z","balance":12.5,"zip":"19122","email":"a@b.co","phone":"5551234567"}`, []string{"user u-1001 Ann"}},
		{"empty", "get_user", "", ``, []string{}},
		{"null", "get_user", "", `null`, []string{}},
		{"empty id", "get_user", "", `{"id":"","name":"Ann"}`, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var args any
			if tc.args != "" {
				args = json.RawMessage(tc.args)
			}
			out := extract(t, extractor.Input{Tool: tc.tool, Arguments: args, Result: tc.result})
			assert.Equal(t, tc.want, lines(out.Entities), "format %s, reason %q", out.Format, out.Reason)
			if len(tc.want) == 0 {
				assert.NotEmpty(t, out.Reason, "nothing found, and no reason")
			}
		})
	}
}

func TestTypeOfToolName(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{
		"cms_getPage": "page", "get_user_details": "user", "github-create-issue": "issue",
		"listPullRequests": "pull_request", "mcp__github__get_issue": "issue", "search.documents": "document",
		"aws.ec2.RunInstances": "instance", "cms_getPageSections": "section", "cms_getCollectionEntries": "entry",
		"describe_security_groups": "security_group", "DescribeSecurityGroups": "security_group",
		"stripe.customers.list": "customer", "slack_users_list": "user", "chat.postMessage": "message",
		"find_user_by_email": "user", "get-all-open-orders": "order", "cms_listMedia": "media", "list_people": "person",
		"getCategories": "category", "book_reservation": "reservation", "update_order_status": "order",
		"return_delivered_order_items": "item", "search_direct_flight": "flight", "list_all_product_types": "product_type",
		"createOrUpdateFile": "file", "web_search": "resource", "sql_query": "resource", "books.get": "book", "GET /v1/pages": "page", "run": "resource", "": "resource",
		"getURLs": "url", "fetchHTTPServers": "http_server", "notion_API-post-page": "page",
		"gitlab_list_merge_requests": "merge_request", "list_load_balancers": "load_balancer", "get_price_list": "price_list", "create_record": "record", "device_registry_list": "device", "list_registries": "registry", "list_indices": "index",
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			out := extract(t, extractor.Input{Tool: tool, Result: `{"id":"x-1001","name":"N"}`})
			require.Len(t, out.Entities, 1)
			assert.Equal(t, want, out.Entities[0].Type)
		})
	}
}

func TestActionOfToolName(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]extractor.Action{
		"cms_getPage": extractor.ActionRead, "create_ticket": extractor.ActionCreated, "book_flight": extractor.ActionCreated,
		"updateUser": extractor.ActionUpdated, "cancel_order": extractor.ActionUpdated, "delete-page": extractor.ActionDeleted,
		"archiveThread": extractor.ActionDeleted, "mcp__fs__remove_file": extractor.ActionDeleted, "pages.delete": extractor.ActionDeleted,
		"find_and_delete_user": extractor.ActionDeleted, "weather": extractor.ActionRead,
	} {
		assert.Equal(t, want, extract(t, extractor.Input{Tool: tool}).Action, tool)
	}
}

func TestProvenance(t *testing.T) {
	t.Parallel()
	out := extract(t, extractor.Input{Tool: "list_pages", Result: `{"pages":[{"id":"p-1001","name":"A"},{"id":"p-1002","name":"B","author_id":"u-1001"}],"weird key":{"p-1003":{"name":"C"}}}`})
	paths := map[string]string{}
	for _, e := range out.Entities {
		assert.Equal(t, "list_pages", e.Tool)
		paths[e.ID] = e.Path
	}
	assert.Equal(t, map[string]string{
		"p-1001": "$.pages[0]", "p-1002": "$.pages[1]", "u-1001": "$.pages[1].author_id", "p-1003": `$["weird key"]["p-1003"]`,
	}, paths)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tool, args, result string
		failed                   bool
		removed                  []memory.Ref
		left                     []string
	}{
		{name: "by argument", tool: "cms_deletePage", args: `{"page_id":"p-1001","site_id":"s-1001"}`, result: `{"success":true}`, removed: []memory.Ref{{Type: "page", ID: "p-1001"}}},
		{name: "not added again", tool: "cms_deletePage", args: `{"id":"p-1001"}`, result: `{"id":"p-1001","name":"Home"}`, removed: []memory.Ref{{Type: "page", ID: "p-1001"}}},
		{name: "by result", tool: "delete_file", args: `{}`, result: `{"id":"file-1001","object":"file","deleted":true}`, removed: []memory.Ref{{Type: "file", ID: "file-1001"}}},
		{name: "several", tool: "delete_pages", args: `{"page_ids":["p-1001","p-1002"]}`, result: `ok`, removed: []memory.Ref{{Type: "page", ID: "p-1001"}, {Type: "page", ID: "p-1002"}}},
		{name: "not the cart", tool: "remove_from_cart", args: `{"cart_id":"cart-1001","item_id":"item-1001"}`, result: `{"success":true}`, removed: []memory.Ref{{Type: "item", ID: "item-1001"}}},
		{name: "bare string", tool: "delete_page", args: `"p-1001"`, result: `done`, removed: []memory.Ref{{Type: "page", ID: "p-1001"}}},
		{name: "error text", tool: "delete_page", args: `{"id":"p-1001"}`, result: `Error: no such page`},
		{name: "error field", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"error":"forbidden"}`},
		{name: "no success", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"success":false}`},
		{name: "MCP error", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"isError":true,"content":[{"type":"text","text":"no"}]}`},
		{name: "status of an error", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"statusCode":404,"message":"Not Found"}`},
		{name: "not deleted", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"deleted":false}`},
		{name: "error inside", tool: "delete_page", args: `{"id":"p-1001"}`, result: `{"result":{"error":"x"}}`},
		{name: "stack trace", tool: "delete_page", args: `{"id":"p-1001"}`, result: "Traceback (most recent call last):\n  ...\nKeyError: 'p-1001'"},
		{name: "refused in words", tool: "delete_page", args: `{"id":"p-1001"}`, result: `Permission denied`},
		{name: "argument named as the thing", tool: "delete_branch", args: `{"owner":"o","repo":"r","branch":"fix-1"}`, result: `{"ok":true}`, removed: []memory.Ref{{Type: "branch", ID: "fix-1"}}},
		{name: "argument of another type names the result", tool: "remove_label_from_issue", args: `{"issue_number":42,"label":"bug"}`, result: `{"number":42,"title":"Crash"}`, removed: []memory.Ref{{Type: "label", ID: "bug"}}, left: []string{"issue 42 Crash"}},
		{name: "error returned", tool: "delete_page", args: `{"id":"p-1001"}`, failed: true},
		{name: "cancelled is not deleted", tool: "cancel_order", args: `{"order_id":"#W1001"}`, result: `{"order_id":"#W1001","status":"cancelled"}`, left: []string{"order #W1001 cancelled"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := extract(t, extractor.Input{Tool: tc.tool, Arguments: tc.args, Result: tc.result, Failed: tc.failed})
			assert.Equal(t, tc.removed, out.Removed)
			if tc.left == nil {
				tc.left = []string{}
			}
			assert.Equal(t, tc.left, lines(out.Entities))
		})
	}
}

func TestUsed(t *testing.T) {
	t.Parallel()
	out := extract(t, extractor.Input{Tool: "update_page", Arguments: map[string]any{
		"page_id": 7, "title": "New", "quantity": 3, "author": "usr_9fK3a2", "password": "pw-123456", "tags": []string{"x-1001"},
	}, Result: `{"success":true}`})
	assert.Contains(t, out.Used, memory.Ref{Type: "page", ID: "7"})
	assert.Contains(t, out.Used, memory.Ref{Type: "author", ID: "usr_9fK3a2"})
	assert.Contains(t, out.Used, memory.Ref{Type: "tag", ID: "x-1001"})
	for _, ref := range out.Used {
		assert.NotEqual(t, "3", ref.ID)
		assert.NotEqual(t, "pw-123456", ref.ID)
	}
	assert.Equal(t, []string{"page 7 New"}, lines(out.Entities), "an update that answers with no record renames by its arguments")
}

func TestGoValues(t *testing.T) {
	t.Parallel()
	type page struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Inner *page  `json:"inner,omitempty"`
	}
	loop := &page{ID: "p-1001", Title: "Loop"}
	loop.Inner = loop
	for name, result := range map[string]any{
		"struct":  page{ID: "p-1001", Title: "Loop"},
		"pointer": &page{ID: "p-1001", Title: "Loop"},
		"cyclic":  loop,
		"map":     map[string]any{"id": "p-1001", "title": "Loop"},
		"raw":     json.RawMessage(`{"id":"p-1001","title":"Loop"}`),
		"bytes":   []byte(`{"id":"p-1001","title":"Loop"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := extract(t, extractor.Input{Tool: "get_page", Result: result})
			require.NotEmpty(t, out.Entities)
			assert.Equal(t, "page p-1001 Loop", lines(out.Entities)[0])
		})
	}
}

func TestEntitiesOwnTheirBytes(t *testing.T) {
	t.Parallel()
	result := []byte(`{"id":"p-1001","name":"Home"}`)
	out := extract(t, extractor.Input{Tool: "get_page", Result: result})
	copy(result, strings.Repeat("x", len(result)))
	assert.Equal(t, []string{"page p-1001 Home"}, lines(out.Entities))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"id":"x-%04d","name":"n%d"}`, i, i))
	}
	list := "[" + strings.Join(items, ",") + "]"
	count := func(limits extractor.Limits, result string) int {
		out, err := extractor.Default(limits).Extract(context.Background(), extractor.Input{Tool: "list_things", Result: result})
		require.NoError(t, err)
		if len(out.Entities) < 300 {
			assert.Contains(t, out.Reason, "limit")
		}
		return len(out.Entities)
	}
	assert.Equal(t, 5, count(extractor.Limits{}, list))
	assert.Equal(t, 5, count(extractor.Limits{}, `{"data":`+list+`}`))
	assert.Equal(t, 3, count(extractor.Limits{}, `{"matches":`+list+`}`))
	assert.Equal(t, 50, count(extractor.Limits{}, `{"widgets":`+list+`}`))
	assert.Equal(t, 7, count(extractor.Limits{TopItems: 7}, list))
	assert.Equal(t, 100, count(extractor.Limits{Items: 1000}, `{"widgets":`+list+`}`))
}

func TestDoneContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := extractor.Default(extractor.Limits{}).Extract(ctx, extractor.Input{Tool: "x", Result: "{}"})
	require.ErrorIs(t, err, context.Canceled)
}
