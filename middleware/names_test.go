package middleware_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// TestConfirmationKeepsName confirms edits in sentences that hold the id.
func TestConfirmationKeepsName(t *testing.T) {
	t.Parallel()
	ids := []string{
		"8c6f0a52-3b1d-4e7a-9f20-5d1c7be3a940", "01JA2V6T9QK4M8W3ZC7XH5NDRB", "5b1d7be3a94068c6f0a523b1d4e7a9f205d1c7be",
		"subnet-07c41e9ab52d8f36", "arn:aws:iam::210987654321:role/deploy", "https://shop.example/p/summer-sale", "summer-sale-2",
	}
	tools := []string{"shop_updateListing", "shop_update", "shop_activateListing", "save_listing", "notify"}
	sentences := []string{
		"updated %s", "Listing %s was updated.", "Successfully saved listing %s", "Saved %s (v7)", "OK: %s", "%s is now live",
		"Updated: %s, draft", "Listing %s - active", "1 listing changed (%s)", "- %s: done",
	}
	for _, id := range ids {
		for _, tool := range tools {
			for _, sentence := range sentences {
				r := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
				require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "shop_getListing", Result: `{"listing":{"id":"` + id + `","title":"Summer sale"}}`}))
				require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: tool, Arguments: `{"listingId":"` + id + `"}`, Result: fmt.Sprintf(sentence, id)}))
				assert.Contains(t, r.Block(), `"Summer sale" (`+id+`)`, "%s: %s", tool, sentence)
			}
		}
	}
}

// TestWhatACallWrote is the table of names and facts that only the arguments of a call give.
func TestWhatACallWrote(t *testing.T) {
	t.Parallel()
	type call = middleware.ToolCall
	known := call{Name: "crm_get_deal", Result: `{"deal":{"id":"deal-4711","name":"Old mill","stage":"open","city":"Bremen","close_date":"2026-03-01"}}`}
	for _, test := range []struct {
		name       string
		calls      []call
		want, gone string
	}{
		{"created, an id alone", []call{{Name: "create_deal", Arguments: `{"name":"New mill"}`, Result: `deal-4711`}}, `"New mill" (deal-4711)`, ""},
		{"created, an object with the id", []call{{Name: "create_deal", Arguments: `{"title":"New mill"}`, Result: `{"id":"deal-4711"}`}}, `"New mill" (deal-4711)`, ""},
		{"created, a typed id beside a flag", []call{{Name: "crm_create", Arguments: `{"title":"New mill"}`, Result: `{"created":true,"deal_id":"deal-4711"}`}}, `"New mill" (deal-4711)`, ""},
		{"created, a sentence", []call{{Name: "create_deal", Arguments: `{"subject":"New mill"}`, Result: `Created deal #47110`}}, `"New mill" (47110)`, ""},
		{"created, nested arguments", []call{{Name: "create_deal", Arguments: `{"fields":{"summary":"New mill","owner":{"name":"Ann Lee"}}}`, Result: `{"id":"deal-4711"}`}}, `"New mill" (deal-4711)`, ""},
		{"created, under its noun", []call{{Name: "create_deal", Arguments: `{"deal":{"name":"New mill"}}`, Result: `{"id":"deal-4711"}`}}, `"New mill" (deal-4711)`, ""},
		{"created, the tool's form of the name", []call{{Name: "create_channel", Arguments: `{"name":"New Mill"}`, Result: `{"id":"C0471100XY","name":"new-mill"}`}}, `"new-mill" (C0471100XY)`, "New Mill"},
		{"edited, the customer's name", []call{known, {Name: "crm_update_deal", Arguments: `{"id":"deal-4711","customer_name":"Ann Lee","customer":{"id":"cus-1","name":"Ann Lee"}}`, Result: `ok`}}, `"Old mill" (deal-4711)`, "Ann Lee"},
		{
			"created, beside things of another kind", []call{{
				Name: "book_trip", Arguments: `{"travel_from":"TRI","travel_to":"ULM","travel_class":"business"}`,
				Result: `{"booking_id":"bk-4711","booking_history":{"booking_901":{"travel_from":"BRE","travel_to":"TRI","travel_class":"first"},"booking_902":{"travel_from":"ULM","travel_to":"BRE","travel_class":"first"}}}`,
			}}, `"TRI, ULM, business" (bk-4711)`, "",
		},
		{"created, a number alone", []call{{Name: "create_deal", Arguments: `{"title":"New mill"}`, Result: `{"number":47,"state":"open"}`}}, `"New mill" (47)`, ""},
		{"created, rich text", []call{{Name: "create_page", Arguments: `{"parent":{"page_id":"page-1"},"properties":{"Name":{"title":[{"text":{"content":"New mill"}}]},"Stage":{"select":{"name":"Open"}}}}`, Result: `{"id":"page-4711","url":"https://wiki.example/page4711"}`}}, `"New mill" (page-4711)`, ""},
		{"created by a mutation", []call{{Name: "crm_graphql", Arguments: `{"query":"mutation m($i: DealInput!) { dealCreate(input: $i) { deal { id } } }","variables":{"input":{"title":"New mill","stage":"OPEN"}}}`, Result: `{"data":{"dealCreate":{"deal":{"id":"deal-4711"}}}}`}}, `"New mill" (deal-4711)`, "mutation"},
		{"created, under its name", []call{{Name: "s3_create_bucket", Arguments: `{"Bucket":"mill-photos","Region":"eu-1"}`, Result: `OK`}}, `(mill-photos)`, ""},
		{"created under its name, refused", []call{{Name: "create_bucket", Arguments: `{"name":"mill-photos"}`, Result: `Error: bucket exists`}}, "", "mill-photos"},
		{"added by its name to another thing", []call{{Name: "add_label", Arguments: `{"label":"mill-photos","deal_id":"deal-4711"}`, Result: `OK`}}, "", "mill-photos"},
		{"created, its address alone", []call{{Name: "create_queue", Arguments: `{"QueueName":"New mill"}`, Result: `{"QueueUrl":"https://queues.example/1/new-mill"}`}}, `"New mill" (https://queues.example/1/new-mill)`, ""},
		{"created, another language", []call{{Name: "create_request", Arguments: `{"subject":"Drucker streikt"}`, Result: `Заявка № 60417 создана`}}, `"Drucker streikt" (60417)`, ""},
		{"created, its words before the number", []call{{Name: "create_task", Arguments: `{"content":"Buy birch logs"}`, Result: `Task created: Buy birch logs (ID: 8812034425)`}}, "tasks:\n  - \"Buy birch logs\" (8812034425)", "logs:"},
		{"created, several things", []call{{Name: "create_deal", Arguments: `{"name":"New mill"}`, Result: `{"deals":[{"id":"deal-4711","stage":"open"},{"id":"deal-4712","stage":"won"}]}`}}, `(deal-4711)`, "New mill"},
		{"created, refused", []call{{Name: "create_deal", Arguments: `{"name":"New mill"}`, Result: `{"error":"deal-4711 exists"}`}}, "", "New mill"},
		{"created, a secret", []call{{Name: "create_key", Arguments: `{"name":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`, Result: `{"id":"key-4711"}`}}, `(key-4711)`, "ghp_"},
		{"a parent among the arguments", []call{{Name: "create_version", Arguments: `{"name":"mill-v2","deal_id":"deal-4711"}`, Result: `{"version":{"name":"mill-v2","deal_id":"deal-4711","status":"READY"}}`}}, `mill-v2`, `"mill-v2" (deal-4711)`},
		{"renamed, ok", []call{known, {Name: "crm_update_deal", Arguments: `{"deal_id":"deal-4711","name":"New mill"}`, Result: `ok`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"renamed, the head of an answer", []call{known, {Name: "crm_patch_deal", Arguments: `{"deal_id":"deal-4711","close_date":"2026-04-01"}`, Result: "HTTP/1.1 204 No Content\r\nETag: W/\"19\"\r\n"}}, `"Old mill" (deal-4711)`, "No Content"},
		{"an answer with its head", []call{known, {Name: "crm_get_deal", Arguments: `{"deal_id":"deal-4712"}`, Result: "HTTP/2 200 OK\r\nContent-Type: application/json\r\n\r\n{\"id\":\"deal-4712\",\"name\":\"New mill\"}"}}, `"New mill" (deal-4712)`, "application"},
		{"renamed, an empty list", []call{known, {Name: "crm_rename_deal", Arguments: `{"deal":"deal-4711","new_name":"New mill"}`, Result: `[]`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"renamed, a flag", []call{known, {Name: "crm_update", Arguments: `{"deal_id":"deal-4711","data":{"name":"New mill"}}`, Result: `{"success":true}`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"renamed, a sentence", []call{known, {Name: "crm_update_deal", Arguments: `{"id":"deal-4711","name":"New mill"}`, Result: `Deal deal-4711 was updated.`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"renamed, a record without the field", []call{known, {Name: "crm_update_deal", Arguments: `{"id":"deal-4711","name":"New mill"}`, Result: `{"id":"deal-4711","stage":"open"}`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"another job of a person", []call{
			{Name: "list_employees", Result: `{"employees":[{"id":"emp-4711","first_name":"Ann","last_name":"Lee","title":"Buyer"}]}`},
			{Name: "update_employee", Arguments: `{"employee_id":"emp-4711","title":"Head of sales"}`, Result: `ok`},
		}, `"Ann Lee" (emp-4711)`, ""},
		{"renamed, another namespace", []call{known, {Name: "mcp__other__update_deal", Arguments: `{"id":"deal-4711","name":"New mill"}`, Result: `ok`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"renamed, failed", []call{known, {Name: "crm_update_deal", Arguments: `{"id":"deal-4711","name":"New mill"}`, Result: `{"success":false}`}}, `"Old mill" (deal-4711)`, "New mill"},
		{"shared with somebody", []call{known, {Name: "crm_share_deal", Arguments: `{"id":"deal-4711","name":"Ann Lee"}`, Result: `ok`}}, `"Old mill" (deal-4711)`, "Ann Lee"},
		{"words about it", []call{known, {Name: "crm_update_deal", Arguments: `{"id":"deal-4711","note":"Call Ann"}`, Result: `ok`}}, `"Old mill" (deal-4711)`, "Call Ann"},
		{"renamed by a mutation", []call{known, {Name: "crm_graphql", Arguments: `{"query":"mutation { dealUpdate(id: $id, input: $i) { success } }","variables":{"id":"deal-4711","input":{"name":"New mill"}}}`, Result: `{"data":{"dealUpdate":{"success":true}}}`}}, `"New mill" (deal-4711)`, "Old mill"},
		{"edited, a fact that the record tells later", []call{{Name: "update_record", Arguments: `{"id":"deal-4711","fields":{"Condition":"good"}}`, Result: `{"id":"deal-4711","fields":{"Instrument":"Old cello","Condition":"good"}}`}}, `"Old cello, good" (deal-4711)`, ""},
		{
			"moved", []call{
				{Name: "list_visits", Result: `{"visits":[{"id":"visit-4711","start":"2026-03-01T10:00","room":"Elm"},{"id":"visit-4712","start":"2026-03-02T10:00","room":"Oak"}]}`},
				{Name: "update_visit", Arguments: `{"visit_id":"visit-4711","start":"2026-03-01T14:00"}`, Result: `ok`},
			}, `T14:00`, "2026-03-01T10:00",
		},
		{
			"another state", []call{
				{Name: "get_visit", Result: `{"id":"visit-4711","state":"pending","room":"Elm, first floor","kind":"checkup"}`},
				{Name: "update_visit", Arguments: `{"visit_id":"visit-4711","state":"confirmed"}`, Result: `{"success":true}`},
			}, `confirmed, `, "pending",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRecorder(t, nil)
			for _, c := range test.calls {
				require.NoError(t, r.Record(t.Context(), c))
			}
			block := r.Block()
			assert.Contains(t, block, test.want)
			if test.gone != "" {
				assert.NotContains(t, block, test.gone)
			}
			assert.LessOrEqual(t, strings.Count(block, "(deal-4711)"), 1)
		})
	}
}
