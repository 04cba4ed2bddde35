package servertest

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRates: each token has a rate of its own. What is refused is not done, and says when to
// come again.
func TestRates(t *testing.T) {
	t.Parallel()
	const atOnce = 30
	s := settings{
		store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), auth: "token",
		args: append([]string{"--rate", "0.001", "--burst", strconv.Itoa(atOnce)}, estimate...),
	}
	p := start(t, s)
	st := &store{settings: s, auth: p, tokens: true}
	c := call(t, p)
	mine, other := c.as(st.token(c, "--namespace", c.ns)), c.as(st.token(c, "--namespace", c.ns+"-other"))
	for i := range atOnce {
		mine.post("/v1/working-memory/s/messages", `{"messages":`+talkFrom(i, i+1)+`}`).ok()
	}
	for _, a := range []*answer{
		mine.post("/v1/working-memory/s/messages", `{"messages":`+talkFrom(atOnce, atOnce+1)+`}`), mine.get("/v1/working-memory/s"), mine.delete("/v1/working-memory/s"),
	} {
		a.fails(429, "Too many requests")
		assert.Regexp(t, `^[1-9]\d*$`, a.header.Get("Retry-After"))
	}
	mine.get("/v1/health").ok()
	other.get("/v1/working-memory/").ok()
	again := mine.as(st.token(c, "--namespace", c.ns)) // another token of the same tenant
	require.Equal(t, ids(0, atOnce), again.get("/v1/working-memory/s").ok().all("id", "messages"))
}
