package servertest

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	index := "sqlite:" + filepath.Join(t.TempDir(), "index.db")
	redis := servers.StartRedis(t)
	testRestart(t, redis, settings{store: redis.URL(), index: index, args: estimate})
}

func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	postgres := servers.StartPostgres(t)
	testRestart(t, postgres, settings{store: postgres.URL(), args: estimate})
}

// testRestart restarts a database while clients append and retry.
func testRestart(t *testing.T, database *servers.Server, s settings) {
	const writers = 6
	c := call(t, start(t, s))
	var acknowledged [writers]int
	var sum, failed atomic.Int64
	var stopped atomic.Bool
	defer stopped.Store(true)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for !stopped.Load() && appendUntilOK(c, w, acknowledged[w], &failed) {
				acknowledged[w]++
				sum.Add(1)
			}
		})
	}
	increases := func(n *atomic.Int64) {
		before := n.Load()
		c.eventually(func() bool { return n.Load() > before })
	}
	for _, end := range []func(){database.Kill, database.Stop} {
		increases(&sum)
		end()
		increases(&failed)
		assert.Equal(t, http.StatusServiceUnavailable, c.get("/v1/ready").status)
		c.get("/v1/health").ok()
		database.Start()
	}
	increases(&sum)
	stopped.Store(true)
	all.Wait()
	c.p.waitReady()
	for w, n := range acknowledged {
		require.Equal(t, ids(0, n), c.get(c.wm(fmt.Sprint("s", w))).ok().all("id", "messages"))
	}
}

// appendUntilOK appends a message until it succeeds. Its id makes that safe.
func appendUntilOK(c *caller, w, i int, failed *atomic.Int64) bool {
	path := c.of(fmt.Sprint("s", w), "messages", "context_window_max=10000000")
	for tries := range 100_000 {
		a, err := c.try(http.MethodPost, path, `{"messages":`+talkFrom(i, i+1)+`}`)
		if !assert.NoError(c.t, err, "the server always answers") {
			return false
		}
		if a.status == http.StatusOK {
			return true
		}
		failed.Add(1)
		if !assert.Equal(c.t, http.StatusServiceUnavailable, a.status, "%s", a.raw) {
			return false
		}
		if tries == 0 {
			checkShape(a)
		}
	}
	return assert.Fail(c.t, "the server does not recover")
}

func TestSQLiteProcessIsKilled(t *testing.T) {
	t.Parallel()
	testKilled(t, settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), args: estimate})
}

// testKilled kills a process and starts another, which must have every acknowledged write and
// complete pending promotions.
func testKilled(t *testing.T, s settings) {
	c := call(t, start(t, s))
	for i := range 20 {
		c.post(c.of("s", "messages"), `{"messages":`+talkFrom(i, i+1)+`}`).ok()
	}
	c.post(c.of("s", "tool-calls"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
	c.put(c.wm("gone"), `{}`).ok()
	c.delete(c.wm("gone")).ok()
	c.remember(`"id":"m","text":"zebrafinch"`, `"id":"n","text":"zebrafinch two"`)
	c.send(http.MethodPatch, "/v1/long-term-memory/m?namespace="+c.ns, `{"pinned":true}`).ok()
	c.delete("/v1/long-term-memory?memory_ids=n&namespace=" + c.ns).ok()
	c.put(c.wm("t"), `{"memories":[{"id":"later","text":"zebrafinch sings"}]}`).ok()
	c.p.kill()
	c.p = start(t, s)
	require.Equal(t, ids(0, 20), c.get(c.wm("s")).ok().all("id", "messages"))
	require.Equal(t, []string{"p-1"}, c.get(c.of("s", "entities")).ok().all("id", "entities"))
	c.get(c.wm("gone")).is(404)
	memory := c.get("/v1/long-term-memory/m?namespace=" + c.ns).ok()
	require.Equal(t, []any{"zebrafinch", true}, []any{memory.at("text"), memory.at("pinned")})
	c.get("/v1/long-term-memory/n?namespace=" + c.ns).is(404)
	require.Equal(t, []string{"later"}, c.get(c.wm("t")).ok().all("id", "memories"))
	if soak.Enabled() { // the killed process may hold a lease of a minute
		c.within(3*patience, func() bool { return c.search(`,"text":"sings"`).ok().int("total") == 1 })
	}
	c.p.terminate()
	c.p = start(t, s)
	require.Equal(t, ids(0, 20), c.get(c.wm("s")).ok().all("id", "messages"))
}
