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
