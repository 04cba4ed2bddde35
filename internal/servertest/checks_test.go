package servertest

import (
	"fmt"
	"net/http"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// storeChecks are about what passes through the process to the store and back. The rules of the
// API are tested in package rest, and those of a store in its suite.
func storeChecks() []check {
	return []check{
		{"a session is answered as it was written", checkRoundTrip},
		{"expired sessions are neither found nor listed", checkExpiry},
		{"sessions and memories of other tenants are apart", checkTenants},
		{"pending memory becomes searchable, once", checkPromotion},
		{"summarisation shortens and fills context", checkSummarised},
		{"tokenizer unavailable → estimate, never 500", func(c *caller, _ *store) {
			// The processes cannot reach the network.
			for _, model := range []string{"gpt-4o", "no-such-model", "claude-sonnet-4"} {
				a := c.put(c.wm("s", "model_name="+model), `{"messages":`+talk(1)+`}`).ok()
				require.Positive(c.t, a.number("context_percentage_total_used"))
			}
		}},
	}
}

func checkRoundTrip(c *caller, _ *store) {
	c.put(c.wm("s"), `{"messages":`+talk(4)+`,"data":{"a":1},"context":"old"}`).ok()
	a := c.put(c.wm("s"), `{"messages":`+talk(2)+`,"data":{"k":"v"},"context":"before"}`).ok()
	require.Equal(c.t, []any{"s", c.ns, "before", "v"}, []any{a.at("session_id"), a.at("namespace"), a.at("context"), a.at("data", "k")})
	require.Equal(c.t, ids(0, 2), a.all("id", "messages"))
	require.Equal(c.t, string(a.raw), string(c.get(c.wm("s")).ok().raw), "GET answers what PUT did")
}

func checkSummarised(c *caller, _ *store) {
	a := c.put(c.wm("s", "context_window_max=500"), `{"messages":`+talk(30)+`}`).ok()
	left := a.all("id", "messages")
	require.Less(c.t, len(left), 30)
	require.NotEmpty(c.t, left)
	require.Equal(c.t, ids(30-len(left), 30), left, "the newest stay, in order")
	require.NotEmpty(c.t, a.text("context"))
	require.LessOrEqual(c.t, a.number("context_percentage_total_used"), 40.0)
	require.Equal(c.t, left, c.get(c.wm("s")).ok().all("id", "messages"))
}

func checkExpiry(c *caller, _ *store) {
	c.put(c.wm("here"), `{"messages":`+talk(1)+`,"ttl_seconds":1}`).ok()
	c.put(c.wm("here"), `{"messages":`+talk(1)+`,"ttl_seconds":1000}`).ok()
	c.put(c.wm("gone"), `{"messages":`+talk(1)+`,"ttl_seconds":1}`).ok()
	c.eventually(func() bool { return c.get(c.wm("gone")).status == http.StatusNotFound }) // reading does not extend it
	a := c.get("/v1/working-memory/?namespace=" + c.ns).ok()
	require.Equal(c.t, []any{"here"}, a.list("sessions"))
}

func checkTenants(c *caller, _ *store) {
	id := c.ns + "-shared"
	other := call(c.t, c.p)
	for i, path := range []string{c.wm(id), c.wm(id, "user_id=u1"), c.wm(id, "user_id=u2"), other.wm(id), other.wm(id, "user_id=u1")} {
		c.put(path, fmt.Sprintf(`{"data":{"n":%d}}`, i)).ok()
	}
	n := func(path string) int { return c.get(path).ok().int("data", "n") }
	assert.Equal(c.t, 1, n(c.wm(id, "user_id=u1")))
	assert.Equal(c.t, 4, n(other.wm(id, "user_id=u1")))
	c.get("/v1/working-memory/" + id).is(404)
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
	c.eventually(func() bool { return c.search(`,"text":"dawn","search_mode":"keyword"`).ok().int("total") == 1 })
	record := c.search(`,"text":"dawn","search_mode":"keyword"`).ok()
	assert.Equal(c.t, []any{"new", c.ns, "u", "s"}, []any{
		record.at("memories", 0, "id"), record.at("memories", 0, "namespace"),
		record.at("memories", 0, "user_id"), record.at("memories", 0, "session_id"),
	}, "it inherits what it lacks")
	c.eventually(func() bool { return c.get(c.wm("s")).ok().at("memories", 0, "persisted_at") != nil })
	c.put(c.wm("s"), body).ok()
	c.put(c.wm("s2"), `{"user_id":"u","memories":[{"id":"last","text":"a later zebrafinch"}]}`).ok()
	c.eventually(func() bool { return c.search(`,"text":"later","search_mode":"keyword"`).ok().int("total") == 1 })
	assert.Equal(c.t, 2, c.search(``).ok().int("total"), "each once, and not the one promoted before")
}
