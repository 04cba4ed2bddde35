package servertest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
		"reads see writes": bothSee, "promotion happens once": bothPromote, "appends lose nothing": bothAppend, "one writer with an ETag wins": oneWriterWins,
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
	t.Run("one is killed", func(t *testing.T) {
		t.Parallel()
		oneIsKilled(t, s, b)
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

// oneWriterWins requires that one of several concurrent writes with the same ETag succeeds.
func oneWriterWins(c, d *caller) {
	etag := c.put(c.wm("s"), `{}`).ok().header.Get("ETag")
	var statuses [6]int
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			a, err := []*caller{c, d}[i%2].try(http.MethodPut, c.wm("s"), fmt.Sprintf(`{"data":{"winner":%d}}`, i), "If-Match", etag)
			if assert.NoError(c.t, err) {
				statuses[i] = a.status
			}
		})
	}
	all.Wait()
	winner := c.get(c.wm("s")).ok().int("data", "winner")
	for i, status := range statuses {
		assert.Equal(c.t, map[bool]int{true: http.StatusOK, false: http.StatusPreconditionFailed}[i == winner], status, "writer %d, where %d won", i, winner)
	}
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

func bothAppend(c, d *caller) {
	const writers, each = 6, 10
	var all sync.WaitGroup
	var want []string
	for w := range writers {
		want = append(want, ids(w*100, w*100+each)...)
		all.Go(func() {
			for i := range each {
				by := []*caller{c, d}[(w+i)%2]
				a, err := by.try(http.MethodPost, c.of("s", "messages", "context_window_max=1000000"), `{"messages":`+talkFrom(w*100+i, w*100+i+1)+`}`)
				if assert.NoError(c.t, err) {
					assert.Equal(c.t, 200, a.status, "%s", a.raw)
				}
			}
		})
	}
	all.Wait()
	require.ElementsMatch(c.t, want, c.get(c.wm("s")).ok().all("id", "messages"))
	require.Equal(c.t, string(c.get(c.wm("s")).raw), string(d.get(c.wm("s")).raw))
}

// oneIsKilled kills a process while it serves appends. The other process has them all.
func oneIsKilled(t *testing.T, s settings, other *process) {
	c, d := call(t, start(t, s)), call(t, other)
	var acknowledged []string
	done := make(chan struct{})
	first := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			a, err := c.try(http.MethodPost, c.of("s", "messages", "context_window_max=10000000"), `{"messages":`+talkFrom(i, i+1)+`}`)
			if err != nil || a.status != http.StatusOK {
				return
			}
			acknowledged = append(acknowledged, fmt.Sprint("m", i))
			if i == 20 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-done:
	case <-time.After(patience):
	}
	c.p.kill()
	<-done
	require.Greater(t, len(acknowledged), 20)
	stored := d.get(c.wm("s")).ok().all("id", "messages")
	require.Equal(t, acknowledged, stored[:len(acknowledged)])
	require.LessOrEqual(t, len(stored), len(acknowledged)+1, "the answer of the last append may be lost")
}
