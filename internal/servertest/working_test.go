package servertest

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workingChecks are of the table of working memory.
func workingChecks() []check {
	return []check{
		{"list: limit 20, offset 0", func(c *caller, _ *store) {
			for i := range 22 {
				c.put(c.wm(fmt.Sprintf("s%02d", i)), `{}`).ok()
			}
			page := func(query string) []any {
				a := c.get("/v1/working-memory/?namespace=" + c.ns + query).ok()
				require.Equal(c.t, 22, a.int("total"))
				return a.list("sessions")
			}
			first, rest := page(""), page("&offset=20")
			require.Len(c.t, first, 20)
			require.Len(c.t, rest, 2)
			require.ElementsMatch(c.t, page("&limit=100"), append(first, rest...), "each once")
			require.Empty(c.t, page("&offset=22"))
		}},
		{"list and create with and without a slash at the end", func(c *caller, _ *store) {
			c.get("/v1/working-memory?namespace=" + c.ns).ok()
			c.get("/v1/working-memory/?namespace=" + c.ns).ok()
			body := `{"memories":[{"id":"m","text":"zebrafinch","namespace":"` + c.ns + `"}]}`
			c.post("/v1/long-term-memory", body).ok()
			c.post("/v1/long-term-memory/", body).ok()
			c.delete("/v1/long-term-memory?memory_ids=m&namespace=" + c.ns).ok()
			c.delete("/v1/long-term-memory/?memory_ids=m&namespace=" + c.ns).ok()
		}},
		{"an empty body is a session with defaults", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{}`).ok()
			for _, empty := range []string{"messages", "memories"} {
				require.Empty(c.t, a.list(empty))
			}
			for _, null := range []string{"context", "user_id", "ttl_seconds"} {
				require.Nil(c.t, a.at(null), null)
			}
			require.Zero(c.t, a.int("tokens"))
			require.Equal(c.t, "discrete", a.text("long_term_memory_strategy", "strategy"))
			for _, now := range []string{"created_at", "updated_at", "last_accessed"} {
				require.WithinDuration(c.t, time.Now(), a.time(now), time.Minute, now)
			}
		}},
		{"explicit nulls count as absent", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a","id":null,"created_at":null,"persisted_at":null}],"memories":null,
				"data":null,"context":null,"user_id":null,"namespace":null,"tokens":null,"ttl_seconds":null,
				"long_term_memory_strategy":null,"created_at":null,"last_accessed":null}`).ok()
		}},
		{"the path's id wins over the body's", func(c *caller, _ *store) {
			require.Equal(c.t, "path", c.put(c.wm("path"), `{"session_id":"body"}`).ok().text("session_id"))
			c.get(c.wm("body")).is(404)
		}},
		{"timestamps of messages and sessions are kept", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":`+talk(1)+`,"created_at":"2025-05-05T05:05:05Z"}`).ok()
			require.Equal(c.t, "2026-01-02T12:00:00Z", a.text("messages", 0, "created_at"))
			require.Equal(c.t, "2025-05-05T05:05:05Z", a.text("created_at"))
			a = c.put(c.wm("s"), `{"messages":[]}`).ok()
			require.Equal(c.t, "2025-05-05T05:05:05Z", a.text("created_at"), "an absent one is left as it is")
		}},
		{"any JSON survives in data, with all digits", func(c *caller, _ *store) {
			const data = `{"big":12345678901234567890,"exact":0.1000000000000000055511151231257827,"list":[1,"two",null,{"a":[]}],"text":"zebrafinch <&> ü 😀 \u0000","":false}`
			c.put(c.wm("s"), `{"data":`+data+`}`).ok()
			a := c.get(c.wm("s")).ok()
			assert.Contains(c.t, string(a.raw), "12345678901234567890")
			assert.Contains(c.t, string(a.raw), "0.1000000000000000055511151231257827")
			assert.Equal(c.t, "zebrafinch <&> ü 😀 \x00", a.text("data", "text"))
			assert.Len(c.t, a.at("data"), 5)
		}},
		{"content is kept to the letter", func(c *caller, _ *store) {
			const content = `  zebrafinch\n<b>&amp;\u2028</b> \"x\" \\ 日本語 😀 e\u0301\u0000 `
			c.put(c.wm("s"), `{"messages":[{"role":"customer support","content":"`+content+`","id":"ü/ 1","created_at":"2026-01-02T12:00:00Z"}]}`).ok()
			a := c.get(c.wm("s")).ok()
			assert.Equal(c.t, "  zebrafinch\n<b>&amp;\u2028</b> \"x\" \\ 日本語 😀 e\u0301\x00 ", a.text("messages", 0, "content"))
			assert.Equal(c.t, []any{"customer support", "ü/ 1"}, []any{a.at("messages", 0, "role"), a.at("messages", 0, "id")})
		}},
		{"memory with empty text or id → 422", func(c *caller, _ *store) {
			for record, wrong := range map[string]string{`"id":"","text":"a"`: "id", `"id":"a","text":""`: "text"} {
				for _, a := range []*answer{
					c.put(c.wm("s"), `{"memories":[{"id":"good","text":"zebrafinch"},{`+record+`}]}`),
					c.post("/v1/long-term-memory/", `{"memories":[{"id":"good","text":"zebrafinch"},{`+record+`}]}`),
				} {
					a.invalid()
					assert.Equal(c.t, "Value error, Memory at index 1 has empty "+wrong, a.text("detail", 0, "msg"))
				}
			}
			c.get(c.wm("s")).is(404)
		}},
		{"a comma in topics or entities → 422", func(c *caller, _ *store) {
			for _, field := range []string{"topics", "entities"} {
				record := `{"memories":[{"id":"m","text":"zebrafinch","` + field + `":["fine","not, so"]}]}`
				c.put(c.wm("s"), record).invalid()
				a := c.post("/v1/long-term-memory/", record)
				a.invalid()
				assert.Contains(c.t, a.text("detail", 0, "msg"), field+"[1] contains a comma: ")
			}
		}},
		{"an unknown memory type or strategy → 422", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"memories":[{"id":"m","text":"a","memory_type":"procedural"}]}`).invalid()
			c.put(c.wm("s"), `{"long_term_memory_strategy":{"strategy":"osmosis"}}`).invalid()
			a := c.put(c.wm("s"), `{"long_term_memory_strategy":{"strategy":"summary","config":{"max_summary_length":100}}}`).ok()
			assert.Equal(c.t, "summary", a.text("long_term_memory_strategy", "strategy"))
			assert.Equal(c.t, 100, c.get(c.wm("s")).ok().int("long_term_memory_strategy", "config", "max_summary_length"))
		}},
		{"same id in two tenants and no filter → 404", func(c *caller, _ *store) {
			id := c.ns + "-twice"
			c.put("/v1/working-memory/"+id+"?namespace=x-"+c.ns, `{}`).ok()
			c.get("/v1/working-memory/" + id).ok()
			c.put("/v1/working-memory/"+id+"?namespace=y-"+c.ns, `{}`).ok()
			c.get("/v1/working-memory/"+id).fails(http.StatusNotFound, "Session "+id+" not found")
		}},
		{"an integer that is none in the query → 422", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{}`).ok()
			for _, name := range []string{"context_window_max", "recent_messages_limit"} {
				a := c.get(c.wm("s", name+"=many"))
				a.invalid("query", name)
				assert.Equal(c.t, "int_parsing", a.text("detail", 0, "type"))
			}
		}},
	}
}

// matchChecks are of versions.
func matchChecks() []check {
	return []check{
		{"the response carries version and ETag", func(c *caller, _ *store) {
			first := c.put(c.wm("s"), `{}`).ok()
			require.Equal(c.t, fmt.Sprintf(`"%v"`, first.at("version")), first.header.Get("ETag"))
			second := c.put(c.wm("s"), `{"data":{"a":1}}`).ok()
			require.NotEqual(c.t, first.header.Get("ETag"), second.header.Get("ETag"))
			require.Equal(c.t, second.header.Get("ETag"), c.get(c.wm("s")).ok().header.Get("ETag"))
		}},
		{"a PUT or DELETE with a stale If-Match → 412 and nothing changes", func(c *caller, _ *store) {
			stale := c.put(c.wm("s"), `{"data":{"n":1}}`).ok().header.Get("ETag")
			fresh := c.put(c.wm("s"), `{"data":{"n":2}}`, "If-Match", stale).ok().header.Get("ETag")
			c.put(c.wm("s"), `{"data":{"n":3}}`, "If-Match", stale).fails(http.StatusPreconditionFailed, "Session s has changed")
			c.send(http.MethodDelete, c.wm("s"), "", "If-Match", stale).is(http.StatusPreconditionFailed)
			a := c.get(c.wm("s")).ok()
			require.Equal(c.t, 2, a.int("data", "n"))
			require.Equal(c.t, fresh, a.header.Get("ETag"))
			c.send(http.MethodDelete, c.wm("s"), "", "If-Match", fresh).ok()
			c.get(c.wm("s")).is(404)
		}},
		{"conditions that mean a session's being there", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{}`, "If-Match", "*").is(http.StatusPreconditionFailed)
			c.get(c.wm("s")).is(404)
			c.put(c.wm("s"), `{}`, "If-None-Match", "*").ok()
			c.put(c.wm("s"), `{}`, "If-None-Match", "*").is(http.StatusPreconditionFailed)
			etag := c.put(c.wm("s"), `{}`, "If-Match", "*").ok().header.Get("ETag")
			c.put(c.wm("s"), `{}`, "If-Match", "W/"+etag).is(http.StatusPreconditionFailed)
			c.put(c.wm("s"), `{}`, "If-Match", `"1x", `+etag).ok()
		}},
		{"appends on a condition: 412 and nothing is added, or each once", func(c *caller, _ *store) {
			stale := c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok().header.Get("ETag")
			fresh := c.post(c.of("s", "messages"), `{"messages":`+talk(2)+`}`, "If-Match", stale).ok().header.Get("ETag")
			for header, value := range map[string]string{"If-Match": stale, "If-None-Match": "*"} {
				c.post(c.of("s", "messages"), `{"messages":`+talkFrom(2, 3)+`}`, header, value).fails(http.StatusPreconditionFailed, "Session s has changed")
			}
			require.Equal(c.t, fresh, c.get(c.wm("s")).ok().header.Get("ETag"))
			a := c.post(c.of("s", "messages"), `{"messages":`+talk(3)+`}`, "If-Match", fresh).ok()
			require.Equal(c.t, ids(0, 3), a.all("id", "messages"))
			c.post(c.of("none", "messages"), `{"messages":`+talk(1)+`}`, "If-Match", "*").is(http.StatusPreconditionFailed)
			c.get(c.wm("none")).is(404)
			c.post(c.of("none", "messages"), `{"messages":`+talk(1)+`}`, "If-None-Match", "*").ok()
		}},
		{"of concurrent writers with one ETag one wins", func(c *caller, _ *store) {
			etag := c.put(c.wm("s"), `{}`).ok().header.Get("ETag")
			requireOneWinner(c, []*caller{c, c, c, c}, etag)
		}},
		{"concurrent PUTs without conditions all succeed", func(c *caller, _ *store) {
			var writers sync.WaitGroup
			for i := range 8 {
				writers.Go(func() {
					a, err := c.try(http.MethodPut, c.wm("s"), fmt.Sprintf(`{"messages":%s,"data":{"n":%d}}`, talkFrom(i, i+1), i))
					if assert.NoError(c.t, err) {
						assert.Equal(c.t, 200, a.status, "%s", a.raw)
					}
				})
			}
			writers.Wait()
			a := c.get(c.wm("s")).ok()
			require.Equal(c.t, []string{fmt.Sprint("m", a.int("data", "n"))}, a.all("id", "messages"), "one of them, whole")
		}},
	}
}

// requireOneWinner lets callers write at once with the same ETag.
func requireOneWinner(c *caller, writers []*caller, etag string) {
	c.t.Helper()
	statuses := make([]int, len(writers))
	var all sync.WaitGroup
	for i, w := range writers {
		all.Go(func() {
			a, err := w.try(http.MethodPut, c.wm("s"), fmt.Sprintf(`{"data":{"winner":%d}}`, i), "If-Match", etag)
			if assert.NoError(c.t, err) {
				statuses[i] = a.status
			}
		})
	}
	all.Wait()
	winner := c.get(c.wm("s")).ok().int("data", "winner")
	for i, status := range statuses {
		want := http.StatusPreconditionFailed
		if i == winner {
			want = http.StatusOK
		}
		assert.Equal(c.t, want, status, "writer %d, where %d won", i, winner)
	}
}
