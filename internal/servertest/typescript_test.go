package servertest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typescriptChecks replay the requests of the official TypeScript client.
func typescriptChecks() []check {
	// Every request has a JSON Content-Type, even without a body.
	send := func(c *caller, method, path, body string) *answer {
		return c.send(method, path, body, "User-Agent", "agent-memory-client-js/0.3.2", "X-Client-Version", "0.3.2",
			"Content-Type", "application/json", "X-API-Key", "passed-over")
	}
	return []check{
		{"getOrCreateWorkingMemory through null", func(c *caller, _ *store) {
			send(c, http.MethodGet, c.wm("s", "user_id=u"), "").is(http.StatusNotFound)
			a := send(c, http.MethodPut, "/v1/working-memory/s", `{"session_id":"s","namespace":"`+c.ns+`","user_id":"u","messages":[],"memories":[],`+
				`"ttl_seconds":3600,"long_term_memory_strategy":{"strategy":"discrete","config":{}}}`).ok()
			require.Equal(c.t, []any{"s", c.ns, "u"}, []any{a.at("session_id"), a.at("namespace"), a.at("user_id")})
			send(c, http.MethodGet, c.wm("s", "user_id=u"), "").ok()
		}},
		{"putWorkingMemory with nulls, without ids and times", func(c *caller, _ *store) {
			a := send(c, http.MethodPut, "/v1/working-memory/s?model_name=gpt-4o&context_window_max=8000&background=true",
				`{"session_id":"s","messages":[{"role":"user","content":"zebrafinch"},{"role":"assistant","content":"b","created_at":"2026-01-02T03:04:05.678Z"}],`+
					`"memories":[{"text":"zebrafinch sings","topics":null,"entities":null,"memory_type":"semantic","event_date":null}],`+
					`"data":{"step":null,"n":1},"context":null,"user_id":null,"ttl_seconds":null,"namespace":"`+c.ns+`"}`).ok()
			require.NotEmpty(c.t, a.header.Get("X-Deprecation-Warning"))
			require.Equal(c.t, "2026-01-02T03:04:05.678Z", a.text("messages", 1, "created_at"))
			require.Regexp(c.t, ulid, a.text("memories", 0, "id"))
		}},
		{"data with nulls, which the Python client cannot read", func(c *caller, _ *store) {
			a := send(c, http.MethodPut, "/v1/working-memory/s", `{"session_id":"s","data":{"step":null,"n":0,"deep":{"x":null},"list":[null]},"namespace":"`+c.ns+`"}`).ok()
			require.JSONEq(c.t, `{"n":0,"deep":{"x":null},"list":[null]}`, jsonOf(c, a.at("data")))
			require.Equal(c.t, a.raw, c.get(c.wm("s")).ok().raw)
		}},
		{"a strategy that is only settings, or nothing", func(c *caller, _ *store) {
			for strategy, config := range map[string]string{`{}`: `{}`, `{"config":{"x":1}}`: `{"x":1}`, `{"strategy":null,"config":null}`: `{}`, `{"strategy":"summary"}`: `{}`} {
				a := send(c, http.MethodPut, "/v1/working-memory/s", `{"session_id":"s","namespace":"`+c.ns+`","long_term_memory_strategy":`+strategy+`}`).ok()
				want := "discrete"
				if strings.Contains(strategy, "summary") {
					want = "summary"
				}
				require.Equal(c.t, want, a.text("long_term_memory_strategy", "strategy"), strategy)
				require.JSONEq(c.t, config, jsonOf(c, a.at("long_term_memory_strategy", "config")))
			}
		}},
		{"GET and DELETE that say they have JSON and have none", func(c *caller, _ *store) {
			c.put(c.wm("a%2Fb"), `{}`).ok()
			send(c, http.MethodGet, c.wm("a%2Fb"), "").ok()
			send(c, http.MethodGet, "/v1/health", "").ok()
			send(c, http.MethodGet, "/v1/working-memory/?namespace="+c.ns+"&limit=5&offset=0", "").ok()
			require.Equal(c.t, "ok", send(c, http.MethodDelete, c.wm("a%2Fb"), "").ok().text("status"))
			send(c, http.MethodDelete, "/v1/long-term-memory?memory_ids=a&memory_ids=b&namespace="+c.ns, "").ok()
		}},
		{"createLongTermMemory: the query's namespace serves where records have none", func(c *caller, _ *store) {
			send(c, http.MethodPost, "/v1/long-term-memory/?namespace="+c.ns, `{"memories":[{"id":"m","text":"zebrafinch"},{"id":"n","text":"zebrafinch two","namespace":"`+c.ns+`-own"}]}`).ok()
			assert.Equal(c.t, []string{"m"}, c.search(``).ok().all("id", "memories"))
			a := send(c, http.MethodGet, "/v1/long-term-memory/m?namespace="+c.ns, "").ok()
			assert.Equal(c.t, c.ns, a.text("namespace"))
			send(c, http.MethodGet, "/v1/long-term-memory/n?namespace="+c.ns, "").is(http.StatusNotFound)
			deleted := send(c, http.MethodDelete, "/v1/long-term-memory?memory_ids=m&namespace="+c.ns, "").ok()
			assert.Equal(c.t, "ok, deleted 1 memories", deleted.text("status"))
		}},
		{"searchLongTermMemory with what it always sends, and nulls", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch sings","session_id":"s"`)
			for filters, found := range map[string]int{
				``: 1, `,"session_id":{"startswith":"s"}`: 1, `,"session_id":{"ne":"s"}`: 0, `,"topics":{}`: 1,
				`,"event_date":{"gte":"2024-01-01"}`: 0, `,"created_at":{"between":["2020-01-01T00:00:00.000Z","2099-01-01T00:00:00.000Z"]}`: 1,
				`,"recency_boost":null,"recency_semantic_weight":null,"server_side_recency":null`: 1, `,"distance_threshold":1.5`: 1,
			} {
				a := send(c, http.MethodPost, "/v1/long-term-memory/search", `{"text":"sings","search_mode":"semantic","hybrid_alpha":0.7,"text_scorer":"BM25STD","namespace":{"eq":"`+c.ns+`"}`+filters+`}`).ok()
				assert.Equal(c.t, found, a.int("total"), filters)
			}
		}},
		{"editLongTermMemory may send a whole record back", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch"`)
			record := send(c, http.MethodGet, "/v1/long-term-memory/m?namespace="+c.ns, "").ok()
			a := send(c, http.MethodPatch, "/v1/long-term-memory/m?namespace="+c.ns, string(record.raw)).ok()
			assert.Equal(c.t, "zebrafinch", a.text("text"))
		}},
		{"forgetLongTermMemories by what is given", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch","created_at":"2020-01-01T00:00:00Z"`)
			path := "/v1/long-term-memory/forget?namespace=" + c.ns
			send(c, http.MethodPost, path+"&dry_run=true", `{"policy":{"max_age_days":1,"budget":null},"pinned_ids":[]}`).ok()
			a := send(c, http.MethodPost, path+"&dry_run=false", `{"policy":{"max_age_days":1}}`).ok()
			assert.Equal(c.t, 1, a.int("deleted"))
			send(c, http.MethodGet, "/v1/long-term-memory/m?namespace="+c.ns, "").is(http.StatusNotFound)
		}},
		{"memoryPrompt with null, a boolean or an object", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok()
			for _, search := range []string{`null`, `false`, `true`, `{}`, `{"text":"x","session_id":{"ne":"s"}}`} {
				send(c, http.MethodPost, "/v1/memory/prompt", `{"query":"q","session":{"session_id":"s","namespace":"`+c.ns+`","user_id":null},"long_term_search":`+search+`}`).ok()
			}
			send(c, http.MethodPost, "/v1/memory/prompt", `{"query":"q","session":null,"long_term_search":true}`).ok()
		}},
		{"what is not served answers 404 with a detail", func(c *caller, _ *store) {
			for _, path := range []string{"/v1/summary-views", "/v1/summary-views/x", "/v1/tasks/x"} {
				send(c, http.MethodGet, path, "").is(http.StatusNotFound)
			}
			send(c, http.MethodPost, "/v1/summary-views", `{"source":"long_term","group_by":["user_id"]}`).is(http.StatusNotFound)
		}},
	}
}

// jsonOf returns part of an answer as JSON.
func jsonOf(c *caller, v any) string {
	c.t.Helper()
	text, err := json.Marshal(v)
	require.NoError(c.t, err)
	return string(text)
}
