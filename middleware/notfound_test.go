package middleware_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// TestNothingFound: an id that a call guessed and that the result does not find is no thing, nor is
// the report of the failure.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		``, `null`, `[]`, `{}`, `{"data":null}`, `{"boat":null}`, `{"data":[]}`, `{"boats":[],"total":0}`, `{"Items":[],"Count":0}`,
		`Boat bt-9999 not found`, `No boat with id bt-9999`, `Error: boat bt-9999 does not exist.`, `404`, `404 Not Found`, `Not Found`, `false`, `HTTP/1.1 404 Not Found`,
		`Could not find boat bt-9999.`, `There is no boat bt-9999.`, `No results for "bt-9999".`, `Unknown boat: bt-9999`, `Invalid boat id 'bt-9999'`,
		`No open boats with bt-9999.`, `No vessel has the id bt-9999.`, `Nothing found for bt-9999`, `Error Code 404 for bt-9999`, `Invalid Request: bt-9999`, `Error EACCES bt-9999`, `Unknown Error (bt-9999)`, `error reading boat bt-9999`,
		`{"error":"boat bt-9999 not found"}`, `{"error":{"code":404,"message":"bt-9999"}}`, `{"message":"Not Found","documentation_url":"https://docs.example.com/rest/boats#get-a-boat","status":"404"}`,
		`{"detail":"Not found."}`, `{"detail":"No Boat matches the given query."}`, `{"found":false,"id":"bt-9999"}`, `{"_index":"boats","_id":"bt-9999","found":false}`, `{"exists":false,"id":"bt-9999"}`,
		`{"status":"not_found","id":"bt-9999"}`, `{"success":false,"id":"bt-9999","message":"Unknown"}`, `{"status":404,"id":"bt-9999"}`, `{"id":"bt-9999","error":"not_found"}`,
		`{"type":"about:blank","title":"Not Found","status":404,"detail":"No boat bt-9999","instance":"/boats/bt-9999"}`,
		`{"code":"resource_missing","doc_url":"https://docs.example.com/error-codes/resource-missing","message":"No such boat: 'bt-9999'","param":"id"}`,
		`{"errors":[{"message":"Entity not found: Boat","path":["boat"],"extensions":{"code":"NOT_FOUND","id":"bt-9999"}}],"data":null}`, `{"boat":null,"message":"nothing here"}`,
		`{"__type":"ResourceNotFoundException","message":"Boat bt-9999 not found"}`, `{"name":"NotFoundError","message":"bt-9999"}`,
		`{"ok":false,"error":"boat_not_found"}`, `{"isError":true,"content":[{"type":"text","text":"bt-9999 is unknown"}]}`, `{"kind":"Status","status":"Failure","message":"boats \"bt-9999\" not found","reason":"NotFound","details":{"name":"bt-9999","kind":"boats"},"code":404}`,
		`{"statusCode":404,"message":"Cannot find boat","error":"Not Found"}`, `{"timestamp":"2026-01-02T03:04:05.000+00:00","status":404,"error":"Not Found","path":"/boats/bt-9999"}`, `{"errorMessages":["Boat does not exist or you do not have permission to see it."],"errors":{}}`,
		`{"Error":{"Code":"NoSuchBoat","Message":"The boat does not exist","BoatId":"bt-9999"}}`, `<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message><Key>bt-9999</Key><RequestId>8F1A</RequestId></Error>`,
	} {
		t.Run(result, func(t *testing.T) {
			t.Parallel()
			rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
			record(t, rec, [3]string{"get_boat", `{"boat_id":"bt-9999"}`, result})
			assert.Empty(t, rec.Block())
		})
	}
}

// TestTroubleIsFound: a thing that is in trouble, or whose words read like an error, is there.
func TestTroubleIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ tool, result, want string }{
		{"get_tide", `{"id":"td-12","status":"failed","error":"pump stalled","gauge_id":"ga-4"}`, "td-12"},
		{"get_survey", `{"id":"sv-12","status":"error","url":"https://sv-12.example.com"}`, "sv-12"},
		{"get_chore", `{"id":"ch-12","success":false,"berth_id":"be-9"}`, "ch-12"},
		{"get_chore", `{"success":false,"error":"rope not found","id":"ch-12","steps":[{"at":"2026-01-02"}]}`, "ch-12"},
		{"get_error", `{"error":{"id":"er-12","count":4,"level":"high"}}`, "er-12"},
		{"get_fault", `{"fault":{"id":"fa-12","code":"P0420"}}`, "fa-12"},
		{"get_engine", `{"id":"en-12","error":"none"}`, "en-12"},
		{"get_engine", `{"id":"en-12","fail":"none"}`, "en-12"},
		{"get_engine", `{"id":"en-12","error_code":"OK"}`, "en-12"},
		{"get_engine", `{"error":{},"id":"en-12"}`, "en-12"},
		{"get_engine", `{"errors":[],"id":"en-12"}`, "en-12"},
		{"get_letter", `{"id":"le-12","message":"I could not moor, access denied","assignee_id":"us-9"}`, "le-12"},
		{"get_letter", `{"message":"Error at the lock","id":"le-12"}`, "le-12"},
		{"get_refund", `{"code":"invalid_berth_used","id":"rf-12"}`, "rf-12"},
		{"get_film", `No Harbour for Old Boats (film fi-12), 2007`, "fi-12"},
		{"get_film", `Fatal Crossing (film fi-12), 1987`, "fi-12"},
		{"get_album", `Unknown Tides, album al-12`, "al-12"},
		{"get_page", `{"content":"Error handling at sea. Page pg-12, by Ann"}`, "pg-12"},
		{"create_survey", `{"id":"sv-12","status":"error","url":"https://sv-12.example.com"}`, "sv-12"},
	} {
		_, noun, _ := strings.Cut(test.tool, "_")
		id := test.want
		for _, args := range []string{`{}`, `{"id":"` + id + `"}`, `{"` + noun + `_id":"` + id + `"}`} {
			t.Run(test.result+args, func(t *testing.T) {
				t.Parallel()
				rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
				record(t, rec, [3]string{test.tool, args, test.result})
				assert.Contains(t, rec.Block(), id)
			})
		}
	}
}

// TestSeveralFilesRead: of several files those are there that could be read, whatever is written in
// another one.
func TestSeveralFilesRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, result, want, gone string }{
		{"mentioned in another", "/srv/b.txt:\ntides\n/srv/c.txt was not found in the index\n\n---\n/srv/c.txt:\nwind", "/srv/c.txt", ""},
		{"cannot be read", "/srv/b.txt:\ntides\n\n---\n/srv/c.txt: Error - ENOENT: no such file or directory", "/srv/b.txt", "/srv/c.txt"},
		{"refusal in the contents", "/srv/b.txt:\nYou cannot moor here.\n\n---\n/srv/c.txt:\nwind", "/srv/b.txt", ""},
		{"in items", `{"content":[{"type":"text","text":"/srv/b.txt:\ntides, and /srv/c.txt is not found"},{"type":"text","text":"/srv/c.txt:\nwind"}]}`, "/srv/c.txt", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
			record(t, rec, [3]string{"read_multiple_files", `{"paths":["/srv/b.txt","/srv/c.txt"]}`, test.result})
			assert.Contains(t, rec.Block(), "("+test.want+")")
			if test.gone != "" {
				assert.NotContains(t, rec.Block(), "("+test.gone+")")
			}
		})
	}
}
