package middleware_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// record records calls, each a name, arguments and a result.
func record(t *testing.T, rec *middleware.Recorder, calls ...[3]string) {
	t.Helper()
	for _, call := range calls {
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: call[0], Arguments: call[1], Result: call[2]}))
	}
}

// TestDeletedIsNotShown: what a call deleted is gone from the block, whether it was known, what
// the result says of it, and whatever the tool calls it.
func TestDeletedIsNotShown(t *testing.T) {
	t.Parallel()
	created := [3]string{"create_receipt", `{}`, `{"receipt":{"id":"rc_70000","name":"Chairs"}}`}
	for i, result := range []string{`{"deleted":true,"id":"rc_70000"}`, `{"id":"rc_70000","object":"receipt","deleted":true}`, `{"ok":true}`} {
		for name, calls := range map[string][][3]string{
			"known":      {created, {"delete_receipt", `{"receipt_id":"rc_70000"}`, result}},
			"unknown":    {{"delete_receipt", `{"receipt_id":"rc_70000"}`, result}},
			"other noun": {created, {"delete_draft", `{"receipt_id":"rc_70000"}`, result}},
		} {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				t.Parallel()
				rec := new(middleware.Recorder)
				record(t, rec, calls...)
				assert.Empty(t, rec.Block())
			})
		}
	}
}

// TestRemoval is the table of what a call leaves of a thing.
func TestRemoval(t *testing.T) {
	t.Parallel()
	boats := [3]string{"list_boats", `{}`, `{"boats":[{"id":"bt-5001","name":"Lark"},{"id":"bt-5002","name":"Wren"}]}`}
	topics := [3]string{"list_topics", `{}`, `{"topics":[{"id":"tp-5001","name":"rain"},{"id":"tp-5002","name":"snow"}]}`}
	channels := [3]string{"list_channels", `{}`, `{"channels":[{"id":"CH5001","name":"rain"},{"id":"CH5002","name":"snow"}]}`}
	alerts := [3]string{"list_alerts", `{}`, `{"alerts":[{"id":"al-5001","name":"rain"},{"id":"al-5002","name":"snow"}]}`}
	files := [3]string{"list_files", `{}`, `{"files":[{"path":"/srv/old/a.py"},{"path":"/srv/old/b/c.py"},{"path":"/srv/older.py"}]}`}
	branches := [3]string{"bash", `{"command":"git branch"}`, "  fix/tides\n* main\n  spike/fog"}
	const url = `"url":"https://api.example.com/v1/boats/bt-5001"`
	for _, test := range []struct {
		name       string
		known      [3]string
		call       [3]string
		want, gone string
	}{
		{"verb behind its noun", boats, [3]string{"harbour_boats_delete", `{"boat_id":"bt-5001"}`, `ok`}, "", "bt-5001"},
		{"argument with another noun", channels, [3]string{"chat_conversations_archive", `{"channel":"CH5001"}`, `{"ok":true}`}, `"archived: rain" (CH5001)`, "conversations"},
		{"argument with a shorter noun", boats, [3]string{"cancel_charter_boat", `{"boat_id":"bt-5001"}`, `ok`}, `"cancelled: Lark" (bt-5001)`, "charter"},
		{"other thing of an argument", boats, [3]string{"cancel_insurance", `{"boat_id":"bt-5001"}`, `ok`}, `"Lark" (bt-5001)`, "cancelled"},
		{"needs approval", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"pending_approval","message":"Deletion of bt-5001 requires approval"}`}, `"Lark" (bt-5001)`, "approval"},
		{"needs approval, in the record", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `{"id":"bt-5001","status":"requires_review","message":"Sent to the harbour master"}`}, `"Lark" (bt-5001)`, "harbour"},
		{"scheduled", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"boat_id":"bt-5001","status":"scheduled_for_deletion"}`}, `"Lark" (bt-5001)`, "scheduled"},
		{"scheduled, in words", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `bt-5001 is scheduled for deletion on 2026-03-01.`}, `"Lark" (bt-5001)`, "scheduled"},
		{"emptied container", topics, [3]string{"purge_topic", `{"topic_id":"tp-5001"}`, `ok`}, `"rain" (tp-5001)`, ""},
		{"container of what is purged", topics, [3]string{"purge_messages", `{"topic_id":"tp-5001"}`, `ok`}, `"rain" (tp-5001)`, ""},
		{"emptied trash", topics, [3]string{"empty_folder", `{"topic_id":"tp-5001","folder":"Trash"}`, `ok`}, `"rain" (tp-5001)`, "trashed"},
		{"purged thing", boats, [3]string{"purge_boat", `{"boat_id":"bt-5001"}`, `ok`}, "", "bt-5001"},
		{"verb of another language", boats, [3]string{"boot_loeschen", `{"nummer":"bt-5001"}`, `Das Boot wurde gelöscht.`}, "", "bt-5001"},
		{"verb of another language, first", boats, [3]string{"anular_boat", `{"id":"bt-5001"}`, `ok`}, `"cancelled: Lark" (bt-5001)`, ""},
		{"failure in another language", boats, [3]string{"boot_loeschen", `{"nummer":"bt-5001"}`, `Das Boot wurde nicht gefunden.`}, `"Lark" (bt-5001)`, ""},
		{"error in another language", boats, [3]string{"boot_loeschen", `{"nummer":"bt-5001"}`, `{"fehler":"gesperrt"}`}, `"Lark" (bt-5001)`, ""},
		{"resolved", alerts, [3]string{"resolve_alert", `{"alert_id":"al-5001"}`, `ok`}, `"resolved: rain" (al-5001)`, ""},
		{"resolved by an edit", alerts, [3]string{"update_alert", `{"alert_id":"al-5001","status":"resolved"}`, `ok`}, `"resolved: rain" (al-5001)`, ""},
		{"looked up", boats, [3]string{"resolve_boat", `{"boat_id":"bt-5001"}`, `ok`}, `"Lark" (bt-5001)`, "resolved"},
		{"request", boats, [3]string{"http_request", `{"method":"DELETE",` + url + `}`, `{"status":204,"body":""}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"request, refused", boats, [3]string{"http_request", `{"method":"DELETE",` + url + `}`, `{"status":403,"body":{"reason":"locked"}}`}, `"Lark" (bt-5001)`, "locked"},
		{"request, refused in words", boats, [3]string{"http_delete", `{` + url + `}`, `HTTP/2 403 `}, `"Lark" (bt-5001)`, ""},
		{"request of a path", boats, [3]string{"api_call", `{"method":"DELETE","path":"/v1/boats/bt-5001"}`, `{"deleted":true,"id":"bt-5001"}`}, `"Wren" (bt-5002)`, "/v1"},
		{"request that changes", boats, [3]string{"api_call", `{"method":"PATCH","path":"/v1/boats/bt-5001"}`, `{"id":"bt-5001","name":"Lark II"}`}, `"Lark II" (bt-5001)`, "/v1"},
		{"request of a shell", boats, [3]string{"bash", `{"command":"curl -s -X DELETE https://api.example.com/v1/boats/bt-5001"}`, ``}, `"Wren" (bt-5002)`, "bt-5001"},
		{"folder", files, [3]string{"bash", `{"command":"cd /srv && rm -rf old"}`, ``}, "/srv/older.py", "/srv/old/"},
		{"contents of a folder", files, [3]string{"bash", `{"command":"rm -rf /srv/old/*"}`, ``}, "/srv/older.py", "/srv/old/"},
		{"folder, by a tool", files, [3]string{"delete_directory", `{"path":"/srv/old"}`, `ok`}, "/srv/older.py", "/srv/old/"},
		{"folder, refused", files, [3]string{"bash", `{"command":"rm -r /srv/old"}`, `rm: cannot remove '/srv/old': Permission denied`}, "/srv/old/a.py", ""},
		{"deleted branch", branches, [3]string{"bash", `{"command":"cd /srv && git branch -D fix/tides"}`, `Deleted branch fix/tides (was 4e1c9aa).`}, "main", "fix/tides"},
		{"branch, its commit", branches, [3]string{"bash", `{"command":"git branch -D fix/tides"}`, `Deleted branch fix/tides (was 4e1c9aa).`}, "main", "4e1c9aa"},
		{"branch, refused", branches, [3]string{"bash", `{"command":"git branch -d fix/tides"}`, `error: the branch 'fix/tides' is not fully merged`}, "fix/tides", ""},
		{"method of another tool", boats, [3]string{"search_logs", `{"method":"DELETE","path":"/boats/bt-5001"}`, `{"lines":[]}`}, `"Lark" (bt-5001)`, ""},
		{"method that is checked", boats, [3]string{"check_permission", `{"method":"DELETE","path":"/boats/bt-5001"}`, `{"allowed":true}`}, `"Lark" (bt-5001)`, ""},
		{"request for something else", boats, [3]string{"delete_merge_request", `{"path":"boats/bt-5001","iid":5}`, `ok`}, `"Lark" (bt-5001)`, ""},
		{"member that leaves", [3]string{"list_users", `{}`, `{"users":[{"id":"us-5001","name":"Ann"}]}`}, [3]string{"http_request", `{"method":"DELETE","url":"https://api.example.com/groups/gr-1/members/us-5001"}`, `{"status":204}`}, `"Ann" (us-5001)`, ""},
		{"data of a request of a shell", boats, [3]string{"bash", `{"command":"curl -d 'please DELETE this' https://api.example.com/boats/bt-5001"}`, ``}, `"Lark" (bt-5001)`, ""},
		{"request of a shell for another type", boats, [3]string{"bash", `{"command":"curl -X DELETE https://api.example.com/comments/5001 -H 'Referer: https://api.example.com/boats/bt-5001'"}`, ``}, `"Lark" (bt-5001)`, ""},
		{"everything", files, [3]string{"bash", `{"command":"rm -rf /* /mnt/x"}`, `done x`}, "/srv/older.py", ""},
		{"folder with the name of an owner", [3]string{"list_repositories", `{}`, `{"repositories":[{"id":"acme/web","name":"web"}]}`}, [3]string{"delete_folder", `{"name":"acme"}`, `ok`}, "acme/web", ""},
		{"address of a message", [3]string{"list_users", `{}`, `{"users":[{"email":"ann@example.com","name":"Ann"}]}`}, [3]string{"delete_message", `{"message_id":"m-5001","email":"ann@example.com"}`, `ok`}, "ann@example.com", ""},
		{"title with a word of failure", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Deleted "Mission Impossible" (bt-5001).`}, "", "bt-5001"},
		{"no errors, in another language", boats, [3]string{"boot_loeschen", `{"nummer":"bt-5001"}`, `Gelöscht: 1, Fehler: 0`}, "", "bt-5001"},
		{"failure as a noun, in another language", boats, [3]string{"boot_loeschen", `{"nummer":"bt-5001"}`, `Löschen fehlgeschlagen`}, `"Lark" (bt-5001)`, ""},
		{"kept in the trash for a while", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Boat bt-5001 moved to trash. It will be purged after 30 days.`}, "", "bt-5001"},
		{"adjective like a verb", boats, [3]string{"empty_berths_search", `{"boat_id":"bt-5001"}`, `{"berths":[]}`}, `"Lark" (bt-5001)`, ""},
		{"bulk, what failed", boats, [3]string{"bulk_delete_boats", `{"boat_ids":["bt-5001","bt-5002"]}`, `{"deleted":["bt-5001"],"failed":[{"id":"bt-5002","reason":"locked"}]}`}, `"Wren" (bt-5002)`, "failed"},
		{"batch, in words", boats, [3]string{"batch_delete_boats", `{"boatIds":["bt-5001","bt-5002"]}`, "Batch delete completed.\nSuccessfully processed: 2 boats"}, "", "bt-500"},
		{"batch, counted in words", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `Deleted 2 boats`}, "", "bt-500"},
		{"batch, all of them", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `{"deleted":["bt-5001","bt-5002"]}`}, "", "bt-500"},
		{"batch, half of them", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `{"deleted":["bt-5001"]}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"batch, counted", boats, [3]string{"delete_many_boats", `{"where":{"id":{"in":["bt-5001","bt-5002"]}}}`, `{"count":2}`}, "", "bt-500"},
		{"counted none", boats, [3]string{"delete_many_boats", `{"where":{"id":{"in":["bt-5001","bt-5002"]}}}`, `{"count":0}`}, `"Lark" (bt-5001)`, ""},
		{"counted by a database", boats, [3]string{"delete_one", `{"collection":"boats","filter":{"_id":"bt-5001"}}`, `{"acknowledged":true,"deletedCount":1}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"counted none by a database", boats, [3]string{"delete_one", `{"collection":"boats","filter":{"_id":"bt-5001"}}`, `{"acknowledged":true,"deletedCount":0}`}, `"Lark" (bt-5001)`, ""},
		{"no rows", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `{"raw":[],"affected":0}`}, `"Lark" (bt-5001)`, ""},
		{"no row", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `{"rowCount":0,"rows":[]}`}, `"Lark" (bt-5001)`, ""},
		{"a zero", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `0`}, `"Lark" (bt-5001)`, ""},
		{"a false", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `false`}, `"Lark" (bt-5001)`, ""},
		{"a true", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `true`}, `"Wren"`, "bt-5001"},
		{"zero of Redis", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, `(integer) 0`}, `"Lark" (bt-5001)`, ""},
		{"found by an index", boats, [3]string{"delete_document", `{"index":"boats","id":"bt-5001"}`, `{"_index":"boats","_id":"bt-5001","_version":2,"result":"deleted","_shards":{"total":2,"successful":1,"failed":0}}`}, `"Wren"`, "bt-5001"},
		{"not found by an index", boats, [3]string{"delete_document", `{"index":"boats","id":"bt-5001"}`, `{"_index":"boats","_id":"bt-5001","_version":1,"result":"not_found","_shards":{"total":2,"successful":2,"failed":0}}`}, `"Lark" (bt-5001)`, ""},
		{"key of a table", boats, [3]string{"delete_item", `{"TableName":"boats","Key":{"id":{"S":"bt-5001"}}}`, `{}`}, `"Wren"`, "bt-5001"},
		{"items of a bulk request", boats, [3]string{"bulk_delete", `{"index":"boats","ids":["bt-5001","bt-5002"]}`, `{"took":3,"errors":true,"items":[{"delete":{"_id":"bt-5001","status":200,"result":"deleted"}},{"delete":{"_id":"bt-5002","status":404,"result":"not_found"}}]}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"results, each with its own outcome", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `{"results":[{"id":"bt-5001","ok":true},{"id":"bt-5002","error":"locked"}]}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"results, each with a status", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `[{"id":"bt-5001","status":204},{"id":"bt-5002","status":409}]`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"results, each a success or not", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `[{"id":"bt-5001","success":true,"errors":[]},{"id":"bt-5002","success":false,"errors":[{"statusCode":"DELETE_FAILED","message":"in use"}]}]`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"results, each a word", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `{"bt-5001":"deleted","bt-5002":"not found"}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"records that say so", boats, [3]string{"delete_records", `{"baseId":"app1","recordIds":["bt-5001","bt-5002"]}`, `{"records":[{"id":"bt-5001","deleted":true},{"id":"bt-5002","deleted":true}]}`}, "", "bt-500"},
		{"mutation that failed", boats, [3]string{"graphql", `{"query":"mutation($id: String!) { boatDelete(id: $id) { success } }","variables":{"id":"bt-5001"}}`, `{"data":{"boatDelete":{"success":false}}}`}, `"Lark" (bt-5001)`, ""},
		{"mutation that succeeded", boats, [3]string{"graphql", `{"query":"mutation($id: String!) { boatDelete(id: $id) { success } }","variables":{"id":"bt-5001"}}`, `{"data":{"boatDelete":{"success":true}}}`}, `"Wren"`, "bt-5001"},
		{"mutation with its id", boats, [3]string{"graphql", `{"query":"mutation { boatDelete(id: \"bt-5001\") { success } }"}`, `{"data":{"boatDelete":{"success":true}}}`}, `"Wren"`, "bt-5001"},
		{"mutation with errors of a user", boats, [3]string{"graphql", `{"query":"mutation($id: ID!) { boatDelete(input: {id: $id}) { deletedBoatId userErrors { message } } }","variables":{"id":"bt-5001"}}`, `{"data":{"boatDelete":{"deletedBoatId":null,"userErrors":[{"field":["id"],"message":"Boat is in use"}]}}}`}, `"Lark" (bt-5001)`, "in use"},
		{"mutation without errors of a user", boats, [3]string{"graphql", `{"query":"mutation($id: ID!) { boatDelete(input: {id: $id}) { deletedBoatId userErrors { message } } }","variables":{"id":"bt-5001"}}`, `{"data":{"boatDelete":{"deletedBoatId":"bt-5001","userErrors":[]}}}`}, `"Wren"`, "bt-5001"},
		{"mutation that returns null", boats, [3]string{"graphql", `{"query":"mutation($id: String!) { delete_boats_by_pk(id: $id) { id } }","variables":{"id":"bt-5001"}}`, `{"data":{"delete_boats_by_pk":null}}`}, `"Lark" (bt-5001)`, ""},
		{"mutation that returns false", boats, [3]string{"graphql", `{"query":"mutation($id: String!) { deleteBoat(id: $id) }","variables":{"id":"bt-5001"}}`, `{"data":{"deleteBoat":false}}`}, `"Lark" (bt-5001)`, ""},
		{"error without data", boats, [3]string{"graphql", `{"query":"mutation($id: String!) { deleteBoat(id: $id) }","variables":{"id":"bt-5001"}}`, `{"data":null,"errors":[{"message":"no"}]}`}, `"Lark" (bt-5001)`, ""},
		{"status of an error", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"error","message":"Harbour closed"}`}, `"Lark" (bt-5001)`, "Harbour"},
		{"status of a failure", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"kind":"Status","status":"Failure","reason":"NotFound","code":404}`}, `"Lark" (bt-5001)`, ""},
		{"status that failed", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"fail","data":{"boat_id":"bt-5001"}}`}, `"Lark" (bt-5001)`, ""},
		{"result that is an error", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"result":"error","description":"Harbour closed"}`}, `"Lark" (bt-5001)`, "Harbour"},
		{"problem details", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"type":"about:blank","title":"Conflict","status":409,"detail":"Boat bt-5001 is at sea","instance":"/boats/bt-5001"}`}, `"Lark" (bt-5001)`, "Conflict"},
		{"code of an error", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"code":403,"message":"Only the owner may do this"}`}, `"Lark" (bt-5001)`, "owner"},
		{"type of an error", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"type":"error","errorCode":"BOAT_LOCKED","requestId":"8f1"}`}, `"Lark" (bt-5001)`, "LOCKED"},
		{"success of a cluster", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"kind":"Status","status":"Success","details":{"name":"bt-5001","kind":"boats"}}`}, `"Wren"`, "bt-5001"},
		{"success with empty errors", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"result":{"id":"bt-5001"},"success":true,"errors":[],"messages":[]}`}, `"Wren"`, "bt-5001"},
		{"success with no error", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"error":null,"data":{"id":"bt-5001"}}`}, `"Wren"`, "bt-5001"},
		{"empty data", boats, [3]string{"delete_boat", `{"boat_gid":"bt-5001"}`, `{"data":{}}`}, `"Wren"`, "bt-5001"},
		{"empty body", boats, [3]string{"delete_boat", `{"boatKey":"bt-5001"}`, ``}, `"Wren"`, "bt-5001"},
		{"head of an answer", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, "HTTP/1.1 204 No Content\r\n\r\n"}, `"Wren"`, "bt-5001"},
		{"status without a body", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `204 No Content`}, `"Wren"`, "bt-5001"},
		{"error without a body", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `403 Forbidden`}, `"Lark" (bt-5001)`, ""},
		{"asked back", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Are you sure you want to delete "Lark" (bt-5001)? This cannot be undone.`}, `"Lark" (bt-5001)`, ""},
		{"cannot be undone", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Boat bt-5001 deleted. This action cannot be undone.`}, `"Wren"`, "bt-5001"},
		{"asks for a flag", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `This will permanently delete Lark. Call again with confirm=true to proceed.`}, `"Lark" (bt-5001)`, ""},
		{"asks for a token", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001","confirm":false}`, `{"preview":{"id":"bt-5001","name":"Lark"},"confirm_token":"cf-1"}`}, `"Lark" (bt-5001)`, ""},
		{"dry run in a result", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"dryRun":true,"wouldDelete":["bt-5001"]}`}, `"Lark" (bt-5001)`, ""},
		{"dry run in words", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `boat "bt-5001" deleted (server dry run)`}, `"Lark" (bt-5001)`, ""},
		{"job that is queued", boats, [3]string{"delete_boats", `{"ids":["bt-5001","bt-5002"]}`, `{"job_status":{"id":"8b72","status":"queued","progress":0}}`}, `"Lark" (bt-5001)`, ""},
		{"operation that runs", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"name":"operations/op-1","done":false,"metadata":{"verb":"delete"}}`}, `"Lark" (bt-5001)`, ""},
		{"goes away", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"Boat":{"BoatIdentifier":"bt-5001","BoatStatus":"deleting"}}`}, `"Wren"`, "bt-5001"},
		{"no permission, in words", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `You don't have permission to delete this boat.`}, `"Lark" (bt-5001)`, ""},
		{"protected", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Boat bt-5001 is protected and can't be deleted.`}, `"Lark" (bt-5001)`, ""},
		{"refused, politely", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Sorry, deleting boats is disabled in this harbour.`}, `"Lark" (bt-5001)`, ""},
		{"no match", boats, [3]string{"delete_boat", `{"name":"Larks"}`, `No boat matches "Larks"`}, `"Lark" (bt-5001)`, ""},
		{"already gone", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Boat bt-5001 was already deleted.`}, `"Wren"`, "bt-5001"},
		{"by name", boats, [3]string{"delete_boat", `{"name":"Lark"}`, `Successfully deleted boat: "Lark"`}, `"Wren"`, "Lark"},
		{"by a typed name", boats, [3]string{"delete_boat", `{"boat_name":"Lark"}`, `{"status":"success"}`}, `"Wren"`, "Lark"},
		{"by title", boats, [3]string{"delete_boat", `{"title":"Lark"}`, `deleted`}, `"Wren"`, "Lark"},
		{"by address", boats, [3]string{"delete_boat", `{"url":"https://app.example.com/boats/bt-5001"}`, `deleted`}, `"Wren"`, "bt-5001"},
		{"by address of another noun", boats, [3]string{"delete_resource", `{"url":"https://app.example.com/harbour/boats/bt-5001?tab=1"}`, `{"ok":true}`}, `"Wren"`, "bt-5001"},
		{"another noun, short id", [3]string{"list_boats", `{}`, `{"boats":[{"id":17,"name":"Lark"},{"id":18,"name":"Wren"}],"harbours":[{"id":17,"name":"Pool"}]}`}, [3]string{"delete_entry", `{"boat_id":17}`, `{"ok":true}`}, `"Pool" (17)`, "Lark"},
		{"own noun, short id", [3]string{"list_boats", `{}`, `{"boats":[{"id":17,"name":"Lark"},{"id":18,"name":"Wren"}],"harbours":[{"id":17,"name":"Pool"}]}`}, [3]string{"delete_boat", `{"id":17}`, `{"ok":true}`}, `"Pool" (17)`, "Lark"},
		{"to trash", boats, [3]string{"move_boat_to_trash", `{"boat_id":"bt-5001"}`, `{"id":"bt-5001"}`}, `"Wren"`, "bt-5001"},
		{"to the folder of what is deleted", boats, [3]string{"move_boat", `{"boat_id":"bt-5001","destination_folder":"Deleted Items"}`, `{"id":"bt-5001","name":"Lark"}`}, `"Wren"`, "bt-5001"},
		{"label of the trash", boats, [3]string{"modify_boat", `{"id":"bt-5001","addLabelIds":["TRASH"]}`, `{"id":"bt-5001","labelIds":["TRASH"]}`}, `"Wren"`, "bt-5001"},
		{"flag of the trash", boats, [3]string{"update_boat", `{"boatId":"bt-5001","trashed":true}`, `{"id":"bt-5001","name":"Lark","trashed":true}`}, `"Wren"`, "bt-5001"},
		{"flag of the trash, answered by two", boats, [3]string{"update_boat", `{"boat_id":"bt-5001","in_trash":true}`, `{"id":"bt-5001","name":"Lark","archived":true,"in_trash":true}`}, `"Wren"`, "bt-5001"},
		{"soft delete", boats, [3]string{"update_boat", `{"boat_id":"bt-5001","archived":true}`, `{"id":"bt-5001","archived":true}`}, `archived: Lark`, ""},
		{"part of a whole", boats, [3]string{"harbours_removeBoat", `{"harbourId":"hb-1","boatId":"bt-5001"}`, `{"id":"hb-1"}`}, `"Lark" (bt-5001)`, ""},
		{"parts of a whole", boats, [3]string{"remove_boats_from_harbour", `{"harbour_id":"hb-1","boat_ids":["bt-5001","bt-5002"]}`, `{"snapshot":"x1"}`}, `"Lark" (bt-5001)`, ""},
		{"link between two", boats, [3]string{"delete_harbour_boat", `{"harbour_id":"hb-1","boat_id":"bt-5001"}`, `{"ok":true}`}, "", ""},
		{"relation", boats, [3]string{"delete_boat_relation", `{"from_boat":"bt-5001","to_boat":"bt-5002","type":"tows"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"relations of a graph", boats, [3]string{"delete_relations", `{"relations":[{"from":"bt-5001","to":"bt-5002","relationType":"tows"}]}`, `Relations deleted successfully`}, `"Lark" (bt-5001)`, ""},
		{"part by its own id", boats, [3]string{"delete_boat_photo", `{"boat_id":"bt-5001","photo_id":"ph-1"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"part by its number", boats, [3]string{"delete_photo", `{"boat_id":"bt-5001","index":2}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"field", boats, [3]string{"delete_boat_tag", `{"boat_id":"bt-5001","tag":"fast"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"container of the thing", boats, [3]string{"delete_boat", `{"harbour":"bt-5002","boat_id":"bt-5001"}`, ``}, `"Wren" (bt-5002)`, "bt-5001"},
		{"restored", boats, [3]string{"restore_boat_from_trash", `{"boat_id":"bt-5001"}`, `{"id":"bt-5001"}`}, `"Lark" (bt-5001)`, ""},
		{"undo", boats, [3]string{"undelete_boat", `{"boat_id":"bt-5001"}`, ``}, `"Lark" (bt-5001)`, ""},
		{"counted parts", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"deleted":true,"removed_photos":0}`}, `"Wren"`, "bt-5001"},
		{"cascades nothing", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"id":"bt-5001","photos_count":0,"count":0,"deleted_at":"2026-01-02T03:04:05Z"}`}, `"Wren"`, "bt-5001"},
		{"answers with the record", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"id":"bt-5001","name":"Lark","status":"active"}`}, `"Wren"`, "bt-5001"},
		{"answers with what is left", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"boats":[{"id":"bt-5002","name":"Wren"}],"total":1}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"answers with nothing left", boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"boats":[],"total":0}`}, `"Wren" (bt-5002)`, "bt-5001"},
		{"row of a query", boats, [3]string{"execute_sql", `{"query":"DELETE FROM boats WHERE id = 'bt-5001'"}`, `DELETE 1`}, `"Wren"`, "bt-5001"},
		{"rows of a query by a foreign key", boats, [3]string{"execute_sql", `{"query":"DELETE FROM berths WHERE boat_id = 'bt-5001'"}`, `DELETE 3`}, `"Lark" (bt-5001)`, ""},
		{"rows of a query by a state", boats, [3]string{"execute_sql", `{"query":"delete from boats where status='sunk'"}`, `{"rowCount":2}`}, `"Lark" (bt-5001)`, ""},
		{"no row of a query", boats, [3]string{"execute_sql", `{"query":"DELETE FROM boats WHERE id = 'bt-5001'"}`, `DELETE 0`}, `"Lark" (bt-5001)`, ""},
		{"ids in one text", boats, [3]string{"delete_boats", `{"ids":"bt-5001,bt-5002"}`, `{"job_status":{"id":"8b72","status":"completed"}}`}, "", "bt-500"},
		{"ids in records", boats, [3]string{"archive_boats_batch", `{"inputs":[{"id":"bt-5001"},{"id":"bt-5002"}]}`, ``}, `archived: Lark`, ""},
		{"ids in records of a delete", boats, [3]string{"batch_delete", `{"items":[{"id":"bt-5001"},{"id":"bt-5002"}]}`, `{"ok":true}`}, "", "bt-500"},
		{"ids under their noun", boats, [3]string{"delete_items", `{"boats":["bt-5001","bt-5002"]}`, `{"success":true}`}, "", "bt-500"},
		{"operation of a tool for all", boats, [3]string{"manage_boat", `{"action":"delete","boatId":"bt-5001"}`, `{"success":true}`}, `"Wren"`, "bt-5001"},
		{"operation of a tool with a noun alone", boats, [3]string{"boats", `{"operation":"delete","id":"bt-5001"}`, `done`}, `"Wren"`, "bt-5001"},
		{"operation that does not delete", boats, [3]string{"manage_boat", `{"action":"update","boatId":"bt-5001"}`, `{"success":true}`}, `"Lark" (bt-5001)`, ""},
		{"in a container", boats, [3]string{"delete_event", `{"calendarId":"primary","eventId":"bt-5001"}`, ``}, `"Wren"`, "bt-5001"},
		{"resource name", [3]string{"list_boats", `{}`, `{"boats":[{"resourceName":"boats/c5001","name":"Lark"},{"resourceName":"boats/c5002","name":"Wren"}]}`}, [3]string{"delete_boat", `{"resourceName":"boats/c5001"}`, `{}`}, `"Wren"`, "c5001"},
		{"back by a flag", boats, [3]string{"update_boat", `{"boat_id":"bt-5001","archived":false}`, `{"id":"bt-5001","archived":false}`}, `"Lark" (bt-5001)`, "archived"},
		{"unassigned", boats, [3]string{"unassign_boat", `{"boat_id":"bt-5001","user_id":"us-1"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"user of a boat", boats, [3]string{"remove_boat_user", `{"boat_id":"bt-5001","user_id":"us-1"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"reaction to a thing", boats, [3]string{"remove_reaction", `{"boat_id":"bt-5001","name":"thumbsup"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"star of a thing", boats, [3]string{"remove_favorite", `{"boat_id":"bt-5001"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"lock of a thing", boats, [3]string{"delete_lock", `{"boat_id":"bt-5001"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"avatar of a thing", boats, [3]string{"delete_avatar", `{"boat_id":"bt-5001"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"observations on a thing", boats, [3]string{"delete_observations", `{"deletions":[{"entityName":"Lark","observations":["fast"]}]}`, `Observations deleted successfully`}, `"Lark" (bt-5001)`, ""},
		{"history of a thing", boats, [3]string{"clear_history", `{"boat_id":"bt-5001"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{"comments of a thing", boats, [3]string{"delete_all_comments", `{"boat_id":"bt-5001"}`, `{"deleted":3}`}, `"Lark" (bt-5001)`, ""},
		{"discarded changes of a thing", boats, [3]string{"discard_changes", `{"boat_id":"bt-5001"}`, `{"ok":true}`}, `"Lark" (bt-5001)`, ""},
		{`answered Permission bt-5001 deleted`, [3]string{"list_permissions", `{}`, `{"permissions":[{"id":"bt-5001","name":"Lark"},{"id":"bt-5002","name":"Wren"}]}`}, [3]string{"delete_permission", `{"permission_id":"bt-5001"}`, `Permission bt-5001 deleted`}, `"Wren"`, "bt-5001"},
		{`answered {"message":"Permission deleted"}`, [3]string{"list_permissions", `{}`, `{"permissions":[{"id":"bt-5001","name":"Lark"},{"id":"bt-5002","name":"Wren"}]}`}, [3]string{"delete_permission", `{"permission_id":"bt-5001"}`, `{"message":"Permission deleted"}`}, `"Wren"`, "bt-5001"},
		{`answered You do not have permission.`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `You do not have permission.`}, `"Lark" (bt-5001)`, ""},
		{`answered You do not have access to bt-5001.`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `You do not have access to bt-5001.`}, `"Lark" (bt-5001)`, ""},
		{`answered {"message":"Insufficient permissions"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"message":"Insufficient permissions"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"ok":true,"count":0}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"ok":true,"count":0}`}, `"Wren"`, "bt-5001"},
		{`answered {"ok":true,"n":0,"message":"deleted"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"ok":true,"n":0,"message":"deleted"}`}, `"Wren"`, "bt-5001"},
		{`answered {"n":0,"message":"Boat deleted"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"n":0,"message":"Boat deleted"}`}, `"Wren"`, "bt-5001"},
		{`answered {"n":0,"ok":1}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"n":0,"ok":1}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"success":true,"preview":"Cannot moor","id":"bt-5001"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"success":true,"preview":"Cannot moor","id":"bt-5001"}`}, `"Wren"`, "bt-5001"},
		{`answered {"preview":"true","id":"bt-5001"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"preview":"true","id":"bt-5001"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"success":true,"confirm_url":"https://example.com/c/1"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"success":true,"confirm_url":"https://example.com/c/1"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"status":"rejected"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"rejected"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"status":"Forbidden"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"Forbidden"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"status":"unauthorized"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"unauthorized"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"status":"invalid"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"invalid"}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"status":"timeout"}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"status":"timeout"}`}, `"Lark" (bt-5001)`, ""},
		{`answered Deleted. 0 errors, 0 skipped.`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Deleted. 0 errors, 0 skipped.`}, `"Wren"`, "bt-5001"},
		{`answered 0 errors, 1 deleted`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `0 errors, 1 deleted`}, `"Wren"`, "bt-5001"},
		{`answered Deleted 0, 1 error`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `Deleted 0, 1 error`}, `"Lark" (bt-5001)`, ""},
		{`answered {"success":true,"boat":{"id":"bt-5001","status":"failed"}}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"success":true,"boat":{"id":"bt-5001","status":"failed"}}`}, `"Wren"`, "bt-5001"},
		{`answered {"boat":{"id":"bt-5001","status":"failed"},"success":true}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"boat":{"id":"bt-5001","status":"failed"},"success":true}`}, `"Wren"`, "bt-5001"},
		{`answered {"boat":{"id":"bt-5001","status":"failed"}}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"boat":{"id":"bt-5001","status":"failed"}}`}, `"Lark" (bt-5001)`, ""},
		{`answered {"success":true,"errors":{}}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"success":true,"errors":{}}`}, `"Wren"`, "bt-5001"},
		{`answered {"success":true,"errors":{"boat":["is locked"]}}`, boats, [3]string{"delete_boat", `{"boat_id":"bt-5001"}`, `{"success":true,"errors":{"boat":["is locked"]}}`}, `"Lark" (bt-5001)`, ""},
		{"part of another id", [3]string{"list_boats", `{}`, `{"boats":[{"id":1,"name":"Lark"},{"id":11,"name":"Wren"}]}`}, [3]string{"delete_boats", `{"ids":[1,11]}`, `Deleted 1. Error for 11`}, `"Wren" (11)`, "Lark"},
		{"path that begins another", [3]string{"list_files", `{}`, `{"files":[{"path":"/srv/b c.txt"},{"path":"/srv/d.txt"}]}`}, [3]string{"delete_file", `{"path":"/srv/b c.txt"}`, `{"deleted":["/srv/b c.txt"],"failed":["/srv/b"]}`}, "/srv/d.txt", "b c.txt"},
		{"folder around", files, [3]string{"bash", `{"command":"cd /srv && rm -rf .."}`, ``}, "/srv/older.py", ""},
		{"root from within", files, [3]string{"bash", `{"command":"cd / && rm -rf ./*"}`, ``}, "/srv/older.py", ""},
		{"root by a tool", files, [3]string{"delete_directory", `{"path":"/"}`, `ok`}, "/srv/older.py", ""},
		{"body that begins as a head", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, "HTTP/1.1 200 OK\n1 deleted"}, `"Wren"`, "bt-5001"},
		{"refusal behind a status", boats, [3]string{"delete_boat", `{"id":"bt-5001"}`, "HTTP/1.1 200 OK\nNothing was deleted."}, `"Lark" (bt-5001)`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
			record(t, rec, test.known, test.call)
			assert.Contains(t, rec.Block(), test.want)
			if test.gone != "" {
				assert.NotContains(t, rec.Block(), test.gone)
			}
		})
	}
}

// TestRemovalInTexts: several texts tell how a call went as one does.
func TestRemovalInTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		texts   []string
		removed bool
	}{
		{[]string{"Are you sure you want to delete bt-5001?", "Reply yes"}, false},
		{[]string{"Dry run: would delete bt-5001", "Took 2 s"}, false},
		{[]string{"Nothing was deleted.", "Took 2 s"}, false},
		{[]string{"Took 2 s", "Boat bt-5001 could not be deleted"}, false},
		{[]string{"Boat bt-5001 was deleted.", "Took 2 s"}, true},
	} {
		t.Run(test.texts[0], func(t *testing.T) {
			t.Parallel()
			rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
			record(t, rec, [3]string{"get_boat", `{"boat_id":"bt-5001"}`, `{"id":"bt-5001","name":"Lark"}`})
			require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "delete_boat", Arguments: `{"id":"bt-5001"}`, Result: test.texts}))
			assert.Equal(t, test.removed, rec.Block() == "")
		})
	}
}

// TestIdentifiersOfWords: an identifier may look like words, which tell no more than its name.
func TestIdentifiersOfWords(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"berth 4", "old mooring", "Q1 plan", "team holidays", "quay wall east"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
			args := `{"berth_id":"` + id + `"}`
			record(t, rec, [3]string{"get_berth", args, `{"id":"` + id + `","depth":4}`})
			assert.Contains(t, rec.Block(), id)
			record(t, rec, [3]string{"delete_berth", args, `{"deleted":true}`})
			assert.Empty(t, rec.Block())
		})
	}
}

// TestEndedIsShownBehindWhatIsAlive: what was cancelled can still be spoken of until it is
// deleted, and what was deleted is shown again once it is back.
func TestEndedIsShownBehindWhatIsAlive(t *testing.T) {
	t.Parallel()
	list := [3]string{"list_bookings", `{}`, `{"bookings":[{"id":"bk-5001","name":"Lake house"},{"id":"bk-5002","name":"Tile house"}]}`}
	cancel := [3]string{"cancel_booking", `{"booking_id":"bk-5001"}`, `Booking bk-5001 has been cancelled free of charge.`}
	lake, tile := "bk-5001", `  - "Tile house" (bk-5002)`
	for _, test := range []struct {
		name  string
		calls [][3]string
		want  []string
	}{
		{"cancelled", [][3]string{list, cancel}, []string{tile, `  - "cancelled: Lake house" (` + lake + `)`}},
		{"listed again", [][3]string{list, cancel, list}, []string{tile, `  - "cancelled: Lake house" (` + lake + `)`}},
		{"reinstated", [][3]string{list, cancel, {"reinstate_booking", `{"booking_id":"bk-5001"}`, `ok`}}, []string{`  - "Lake house" (` + lake + `)`, tile}},
		{"said to be confirmed", [][3]string{list, cancel, {"get_booking", `{"booking_id":"bk-5001"}`, `{"id":"bk-5001","name":"Lake house","status":"confirmed"}`}}, []string{`  - "Lake house" (` + lake + `)`, tile}},
		{"deleted", [][3]string{list, cancel, {"delete_booking", `{"booking_id":"bk-5001"}`, ``}}, []string{tile}},
		{"deleted and back", [][3]string{list, {"trash_booking", `{"booking_id":"bk-5001"}`, `ok`}, {"untrash_booking", `{"booking_id":"bk-5001"}`, `ok`}}, []string{`  - "Lake house" (` + lake + `)`, tile}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rec := new(middleware.Recorder)
			record(t, rec, test.calls...)
			want := prompt.Title + "\nbookings:"
			for _, line := range test.want {
				want += "\n" + line
			}
			assert.Equal(t, want, rec.Block())
		})
	}
}
