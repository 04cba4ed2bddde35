package servertest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decisionChecks are of what other documents leave open.
func decisionChecks() []check {
	return []check{
		{"malformed or empty JSON → 422", func(c *caller, _ *store) {
			bodies := []string{``, ` `, `{`, `{"messages":[}`, `[]`, `"x"`, `null`, `7`, `{"messages":{}}`, `{"data":{"a":1,}}`, "{\"context\":\"zebrafinch \xff\"}", `{} {}`}
			for _, body := range bodies {
				for _, a := range []*answer{
					c.put(c.wm("s"), body), c.post(c.of("s", "messages"), body), c.post(c.of("s", "tool-calls"), body),
					c.post("/v1/long-term-memory/", body), c.post("/v1/memory/prompt", body),
					c.send(http.MethodPatch, "/v1/long-term-memory/m", body),
				} {
					if a.status == 400 && strings.HasPrefix(a.path, "/v1/long-term-memory/m") {
						continue // {} has nothing to set
					}
					a.is(422)
				}
			}
			c.get(c.wm("s")).is(404)
			a := c.put(c.wm("s"), `{"messages":[`)
			assert.Equal(c.t, "json_invalid", a.text("detail", 0, "type"))
			a = c.put(c.wm("s"), ``)
			assert.Equal(c.t, "missing", a.text("detail", 0, "type"))
		}},
		{"messages of 200 kB are fine", func(c *caller, _ *store) {
			long := strings.Repeat("zebrafinch ", 20_000)
			c.put(c.wm("s", "context_window_max=1000000"), `{"messages":[{"role":"user","content":"`+long+`","id":"m","created_at":"2026-01-02T12:00:00Z"}]}`).ok()
			require.Equal(c.t, long, c.get(c.wm("s")).ok().text("messages", 0, "content"))
		}},
		{"bodies over 32 MiB → 413", func(c *caller, _ *store) {
			a, err := c.try(http.MethodPut, c.wm("s"), `{"context":"`+strings.Repeat("z", 33<<20)+`"}`)
			if err == nil { // the server may close the connection before the body is through
				a.is(http.StatusRequestEntityTooLarge)
			}
			c.get(c.wm("s")).is(404)
		}},
		{"nesting deeper than 1,000 → 422", func(c *caller, _ *store) {
			nested := func(depth int) string {
				return `{"data":{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`
			}
			c.put(c.wm("s"), nested(1100)).is(422)
			c.put(c.wm("s"), nested(200_000)).is(422)
			c.get(c.wm("s")).is(404)
			c.put(c.wm("s"), nested(900)).ok()
			require.Contains(c.t, string(c.get(c.wm("s")).ok().raw), strings.Repeat("[", 900))
		}},
		{"an exact key match wins", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"data":{"n":0}}`).ok()
			c.put(c.wm("s", "user_id=u1"), `{"data":{"n":1}}`).ok()
			require.Equal(c.t, 0, c.get(c.wm("s")).ok().int("data", "n"))
			c.delete(c.wm("s")).ok()
			require.Equal(c.t, 1, c.get(c.wm("s")).ok().int("data", "n"), "now one matches the filter")
		}},
		{"DELETE with several matches → 404 and nothing is deleted", func(c *caller, _ *store) {
			c.put(c.wm("s", "user_id=u1"), `{}`).ok()
			c.put(c.wm("s", "user_id=u2"), `{}`).ok()
			c.delete(c.wm("s")).fails(http.StatusNotFound, "Session s not found")
			c.get(c.wm("s", "user_id=u1")).ok()
			c.get(c.wm("s", "user_id=u2")).ok()
		}},
		{"on PUT, query values serve where the body has none", func(c *caller, _ *store) {
			a := c.put(c.wm("s", "user_id=query"), `{"namespace":"`+c.ns+`-body"}`).ok()
			require.Equal(c.t, []any{c.ns + "-body", "query"}, []any{a.at("namespace"), a.at("user_id")})
			a = c.put(c.wm("t", "user_id=query", "ttl_seconds=50"), `{"user_id":"body","ttl_seconds":70}`).ok()
			require.Equal(c.t, []any{c.ns, "body"}, []any{a.at("namespace"), a.at("user_id")})
			require.Equal(c.t, 70, a.int("ttl_seconds"))
		}},
		{"append summarises like PUT", func(c *caller, _ *store) {
			a := c.post(c.of("s", "messages", "context_window_max=500"), `{"messages":`+talk(30)+`}`).ok()
			require.Less(c.t, len(a.list("messages")), 30)
			require.NotEmpty(c.t, a.text("context"))
		}},
		{"append's window: the one last used for this session", func(c *caller, _ *store) {
			c.put(c.wm("s", "context_window_max=500"), `{"messages":`+talk(2)+`}`).ok()
			a := c.post(c.of("s", "messages"), `{"messages":`+talkFrom(2, 30)+`}`).ok()
			require.Less(c.t, len(a.list("messages")), 30)
			require.NotEmpty(c.t, a.text("context"))
		}},
		{"append's window: else 16,000", func(c *caller, _ *store) {
			a := c.post(c.of("s", "messages"), `{"messages":`+talk(200)+`}`).ok()
			require.Len(c.t, a.list("messages"), 200, "%d tokens", a.int("tokens"))
			a = c.post(c.of("s", "messages"), `{"messages":`+talkFrom(200, 800)+`}`).ok()
			require.Less(c.t, len(a.list("messages")), 500)
			require.LessOrEqual(c.t, a.int("tokens"), 6400)
		}},
		{"identifiers survive summaries", func(c *caller, _ *store) {
			first := message("id", "tool", `{"id": "ord-550e8400-e29b", "name": "seeds"} for ticket ABC-4471`, noon)
			body := `{"messages":[` + first + `,` + strings.TrimPrefix(talk(40), "[") + `}`
			a := c.put(c.wm("s", "context_window_max=800"), body).ok()
			require.NotContains(c.t, a.all("id", "messages"), "id")
			for _, id := range []string{"ord-550e8400-e29b", "ABC-4471"} {
				require.Contains(c.t, a.text("context"), id)
			}
		}},
		{"identifiers have a quarter of the window; the oldest leave first, which is logged", checkAllowance},
		{"a tool call is not split from its results", func(c *caller, _ *store) {
			calls := fmt.Sprintf(`{"id":"ask","role":"assistant","content":"zebrafinch %s","created_at":"2026-01-02T13:00:00Z","tool_calls":[{"id":"c1","name":"get_page","arguments":"{}"}]}`, strings.Repeat("seeds and grain ", 60))
			const results = `{"id":"result","role":"tool","tool_call_id":"c1","content":"zebrafinch","created_at":"2026-01-02T13:00:01Z"},` +
				`{"id":"after","role":"user","content":"zebrafinch","created_at":"2026-01-02T13:00:02Z"}`
			c.put(c.wm("s"), `{"messages":`+strings.TrimSuffix(talk(20), "]")+`,`+calls+`,`+results+`]}`).ok()
			require.Equal(c.t, []string{"after"}, c.get(c.wm("s", "context_window_max=60")).ok().all("id", "messages"))
			a := c.get(c.wm("s", "context_window_max=400")).ok()
			require.Contains(c.t, a.all("id", "messages"), "ask")
			a = c.get(c.wm("s")).ok()
			require.Equal(c.t, "c1", a.text("messages", 20, "tool_calls", 0, "id"))
			require.Equal(c.t, "c1", a.text("messages", 21, "tool_call_id"))
		}},
		{"a memory in a PUT that already has persisted_at counts as promoted", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"memories":[{"id":"m","text":"zebrafinch","persisted_at":"2026-01-01T00:00:00Z"}]}`).ok()
			require.Equal(c.t, "2026-01-01T00:00:00Z", a.text("memories", 0, "persisted_at"))
			require.Zero(c.t, c.search(``).ok().int("total"))
		}},
		{"PUT over an expired session makes a new one", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(3)+`,"data":{"old":1},"ttl_seconds":1}`).ok()
			c.eventually(func() bool { return c.get(c.wm("s")).status == 404 })
			a := c.put(c.wm("s"), `{"messages":`+talkFrom(7, 8)+`}`).ok()
			require.Equal(c.t, ids(7, 8), a.all("id", "messages"))
			require.Equal(c.t, map[string]any{}, a.at("data"))
			require.Nil(c.t, a.at("ttl_seconds"))
		}},
	}
}

// checkAllowance: of many identifiers those that were seen last are behind the summary.
func checkAllowance(c *caller, _ *store) {
	const window, many = 800, 120
	var all []string
	for i := range many {
		all = append(all, message(fmt.Sprintf("m%d", i), "user", fmt.Sprintf("order ORD-%d has left", 1000+i), noon))
	}
	a := c.put(c.wm("s", fmt.Sprint("context_window_max=", window)), `{"messages":[`+strings.Join(all, ",")+`]}`).ok()
	left := many - len(a.list("messages"))
	_, kept, ok := strings.Cut(a.text("context"), "Identifiers: ")
	require.True(c.t, ok, a.text("context"))
	ids := regexp.MustCompile(`ORD-\d+`).FindAllString(kept, -1)
	require.NotEmpty(c.t, ids)
	require.Less(c.t, len(ids), left, "not all have room")
	last := 1000 + left - 1 // or further up, where the summary itself has the last ones
	for strings.Contains(strings.TrimSuffix(a.text("context"), kept), fmt.Sprint("ORD-", last)) {
		last--
	}
	for i, id := range ids {
		require.Equal(c.t, fmt.Sprint("ORD-", last-len(ids)+1+i), id, "%v", ids)
	}
	counted := c.put(c.wm("count"), fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`, kept)).ok().int("tokens")
	require.LessOrEqual(c.t, counted, window/4+8)
	require.GreaterOrEqual(c.t, counted, window/4-32, "what is allowed is used")
	require.Regexp(c.t, `no room[^\n]*`+c.ns+`[^\n]*identifiers=\d`, c.p.logs.String())
}
