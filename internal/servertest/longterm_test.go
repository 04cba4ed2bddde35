package servertest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longtermChecks are of making, getting, deleting and forgetting memories.
func longtermChecks() []check {
	return []check{
		{"create answers ok", func(c *caller, _ *store) {
			a := c.post("/v1/long-term-memory/", `{"memories":[{"id":"m","text":"zebrafinch","namespace":"`+c.ns+`"}],"deduplicate":true}`).ok()
			assert.JSONEq(c.t, `{"status":"ok"}`, string(a.raw))
			a = c.get("/v1/long-term-memory/m?namespace=" + c.ns).ok()
			assert.Equal(c.t, []any{"zebrafinch", "semantic", c.ns, nil, nil}, []any{a.at("text"), a.at("memory_type"), a.at("namespace"), a.at("user_id"), a.at("session_id")})
			assert.Equal(c.t, []any{[]any{}, []any{}, false}, []any{a.at("topics"), a.at("entities"), a.at("pinned")})
		}},
		{"without a model, what tools returned becomes memories", func(c *caller, _ *store) {
			c.post(c.of("s", "tool-calls"), `{"name":"get_order","arguments":{},"result":{"id":"W123","name":"zebrafinch seeds"}}`).ok()
			c.eventually(func() bool { return c.search(`,"text":"zebrafinch W123"`).ok().int("total") == 1 })
		}},
		{"create wants an id", func(c *caller, _ *store) {
			c.post("/v1/long-term-memory/", `{"memories":[{"text":"zebrafinch"}]}`).invalid()
			c.post("/v1/long-term-memory/", `{"memories":[{"id":null,"text":"zebrafinch"}]}`).invalid()
			c.post("/v1/long-term-memory/", `{"memories":[{"id":"m"}]}`).invalid()
			c.post("/v1/long-term-memory/", `{}`).invalid("body", "memories")
		}},
		{"a client's persisted_at is ignored, its other times are kept", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch","persisted_at":"2020-01-01T00:00:00Z","created_at":"2021-01-01T00:00:00Z",
				"last_accessed":"2022-01-01T00:00:00Z","event_date":"2019-01-01T00:00:00Z","memory_type":"episodic"`)
			a := c.get("/v1/long-term-memory/m?namespace=" + c.ns).ok()
			assert.NotEqual(c.t, "2020-01-01T00:00:00Z", a.text("persisted_at"))
			assert.Equal(c.t, []any{"2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z", "2019-01-01T00:00:00Z"},
				[]any{a.at("created_at"), a.at("last_accessed"), a.at("event_date")})
		}},
		{"deduplicate false keeps the same text twice", func(c *caller, _ *store) {
			record := func(id string) string {
				return fmt.Sprintf(`{"memories":[{"id":%q,"text":"zebrafinch","namespace":%q}],"deduplicate":false}`, id, c.ns)
			}
			c.post("/v1/long-term-memory/", record("a")).ok()
			c.post("/v1/long-term-memory/", record("b")).ok()
			require.Equal(c.t, 2, c.search(``).ok().int("total"))
		}},
		{"a missing memory → 404", func(c *caller, _ *store) {
			c.get("/v1/long-term-memory/none").fails(http.StatusNotFound, "Memory with ID none not found")
			c.send(http.MethodPatch, "/v1/long-term-memory/none", `{"text":"zebrafinch"}`).fails(http.StatusNotFound, "Memory with ID none not found")
		}},
		{"DELETE counts what was really deleted", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch a"`, `"id":"b","text":"zebrafinch b"`, `"id":"c","text":"zebrafinch c"`)
			deleted := func(query string) string {
				return c.delete("/v1/long-term-memory?" + query + "&namespace=" + c.ns).ok().text("status")
			}
			assert.Equal(c.t, "ok, deleted 2 memories", deleted("memory_ids=a&memory_ids=b"))
			assert.Equal(c.t, "ok, deleted 1 memories", deleted("memory_ids=a&memory_ids=c&memory_ids=c&memory_ids=none"))
			assert.Equal(c.t, "ok, deleted 0 memories", deleted("memory_ids=a"))
			assert.Equal(c.t, "ok, deleted 0 memories", deleted("x=y"))
		}},
		{"forget is a dry run by default", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch a"`, `"id":"b","text":"zebrafinch b"`, `"id":"c","text":"zebrafinch c","pinned":true`)
			forget := func(query string) *answer {
				return c.post("/v1/long-term-memory/forget?namespace="+c.ns+query, `{"policy":{"budget":0},"pinned_ids":["b"]}`).ok()
			}
			for _, query := range []string{"", "&dry_run=true"} {
				a := forget(query)
				assert.JSONEq(c.t, `{"scanned":3,"deleted":1,"deleted_ids":["a"],"dry_run":true}`, string(a.raw))
				require.Equal(c.t, 3, c.search(``).ok().int("total"))
			}
			a := forget("&dry_run=false")
			assert.Equal(c.t, []any{false, []any{"a"}}, []any{a.at("dry_run"), a.at("deleted_ids")})
			require.ElementsMatch(c.t, []string{"b", "c"}, c.search(``).ok().all("id", "memories"))
		}},
		{"forget by age, inactivity and type", func(c *caller, _ *store) {
			const old, now = `"created_at":"2020-01-01T00:00:00Z","last_accessed":"2020-01-01T00:00:00Z"`, `"id":"new","text":"zebrafinch new"`
			c.remember(`"id":"s","text":"zebrafinch s",`+old, `"id":"e","text":"zebrafinch e","memory_type":"episodic",`+old, now)
			would := func(policy string) []any {
				return c.post("/v1/long-term-memory/forget?namespace="+c.ns, `{"policy":{`+policy+`}}`).ok().list("deleted_ids")
			}
			assert.ElementsMatch(c.t, []any{"s", "e"}, would(`"max_age_days":30`))
			assert.ElementsMatch(c.t, []any{"s", "e"}, would(`"max_inactive_days":"30"`))
			assert.ElementsMatch(c.t, []any{"e"}, would(`"max_age_days":30,"memory_type_allowlist":["episodic"]`))
			assert.Empty(c.t, would(`"max_age_days":30000`))
			assert.Empty(c.t, would(`"max_age_days":null,"budget":null`))
			c.post("/v1/long-term-memory/forget", `{}`).invalid("body", "policy")
		}},
		{"by age and inactivity together: both, or far too old", func(c *caller, _ *store) {
			at := func(days int) string { return time.Now().AddDate(0, 0, -days).UTC().Format(time.RFC3339) }
			record := func(id string, age, unused int) string {
				return fmt.Sprintf(`"id":%q,"text":"zebrafinch %[1]s","created_at":%q,"last_accessed":%q`, id, at(age), at(unused))
			}
			c.remember(record("new", 1, 1), record("used", 50, 1), record("unused", 50, 40), record("ancient", 500, 1))
			for more, ids := range map[string][]any{
				``: {"unused", "ancient"}, `,"hard_age_multiplier":"20"`: {"unused"}, `,"hard_age_multiplier":1.5`: {"used", "unused", "ancient"},
			} {
				a := c.post("/v1/long-term-memory/forget?namespace="+c.ns, `{"policy":{"max_age_days":30,"max_inactive_days":30`+more+`}}`).ok()
				assert.ElementsMatch(c.t, ids, a.list("deleted_ids"), more)
			}
			c.post("/v1/long-term-memory/forget", `{"policy":{"hard_age_multiplier":0.5}}`).invalid("body", "policy", "hard_age_multiplier")
		}},
		{"forget keeps to its filters and limit", func(c *caller, _ *store) {
			other := call(c.t, c.p)
			c.remember(`"id":"a","text":"zebrafinch a","user_id":"u"`, `"id":"b","text":"zebrafinch b","session_id":"s"`)
			other.remember(`"id":"x","text":"zebrafinch x"`)
			for query, ids := range map[string][]any{"&user_id=u": {"a"}, "&session_id=s": {"b"}, "": {"a", "b"}} {
				a := c.post("/v1/long-term-memory/forget?namespace="+c.ns+query, `{"policy":{"budget":0}}`).ok()
				assert.ElementsMatch(c.t, ids, a.list("deleted_ids"), query)
			}
			assert.Equal(c.t, 1, c.post("/v1/long-term-memory/forget?namespace="+c.ns+"&limit=1", `{"policy":{"budget":0}}`).ok().int("scanned"))
		}},
		{"compact says what remains", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch a"`, `"id":"b","text":"zebrafinch b"`)
			a := c.post("/v1/long-term-memory/compact?namespace="+c.ns, ``).ok()
			assert.Equal(c.t, "ok, 2 memories remaining after compaction", a.text("status"))
		}},
	}
}

// recordChecks are of changing memories.
func recordChecks() []check {
	patch := func(c *caller, id, body string) *answer {
		return c.send(http.MethodPatch, "/v1/long-term-memory/"+id+"?namespace="+c.ns, body)
	}
	return []check{
		{"PATCH changes what it has and answers the record", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch","topics":["a","b"],"entities":["x"]`)
			a := patch(c, "m", `{"text":"zebrafinch again","topics":[],"memory_type":"episodic","pinned":"true","event_date":"2025-01-01T00:00:00Z","session_id":"s","id":"other","mood":1}`).ok()
			assert.Equal(c.t, []any{"m", "zebrafinch again", []any{}, []any{"x"}, "episodic", true, "2025-01-01T00:00:00Z", "s"}, []any{
				a.at("id"), a.at("text"), a.at("topics"), a.at("entities"), a.at("memory_type"), a.at("pinned"), a.at("event_date"), a.at("session_id"),
			})
			assert.Equal(c.t, a.raw, c.get("/v1/long-term-memory/m?namespace="+c.ns).ok().raw)
			assert.Equal(c.t, 1, c.search(`,"text":"again","search_mode":"keyword"`).ok().int("total"))
		}},
		{"nothing to set → 400", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch"`)
			for _, id := range []string{"m", "none"} {
				for _, body := range []string{`{}`, `{"text":null}`, `{"mood":"good"}`} {
					patch(c, id, body).fails(http.StatusBadRequest, "No fields provided for update")
				}
			}
		}},
		{"PATCH refuses what no record may have", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch"`)
			for _, body := range []string{`{"topics":["a,b"]}`, `{"memory_type":"procedural"}`, `{"text":7}`, `{"event_date":"soon"}`} {
				patch(c, "m", body).invalid()
			}
			assert.Equal(c.t, "zebrafinch", c.get("/v1/long-term-memory/m?namespace="+c.ns).ok().text("text"))
		}},
		{"memories do not change owners", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch"`)
			patch(c, "m", `{"namespace":"elsewhere"}`).fails(http.StatusBadRequest, "Memories cannot change owners")
			patch(c, "m", fmt.Sprintf(`{"namespace":%q,"pinned":true}`, c.ns)).ok()
		}},
		{"an id that means two records means none", func(c *caller, _ *store) {
			id := "twice-" + c.ns
			c.remember(`"id":"`+id+`","text":"zebrafinch 1","user_id":"u1"`, `"id":"`+id+`","text":"zebrafinch 2","user_id":"u2"`)
			for _, query := range []string{"", "?namespace=" + c.ns} {
				c.get("/v1/long-term-memory/" + id + query).is(404)
				c.send(http.MethodPatch, "/v1/long-term-memory/"+id+query, `{"pinned":true}`).is(404)
			}
			deleted := c.delete("/v1/long-term-memory?memory_ids=" + id).ok()
			assert.Equal(c.t, "ok, deleted 0 memories", deleted.text("status"))
			user := "?namespace=" + c.ns + "&user_id=u1"
			assert.Equal(c.t, "zebrafinch 1", c.get("/v1/long-term-memory/"+id+user).ok().text("text"))
			c.send(http.MethodPatch, "/v1/long-term-memory/"+id+user, `{"text":"zebrafinch one"}`).ok()
			c.delete("/v1/long-term-memory" + user + "&memory_ids=" + id).ok()
			assert.Equal(c.t, "zebrafinch 2", c.get("/v1/long-term-memory/"+id).ok().text("text"), "now it means one")
		}},
		{"disabled → 400 `Long-term memory is disabled`", func(c *caller, s *store) {
			if s.without == nil {
				return // asked of one store: the answer has nothing to do with it
			}
			d := call(c.t, s.without)
			const disabled = "Long-term memory is disabled"
			d.post("/v1/long-term-memory/", `{"memories":[{"id":"m","text":"zebrafinch"}]}`).fails(400, disabled)
			d.post("/v1/long-term-memory/search", `{"text":"x"}`).fails(400, disabled)
			d.get("/v1/long-term-memory/m").fails(400, disabled)
			d.send(http.MethodPatch, "/v1/long-term-memory/m", `{"text":"zebrafinch"}`).fails(400, disabled)
			d.delete("/v1/long-term-memory?memory_ids=m").fails(400, disabled)
			d.post("/v1/long-term-memory/forget", `{"policy":{}}`).fails(400, disabled)
			d.post("/v1/long-term-memory/compact", ``).fails(400, disabled)
			d.put(d.wm("s"), `{"messages":`+talk(1)+`,"memories":[{"id":"m","text":"zebrafinch"}]}`).ok()
			d.post("/v1/memory/prompt", `{"query":"q","session":{"session_id":"s","namespace":"`+d.ns+`"}}`).ok()
			d.post("/v1/memory/prompt", `{"query":"q","long_term_search":true}`).fails(400, disabled)
		}},
		{"ids up to 1 KB", func(c *caller, _ *store) {
			id := strings.Repeat("i", 1024)
			c.put(c.wm(id), `{"messages":[{"role":"user","content":"zebrafinch","id":"`+id+`"}]}`).ok()
			require.Equal(c.t, id, c.get(c.wm(id)).ok().text("session_id"))
			c.remember(`"id":"` + id + `","text":"zebrafinch"`)
			c.get("/v1/long-term-memory/" + id + "?namespace=" + c.ns).ok()
			c.put(c.wm(id+"i"), `{}`).is(422)
			c.put(c.wm("s"), `{"messages":[{"role":"user","content":"zebrafinch","id":"`+id+`i"}]}`).invalid()
			c.post("/v1/long-term-memory/", `{"memories":[{"id":"`+id+`i","text":"zebrafinch"}]}`).invalid()
		}},
	}
}
