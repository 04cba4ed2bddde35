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
		{"putWorkingMemory with nulls, without ids and times", func(c *caller, _ *store) {
			a := send(c, http.MethodPut, "/v1/working-memory/s?model_name=gpt-4o&context_window_max=8000&background=true",
				`{"session_id":"s","messages":[{"role":"user","content":"zebrafinch"},{"role":"assistant","content":"b","created_at":"2026-01-02T03:04:05.678Z"}],`+
					`"memories":[{"text":"zebrafinch sings","topics":null,"entities":null,"memory_type":"semantic","event_date":null}],`+
					`"data":{"step":null,"n":1},"context":null,"user_id":null,"ttl_seconds":null,"namespace":"`+c.ns+`"}`).ok()
			require.NotEmpty(c.t, a.header.Get("X-Deprecation-Warning"))
			require.Equal(c.t, "2026-01-02T03:04:05.678Z", a.text("messages", 1, "created_at"))
			require.Regexp(c.t, `^[0-9A-HJKMNP-TV-Z]{26}$`, a.text("memories", 0, "id"), "a ULID")
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
		{"searchLongTermMemory with what it always sends, and nulls", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch sings","session_id":"s"`)
			for filters, found := range map[string]int{
				`,"session_id":{"ne":"s"}`: 0, `,"topics":{},"created_at":{"between":["2020-01-01T00:00:00.000Z","2099-01-01T00:00:00.000Z"]}`: 1,
				`,"recency_boost":null,"recency_semantic_weight":null,"server_side_recency":null,"distance_threshold":1.5`: 1,
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
	}
}

// jsonOf returns part of an answer as JSON.
func jsonOf(c *caller, v any) string {
	c.t.Helper()
	text, err := json.Marshal(v)
	require.NoError(c.t, err)
	return string(text)
}
