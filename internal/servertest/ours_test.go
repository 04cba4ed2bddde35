package servertest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// of is the path of a route below a session's.
func (c *caller) of(id, route string, query ...string) string {
	return strings.Replace(c.wm(id, query...), "?", "/"+route+"?", 1)
}

// oursChecks are of the routes that only this server has.
func oursChecks() []check {
	return []check{
		{"append makes the session if absent, and answers like PUT", func(c *caller, _ *store) {
			a := c.post(c.of("s", "messages"), `{"messages":[{"role":"user","content":"zebrafinch"}]}`).ok()
			require.Regexp(c.t, ulid, a.text("messages", 0, "id"))
			require.NotEmpty(c.t, a.header.Get("X-Deprecation-Warning"))
			a = c.post(c.of("s", "messages"), `{"messages":`+talk(2)+`}`).ok()
			require.Equal(c.t, ids(0, 2), a.all("id", "messages")[1:])
			require.Equal(c.t, a.raw, c.get(c.wm("s")).ok().raw)
			c.post(c.of("u", "messages", "user_id=u1"), `{"messages":`+talk(1)+`}`).ok()
			require.Equal(c.t, "u1", c.get(c.wm("u")).ok().text("user_id"))
		}},
		{"append is idempotent by message id", func(c *caller, _ *store) {
			c.post(c.of("s", "messages"), `{"messages":`+talk(3)+`}`).ok()
			for range 2 {
				a := c.post(c.of("s", "messages"), `{"messages":`+talkFrom(1, 5)+`}`).ok()
				require.Equal(c.t, ids(0, 5), a.all("id", "messages"))
			}
			a := c.post(c.of("s", "messages"), `{"messages":[`+message("m0", "user", "another text", noon)+`]}`).ok()
			require.Contains(c.t, a.text("messages", 0, "content"), "sentence number 0 ", "the first one stays")
		}},
		{"append is atomic: N writers lose nothing", func(c *caller, _ *store) {
			const writers, each = 6, 8
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := range each {
						a, err := c.try(http.MethodPost, c.of("s", "messages", "context_window_max=1000000"), `{"messages":`+talkFrom(w*100+i, w*100+i+1)+`}`)
						if assert.NoError(c.t, err) {
							assert.Equal(c.t, 200, a.status, "%s", a.raw)
						}
					}
				})
			}
			all.Wait()
			var want []string
			for w := range writers {
				want = append(want, ids(w*100, w*100+each)...)
			}
			require.ElementsMatch(c.t, want, c.get(c.wm("s")).ok().all("id", "messages"))
		}},
		{"append refuses as PUT does", func(c *caller, _ *store) {
			c.post(c.of("s", "messages"), `{"messages":[{"role":"user","content":" ","id":"m7"}]}`).
				fails(http.StatusBadRequest, "Message content cannot be empty (message ID: m7)")
			c.post(c.of("s", "messages"), `{"messages":[{"role":"user"}]}`).invalid("body", "messages", "0", "content")
			c.post(c.of("s", "messages"), `{}`).invalid("body", "messages")
			late := message("m", "user", "a", time.Now().Add(400*time.Second))
			c.post(c.of("s", "messages"), `{"messages":[`+late+`]}`).invalid("body", "messages", "0")
			c.get(c.wm("s")).is(404)
		}},
		{"append keeps what else the session has", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(1)+`,"data":{"k":"v"},"context":"before","ttl_seconds":1000}`).ok()
			a := c.post(c.of("s", "messages"), `{"messages":`+talkFrom(1, 2)+`}`).ok()
			require.Equal(c.t, []any{"v", "before"}, []any{a.at("data", "k"), a.at("context")})
			require.Equal(c.t, 1000, a.int("ttl_seconds"))
		}},
		{"a minimal answer where it is preferred", func(c *caller, _ *store) {
			for _, a := range []*answer{
				c.put(c.wm("s"), `{"messages":`+talk(3)+`,"data":{"k":"v"}}`, "Prefer", "return=minimal"),
				c.post(c.of("s", "messages"), `{"messages":`+talkFrom(3, 5)+`}`, "Prefer", "return=minimal"),
			} {
				assert.Equal(c.t, "return=minimal", a.ok().header.Get("Preference-Applied"))
				assert.NotContains(c.t, string(a.raw), marker)
				assert.NotEmpty(c.t, a.header.Get("ETag"))
			}
			require.Len(c.t, c.get(c.wm("s")).ok().list("messages"), 5)
		}},
		{"tool calls become entities, newest first", func(c *caller, _ *store) {
			a := c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{"id":"p-1"},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
			require.Equal(c.t, []string{"p-1"}, a.all("id", "entities"))
			require.Empty(c.t, a.list("removed"))
			c.post(c.of("s", "tool-calls"), `{"name":"get_order","arguments":"{}","result":"{\"id\": \"o-2\", \"name\": \"zebrafinch seeds\"}"}`).ok()
			require.Equal(c.t, []string{"o-2", "p-1"}, c.get(c.of("s", "entities")).ok().all("id", "entities"))
			require.Len(c.t, c.get(c.wm("s")).ok().list("entities"), 2)
			a = c.post(c.of("s", "tool-calls"), `{"name":"delete_page","arguments":{"id":"p-1"},"result":{"deleted":true}}`).ok()
			require.Equal(c.t, []string{"p-1"}, a.all("id", "removed"))
			require.Equal(c.t, []string{"o-2"}, c.get(c.of("s", "entities")).ok().all("id", "entities"))
			a = c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"error":"zebrafinch not found"}`).ok()
			require.Empty(c.t, a.list("entities"))
		}},
		{"a tool call without a name → 422", func(c *caller, _ *store) {
			c.post(c.of("s", "tool-calls"), `{"arguments":{},"result":{}}`).invalid("body", "name")
			c.post(c.of("s", "tool-calls"), `[]`).invalid()
		}},
		{"the block is text/plain, and empty when there is nothing", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{}`).ok()
			a := c.get(c.of("s", "block")).ok()
			require.Empty(c.t, a.raw)
			require.Contains(c.t, a.header.Get("Content-Type"), "text/plain")
			for i := range 12 {
				c.post(c.of("s", "tool-calls"), fmt.Sprintf(`{"name":"get_%s","arguments":{},"result":{"id":"id-%d","title":"zebrafinch"}}`, []string{"page", "order", "user", "issue"}[i%4], i)).ok()
			}
			a = c.get(c.of("s", "block")).ok()
			require.Contains(c.t, string(a.raw), "[WORKING MEMORY]")
			require.Contains(c.t, a.header.Get("Content-Type"), "text/plain")
			shown := strings.Count(string(a.raw), "id-")
			require.LessOrEqual(c.t, shown, 10, "10 entities: %s", a.raw)
			small := c.get(c.of("s", "block", "budget=40")).ok()
			require.Less(c.t, len(small.raw), len(a.raw), "budget counts tokens")
			c.get(c.of("s", "block", "budget=x")).invalid("query", "budget")
		}},
		{"the block's default is 10 entities, 3 a type; a budget counts tokens", checkBlockSize},
		{"entities of a missing session → 404, and no block", func(c *caller, _ *store) {
			c.get(c.of("never", "entities")).fails(http.StatusNotFound, "Session never not found")
			require.Empty(c.t, c.get(c.of("never", "block")).ok().raw)
		}},
		{"PUT leaves entities as they are unless the body has them", func(c *caller, _ *store) {
			c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
			c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok()
			require.Equal(c.t, []string{"p-1"}, c.get(c.of("s", "entities")).ok().all("id", "entities"))
			a := c.put(c.wm("s"), `{"messages":`+talk(1)+`,"entities":[{"type":"order","id":"o-9","name":"zebrafinch"}]}`).ok()
			require.Equal(c.t, []string{"o-9"}, a.all("id", "entities"))
			require.Empty(c.t, c.put(c.wm("s"), `{"entities":[]}`).ok().list("entities"))
		}},
		{"a session is summarised when asked", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(4)+`}`).ok()
			a := c.post(c.of("s", "summarize"), ``).ok()
			require.True(c.t, isText(a.at("status")), "%s", a.raw)
			require.Equal(c.t, "ok", c.delete(c.wm("s")).ok().text("status"))
			c.post(c.of("s", "summarize"), ``).is(http.StatusNotFound)
		}},
		{"the decisions about entities are shown", func(c *caller, _ *store) {
			c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
			require.Contains(c.t, string(c.get(c.of("s", "decisions")).ok().raw), "p-1")
		}},
	}
}

func checkBlockSize(c *caller, _ *store) {
	types := []string{"page", "order", "user", "issue"}
	for i := range 20 {
		c.post(c.of("s", "tool-calls"), fmt.Sprintf(`{"name":"get_%s","arguments":{},"result":{"id":"%[1]s-10%02d","title":"zebrafinch"}}`, types[i%4], i)).ok()
	}
	shown := func(query ...string) (counts []int) {
		block := string(c.get(c.of("s", "block", query...)).ok().raw)
		for _, name := range types {
			counts = append(counts, strings.Count(block, name+"-10"))
		}
		return counts
	}
	// Three of each would be 12: the oldest two of them, of different types, are left out.
	assert.Equal(c.t, []int{2, 2, 3, 3}, shown())
	assert.Equal(c.t, shown(), shown("budget=0"))
	assert.Equal(c.t, []int{5, 5, 5, 5}, shown("budget=1000"), "all have room")
	for _, budget := range []int{20, 40, 80, 120} {
		block := string(c.get(c.of("s", "block", fmt.Sprint("budget=", budget))).ok().raw)
		counted := c.put(c.wm("count"), fmt.Sprintf(`{"messages":[{"role":"system","content":%q}]}`, block+".")).ok().int("tokens")
		const around = 8 // the role, and what tells one message from the next
		assert.LessOrEqual(c.t, counted, budget+around, "%s", block)
		assert.Equal(c.t, budget > 20, block != "", "%d tokens: %s", budget, block)
	}
}
