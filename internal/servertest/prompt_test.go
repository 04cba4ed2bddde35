package servertest

import (
	"fmt"
	"net/http"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promptChecks are of the memory prompt.
func promptChecks() []check {
	prompt := func(c *caller, more string) *answer {
		return c.post("/v1/memory/prompt", `{"query":"what sings?"`+more+`}`)
	}
	session := func(c *caller, more string) string {
		return fmt.Sprintf(`,"session":{"session_id":"s","namespace":%q%s}`, c.ns, more)
	}
	const nothing = "## Long term memories related to the user's query\n No relevant long-term memories found."
	return []check{
		{"neither session nor search → 400", func(c *caller, _ *store) {
			for _, more := range []string{``, `,"session":null,"long_term_search":null`, `,"long_term_search":false`} {
				prompt(c, more).fails(http.StatusBadRequest, "Either session or long_term_search must be provided")
			}
			c.post("/v1/memory/prompt", `{"long_term_search":true}`).invalid("body", "query")
			prompt(c, `,"session":{}`).invalid("body", "session", "session_id")
			prompt(c, `,"session":7`).invalid("body", "session")
		}},
		{"a missing session is no error", func(c *caller, _ *store) {
			a := prompt(c, session(c, ``)).ok()
			require.JSONEq(c.t, `{"messages":[{"role":"user","content":{"type":"text","text":"what sings?"}}],"long_term_memories":[]}`, string(a.raw))
			c.get(c.wm("s")).is(404)
		}},
		{"roles other than user and assistant are the assistant's", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"tool","content":"c"},{"role":"critic","content":"d"}]}`).ok()
			a := prompt(c, session(c, ``)).ok()
			require.Equal(c.t, []string{"user", "assistant", "assistant", "assistant", "user"}, a.all("role", "messages"))
		}},
		{"the newest messages that fit the window", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(30)+`}`).ok()
			require.Len(c.t, prompt(c, session(c, ``)).ok().list("messages"), 31)
			for _, window := range []string{`300`, `"300"`} {
				a := prompt(c, session(c, `,"context_window_max":`+window)).ok()
				n := len(a.list("messages"))
				require.True(c.t, n > 1 && n < 31, "%d", n)
				require.Contains(c.t, a.text("messages", n-2, "content", "text"), "sentence number 29 ")
			}
			require.Len(c.t, prompt(c, session(c, `,"model_name":"gpt-4o"`)).ok().list("messages"), 31)
			require.Len(c.t, c.get(c.wm("s")).ok().list("messages"), 30, "nothing is written")
		}},
		{"a search that finds nothing is said", func(c *caller, _ *store) {
			a := prompt(c, `,"long_term_search":{"namespace":{"eq":"`+c.ns+`"}}`).ok()
			require.Equal(c.t, nothing, a.text("messages", 0, "content", "text"))
			require.Empty(c.t, a.list("long_term_memories"))
		}},
		{"the query is what is searched for, unless the search has a text", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"the zebrafinch sings"`, `"id":"b","text":"the zebrafinch flies"`)
			found := func(search string) []string {
				return prompt(c, `,"long_term_search":{"namespace":{"eq":"`+c.ns+`"}`+search+`}`).ok().all("id", "long_term_memories")
			}
			require.Equal(c.t, []string{"a"}, found(``))
			require.Equal(c.t, []string{"a"}, found(`,"text":""`))
			require.Equal(c.t, []string{"b"}, found(`,"text":"flies"`))
		}},
		{"memories of the session's tenant alone", func(c *caller, _ *store) {
			other := call(c.t, c.p)
			c.remember(`"id":"a","text":"zebrafinch sings","user_id":"u1"`, `"id":"b","text":"zebrafinch sings too","user_id":"u2"`)
			other.remember(`"id":"c","text":"zebrafinch sings elsewhere","user_id":"u1"`)
			for _, search := range []string{`true`, `{}`} {
				a := prompt(c, session(c, `,"user_id":"u1"`)+`,"long_term_search":`+search).ok()
				require.Equal(c.t, []string{"a"}, a.all("id", "long_term_memories"), search)
			}
		}},
		{"a search in a prompt is checked like one alone", func(c *caller, _ *store) {
			prompt(c, `,"long_term_search":{"topics":{"any":[]}}`).invalid()
			prompt(c, `,"long_term_search":{"limit":0}`).invalid()
			prompt(c, `,"long_term_search":"maybe"`).invalid()
			prompt(c, `,"long_term_search":{"search_mode":"keyword","distance_threshold":1}`).
				fails(http.StatusBadRequest, "distance_threshold is only supported for semantic search mode")
		}},
		{"memories alone, without a session", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch sings"`)
			a := prompt(c, `,"long_term_search":{"namespace":{"eq":"`+c.ns+`"}}`).ok()
			assert.Equal(c.t, "## Long term memories related to the user's query\n - zebrafinch sings (ID: a)", a.text("messages", 0, "content", "text"))
		}},
	}
}
