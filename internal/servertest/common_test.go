package servertest

import (
	"fmt"
	"net/http"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commonChecks are of what holds for every route.
func commonChecks() []check {
	return []check{
		{"validation says type, loc, msg and input", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":[{"role":"user","content":7}]}`)
			a.invalid("body", "messages", "0", "content")
			a = c.get("/v1/working-memory/?limit=0")
			a.invalid("query", "limit")
			assert.Equal(c.t, "greater_than_equal", a.text("detail", 0, "type"))
			assert.Equal(c.t, "Input should be greater than or equal to 1", a.text("detail", 0, "msg"))
			assert.Equal(c.t, "0", a.text("detail", 0, "input"))
			assert.Equal(c.t, "Input should be less than or equal to 100", c.get("/v1/working-memory/?limit=101").text("detail", 0, "msg"))
		}},
		{"unknown body and query fields are ignored", func(c *caller, _ *store) {
			body := `{"messages":[{"role":"user","content":"a","id":"1","created_at":"2026-01-02T12:00:00Z","mood":{"x":[1]}}],
				"unsaved":true,"new_session":null,"surprise":{"deep":[[]]},"tokens":3}`
			c.put(c.wm("s", "background=true", "colour=red"), body).ok()
			c.get(c.wm("s", "colour=red")).ok()
			c.search(`,"optimize_query":true,"extraneous":[]`).ok()
		}},
		{"integers and booleans are also accepted as strings", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":[],"tokens":"5","ttl_seconds":"1000","memories":[
				{"id":"m","text":"zebrafinch","pinned":"true","access_count":"3","persisted_at":"2026-01-01T00:00:00Z"}]}`).ok()
			assert.Equal(c.t, 1000, a.int("ttl_seconds"))
			assert.Equal(c.t, true, a.at("memories", 0, "pinned"))
			assert.Equal(c.t, 3, a.int("memories", 0, "access_count"))
			c.post("/v1/long-term-memory/", `{"memories":[{"id":"m","text":"zebrafinch","namespace":"`+c.ns+`"}],"deduplicate":"true"}`).ok()
			assert.Len(c.t, c.search(`,"limit":"1","offset":"0","hybrid_alpha":"0.5","recency_boost":"false"`).ok().list("memories"), 1)
			prompt := `{"query":"q","session":{"session_id":"s","namespace":"` + c.ns + `","context_window_max":"4000"}}`
			c.post("/v1/memory/prompt", prompt).ok()
			c.put(c.wm("s"), `{"messages":[],"ttl_seconds":"ten"}`).invalid("body", "ttl_seconds")
			c.put(c.wm("s"), `{"messages":[],"ttl_seconds":1.5}`).invalid("body", "ttl_seconds")
			c.put(c.wm("s"), `{"messages":[],"ttl_seconds":7.0}`).ok()
		}},
		{"timestamps are RFC 3339, UTC as Z", func(c *caller, _ *store) {
			for sent, read := range map[string]string{
				`"2026-01-02T12:00:00Z"`: "2026-01-02T12:00:00Z", `"2026-01-02T14:00:00+02:00"`: "2026-01-02T12:00:00Z",
				`"2026-01-02T12:00:00.123456Z"`: "2026-01-02T12:00:00.123456Z", `"2026-01-02T12:00:00"`: "2026-01-02T12:00:00Z",
				`"2026-01-02 12:00:00Z"`: "2026-01-02T12:00:00Z", `"2026-01-02"`: "2026-01-02T00:00:00Z",
				`1767355200`: "2026-01-02T12:00:00Z", `1767355200000`: "2026-01-02T12:00:00Z",
			} {
				c.delete(c.wm("s")).ok() // a session keeps a finer time that it has
				a := c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a","id":"1","created_at":`+sent+`}]}`).ok()
				assert.Equal(c.t, read, a.text("messages", 0, "created_at"), sent)
			}
			for _, wrong := range []string{`"yesterday"`, `"2026-13-01T00:00:00Z"`, `true`, `[]`} {
				c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a","created_at":`+wrong+`}]}`).invalid("body", "messages", "0", "created_at")
			}
		}},
		{"percent-encoded / in ids works", func(c *caller, _ *store) {
			for escaped, id := range map[string]string{"a%2Fb": "a/b", "a%20b%3F%23": "a b?#", "%C3%BC%25": "ü%", "a%2fmessages": "a/messages"} {
				require.Equal(c.t, id, c.put(c.wm(escaped), `{"messages":[]}`).ok().text("session_id"))
				require.Equal(c.t, id, c.get(c.wm(escaped)).ok().text("session_id"))
				c.post(c.of(escaped, "messages"), `{"messages":`+talk(1)+`}`).ok()
				require.Equal(c.t, 1, c.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
				c.delete(c.wm(escaped)).ok()
				c.get(c.wm(escaped)).is(404)
				c.remember(fmt.Sprintf(`"id":%q,"text":"zebrafinch %s"`, id, escaped))
				require.Equal(c.t, id, c.get("/v1/long-term-memory/"+escaped+"?namespace="+c.ns).ok().text("id"))
			}
		}},
		{"unknown route or method → 404/405 with JSON `detail`", func(c *caller, _ *store) {
			for _, path := range []string{"/v1", "/v2/health", "/v1/working-memory/a/b/c", "/v1/summary-views", "/v1/tasks/x", "/favicon.ico", "/v1/working-memory/s/nothing"} {
				c.get(path).is(http.StatusNotFound)
			}
			for path, method := range map[string]string{"/v1/health": "POST", "/v1/working-memory/s": "PATCH", "/v1/memory/prompt": "GET", "/v1/long-term-memory/search": "PUT"} {
				a := c.send(method, path, "")
				a.is(http.StatusMethodNotAllowed)
				assert.NotEmpty(c.t, a.header.Get("Allow"), path)
			}
		}},
		{"the description of the API is served", func(c *caller, _ *store) {
			a := c.get("/openapi.json").ok()
			assert.Regexp(c.t, `^3\.1\.`, a.text("openapi"))
			for _, path := range []string{"/v1/health", "/v1/working-memory/{sid}", "/v1/memory/prompt"} {
				_, there := a.at("paths").(map[string]any)[path]
				assert.True(c.t, there, path)
			}
			a = c.get("/docs").ok()
			assert.Contains(c.t, a.header.Get("Content-Type"), "text/html")
			assert.NotRegexp(c.t, `(?i)<(script|link)[^>]*(src|href)="https?:`, string(a.raw), "it needs nothing from elsewhere")
		}},
	}
}
