package servertest

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

func TestTwoProcessesOnRedisAndPostgres(t *testing.T) {
	t.Parallel()
	redis, postgres := servers.StartRedis(t), servers.StartPostgres(t)
	testTwo(t, settings{store: redis.URL(), index: postgres.URL(), args: estimate})
}

// testTwo requires that two processes on the same databases behave as one.
func testTwo(t *testing.T, s settings) {
	a, b := start(t, s), start(t, s)
	for name, test := range map[string]func(c, d *caller){
		"reads see writes": bothSee, "promotion happens once": bothPromote,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(t, a)
			d := *c
			d.p = b
			test(c, &d)
		})
	}
	t.Run("tokens", func(t *testing.T) {
		t.Parallel()
		locked := s
		locked.auth = "token"
		both := []*process{start(t, locked), start(t, locked)}
		c := call(t, both[0])
		token := createToken(c, s.store, both, "--namespace", c.ns)
		c.token = token
		d := *c
		d.p = both[1]
		c.put("/v1/working-memory/s", `{}`).ok()
		d.get("/v1/working-memory/s").ok()
		_, err := wmem(c, "token", "revoke", "--store", s.store, idOf(token))
		require.NoError(t, err)
		c.get("/v1/working-memory/s").is(http.StatusUnauthorized)
		d.get("/v1/working-memory/s").is(http.StatusUnauthorized)
	})
}

func bothSee(c, d *caller) {
	c.put(c.wm("s"), `{"messages":`+talk(2)+`,"data":{"k":"v"}}`).ok()
	require.Equal(c.t, string(c.get(c.wm("s")).ok().raw), string(d.get(c.wm("s")).ok().raw))
	d.post(c.of("s", "messages"), `{"messages":`+talkFrom(2, 3)+`}`).ok()
	require.Equal(c.t, ids(0, 3), c.get(c.wm("s")).ok().all("id", "messages"))
	c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
	require.Equal(c.t, []string{"p-1"}, d.get(c.of("s", "entities")).ok().all("id", "entities"))
	c.remember(`"id":"m","text":"zebrafinch sings"`)
	require.Equal(c.t, []string{"m"}, d.search(`,"text":"sings"`).ok().all("id", "memories"))
	d.delete(c.wm("s")).ok()
	c.get(c.wm("s")).is(404)
}

func bothPromote(c, d *caller) {
	const sessions = 10
	for i := range sessions {
		body := fmt.Sprintf(`{"memories":[{"text":"zebrafinch sings song %d"},{"id":"m%d","text":"zebrafinch eats seed %d"}]}`, i, i, i)
		[]*caller{c, d}[i%2].put(c.wm(fmt.Sprint("s", i)), body).ok()
	}
	c.eventually(func() bool { return d.search(`,"limit":1`).ok().int("total") >= 2*sessions })
	for i := range sessions {
		c.eventually(func() bool {
			a := c.get(c.wm(fmt.Sprint("s", i))).ok()
			return a.at("memories", 0, "persisted_at") != nil && a.at("memories", 1, "persisted_at") != nil
		})
	}
	require.Equal(c.t, 2*sessions, c.search(``).ok().int("total"))
}
