package servertest

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var ulid = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// storeChecks are about what passes through the process to the store and back: writes, expiry,
// tenants, promotion, summaries and prompts. The rules of the API are tested in package rest.
func storeChecks() []check {
	return []check{
		{"health", checkHealth},
		{"expired not listed", func(c *caller, _ *store) {
			c.put(c.wm("gone"), `{"messages":[],"ttl_seconds":1}`).ok()
			c.put(c.wm("here"), `{"messages":[]}`).ok()
			c.eventually(func() bool {
				a := c.get("/v1/working-memory/?namespace=" + c.ns).ok()
				return a.int("total") == 1 && fmt.Sprint(a.list("sessions")) == "[here]"
			})
		}},
		{"new PUT 200", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":`+talk(2)+`,"data":{"k":"v"},"context":"before"}`).ok()
			require.Equal(c.t, "s", a.text("session_id"))
			require.Equal(c.t, c.ns, a.text("namespace"))
			require.Equal(c.t, ids(0, 2), a.all("id", "messages"))
			require.Equal(c.t, a.raw, c.get(c.wm("s")).ok().raw, "GET answers what PUT did")
		}},
		{"second PUT replaces", checkSecondPut},
		{"ttl 1 → 404 after expiry, renewed by rewrite", checkExpiry},
		{"tenant separation", checkTenants},
		{"pending memory becomes searchable, once", checkPromotion},
		{"same id replaces", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch likes seeds"`)
			before := c.get("/v1/long-term-memory/a?namespace=" + c.ns).ok()
			c.remember(`"id":"a","text":"zebrafinch prefers millet"`)
			a := c.search(``).ok()
			require.Equal(c.t, []string{"zebrafinch prefers millet"}, a.all("text", "memories"))
			require.Equal(c.t, before.at("persisted_at"), a.at("memories", 0, "persisted_at"), "persisted_at stays")
		}},
		{"same text one record", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch likes seeds"`, `"id":"b","text":"zebrafinch likes seeds"`)
			c.remember(`"id":"c","text":"zebrafinch likes seeds"`)
			require.Equal(c.t, 1, c.search(``).ok().int("total"))
		}},
		{"summarisation shortens and fills context", checkSummarised},
		{"over-limit GET leaves the store alone", checkOverLimitGet},
		{"prompt order", checkPromptOrder},
		{"401s", check401s},
		{"tokenizer unavailable → estimate, never 500", func(c *caller, _ *store) {
			// The processes cannot reach the network.
			for _, model := range []string{"gpt-4o", "no-such-model", "claude-sonnet-4"} {
				a := c.put(c.wm("s", "model_name="+model), `{"messages":`+talk(1)+`}`).ok()
				require.Positive(c.t, a.int("tokens"))
			}
		}},
	}
}

func checkHealth(c *caller, s *store) {
	for _, p := range []*process{s.open, s.auth} {
		a := call(c.t, p).get("/v1/health").ok()
		require.InDelta(c.t, time.Now().UnixMilli(), a.number("now"), float64(time.Minute.Milliseconds()))
		require.Len(c.t, a.json, 1)
	}
}

func checkSecondPut(c *caller, _ *store) {
	c.put(c.wm("s"), `{"messages":`+talk(4)+`,"data":{"a":1},"context":"old","memories":[{"id":"x","text":"zebrafinch"}]}`).ok()
	c.put(c.wm("s"), `{"messages":`+talkFrom(7, 8)+`}`).ok()
	a := c.get(c.wm("s")).ok()
	require.Equal(c.t, ids(7, 8), a.all("id", "messages"))
	require.Equal(c.t, map[string]any{}, a.at("data"))
	require.Nil(c.t, a.at("context"))
	require.Empty(c.t, a.list("memories"))
}

func checkSummarised(c *caller, _ *store) {
	a := c.put(c.wm("s", "context_window_max=500"), `{"messages":`+talk(30)+`}`).ok()
	left := a.all("id", "messages")
	require.Less(c.t, len(left), 30)
	require.NotEmpty(c.t, left)
	require.Equal(c.t, ids(30-len(left), 30), left, "the newest stay, in order")
	require.NotEmpty(c.t, a.text("context"))
	require.LessOrEqual(c.t, a.int("tokens"), 200, "40 %% of the window")
	require.Equal(c.t, left, c.get(c.wm("s")).ok().all("id", "messages"))
}

func checkOverLimitGet(c *caller, _ *store) {
	before := c.put(c.wm("s"), `{"messages":`+talk(30)+`}`).ok()
	a := c.get(c.wm("s", "context_window_max=200")).ok()
	left := a.all("id", "messages")
	require.Less(c.t, len(left), 30)
	require.Equal(c.t, ids(30-len(left), 30), left)
	require.Nil(c.t, a.at("context"))
	require.Len(c.t, c.get(c.wm("s", "context_window_max=1")).ok().list("messages"), 1, "at least one")
	after := c.get(c.wm("s")).ok()
	require.Equal(c.t, ids(0, 30), after.all("id", "messages"))
	require.Equal(c.t, before.header.Get("ETag"), after.header.Get("ETag"))
}

func checkExpiry(c *caller, _ *store) {
	gone := func(id string) func() bool {
		return func() bool { return c.get(c.wm(id)).status == http.StatusNotFound }
	}
	c.put(c.wm("renewed"), `{"messages":`+talk(1)+`,"ttl_seconds":1}`).ok()
	c.put(c.wm("renewed"), `{"messages":`+talk(1)+`,"ttl_seconds":1000}`).ok()
	c.put(c.wm("kept"), `{"messages":[],"ttl_seconds":2}`).ok()
	c.put(c.wm("kept"), `{"messages":[]}`).ok() // keeps the running expiry
	c.put(c.wm("query", "ttl_seconds=1"), `{"messages":[]}`).ok()
	a := c.put(c.wm("s"), `{"messages":`+talk(1)+`,"ttl_seconds":1}`).ok()
	require.Equal(c.t, 1, a.int("ttl_seconds"))
	for _, id := range []string{"s", "query", "kept"} {
		c.eventually(gone(id)) // reading does not extend it
	}
	require.Equal(c.t, 1000, c.get(c.wm("renewed")).ok().int("ttl_seconds"))
	for _, ttl := range []string{"0", "-1", "99999999999999"} {
		c.put(c.wm("renewed"), `{"messages":[],"ttl_seconds":`+ttl+`}`).invalid()
	}
	require.Len(c.t, c.get(c.wm("renewed")).ok().list("messages"), 1)
}

func checkTenants(c *caller, _ *store) {
	id := c.ns + "-shared"
	other := call(c.t, c.p)
	for i, path := range []string{c.wm(id), c.wm(id, "user_id=u1"), c.wm(id, "user_id=u2"), other.wm(id), other.wm(id, "user_id=u1")} {
		c.put(path, fmt.Sprintf(`{"data":{"n":%d}}`, i)).ok()
	}
	n := func(path string) int { return c.get(path).ok().int("data", "n") }
	assert.Equal(c.t, 1, n(c.wm(id, "user_id=u1")))
	assert.Equal(c.t, 2, n(c.wm(id, "user_id=u2")))
	assert.Equal(c.t, 4, n(other.wm(id, "user_id=u1")))
	c.get("/v1/working-memory/" + id).is(404)
	c.delete("/v1/working-memory/" + id)
	assert.Equal(c.t, 1, n(c.wm(id, "user_id=u1")))
	c.delete(c.wm(id, "user_id=u1")).ok()
	c.get(c.wm(id, "user_id=u1")).is(404)
	assert.Equal(c.t, 2, n(c.wm(id, "user_id=u2")))
	c.remember(`"id":"m","text":"zebrafinch of one"`)
	other.remember(`"id":"m","text":"zebrafinch of another"`)
	assert.Equal(c.t, []string{"zebrafinch of one"}, c.search(`,"text":"zebrafinch"`).ok().all("text", "memories"))
}

func checkPromotion(c *caller, _ *store) {
	body := `{"messages":` + talk(1) + `,"user_id":"u","memories":[
		{"id":"new","text":"the zebrafinch sings at dawn","topics":["birds"]},
		{"id":"old","text":"the zebrafinch was promoted before","persisted_at":"2026-01-01T00:00:00Z"}]}`
	c.put(c.wm("s"), body).ok()
	c.eventually(func() bool { return c.search(`,"text":"dawn"`).ok().int("total") == 1 })
	record := c.search(`,"text":"dawn"`).ok()
	assert.Equal(c.t, []any{"new", c.ns, "u", "s"}, []any{
		record.at("memories", 0, "id"), record.at("memories", 0, "namespace"),
		record.at("memories", 0, "user_id"), record.at("memories", 0, "session_id"),
	}, "it inherits what it lacks")
	c.eventually(func() bool { return c.get(c.wm("s")).ok().at("memories", 0, "persisted_at") != nil })
	c.put(c.wm("s"), body).ok()
	c.put(c.wm("s2"), `{"user_id":"u","memories":[{"id":"last","text":"a later zebrafinch"}]}`).ok()
	c.eventually(func() bool { return c.search(`,"text":"later"`).ok().int("total") == 1 })
	c.eventually(func() bool { return c.get(c.wm("s")).ok().at("memories", 0, "persisted_at") != nil })
	assert.Equal(c.t, 2, c.search(``).ok().int("total"), "each once, and not the one promoted before")
}

func checkPromptOrder(c *caller, _ *store) {
	c.put(c.wm("s"), `{"context":"They spoke of birds.","messages":`+talk(2)+`}`).ok()
	c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"page-9142","title":"Zebrafinch"}}`).ok()
	c.remember(`"id":"m","text":"the birds eat millet"`)
	a := c.post("/v1/memory/prompt", `{"query":"What about millet?","session":{"session_id":"s","namespace":"`+c.ns+`"},"long_term_search":true}`).ok()
	var roles []any
	for i := range a.list("messages") {
		roles = append(roles, a.at("messages", i, "role"))
	}
	require.Equal(c.t, []any{"system", "system", "user", "assistant", "system", "user"}, roles)
	text := func(i int) string { return a.text("messages", i, "content", "text") }
	assert.Equal(c.t, "## A summary of the conversation so far:\nThey spoke of birds.", text(0))
	assert.Contains(c.t, text(1), "[WORKING MEMORY]")
	assert.Contains(c.t, text(1), "page-9142")
	assert.Contains(c.t, text(2), "sentence number 0 ")
	assert.Contains(c.t, text(3), "sentence number 1 ")
	assert.Equal(c.t, "## Long term memories related to the user's query\n - the birds eat millet (ID: m)", text(4))
	assert.Equal(c.t, "What about millet?", text(5))
	assert.Equal(c.t, []string{"m"}, a.all("id", "long_term_memories"))
}

func check401s(c *caller, s *store) {
	locked := call(c.t, s.auth)
	for header, detail := range map[string]string{
		"": "Missing authorization header", "Basic abc": "Missing authorization header", "Bearer ": "Missing bearer token",
		"Bearer nonsense": "Invalid token", "Bearer wmem_0123456789abcdef_0123456789abcdef": "Invalid token",
	} {
		for _, path := range []string{"/v1/working-memory/", "/v1/working-memory/s", "/v1/long-term-memory/m"} {
			a := locked.send(http.MethodGet, path, "", "Authorization", header)
			a.is(http.StatusUnauthorized)
			if header == "Bearer " { // net/http trims the space
				assert.Contains(c.t, []any{detail, "Missing authorization header"}, a.at("detail"))
			} else {
				assert.Equal(c.t, detail, a.at("detail"), header)
			}
			assert.Equal(c.t, "Bearer", a.header.Get("WWW-Authenticate"))
		}
	}
}
