//go:build unix

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
)

func TestSQLiteStops(t *testing.T) {
	t.Parallel()
	testStop(t, settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")})
}

func TestRedisStops(t *testing.T) {
	t.Parallel()
	redis := servers.StartRedis(t)
	p := testStop(t, settings{store: redis.URL(), index: "sqlite:" + filepath.Join(t.TempDir(), "index.db")})
	redis.Kill()
	p.terminate() // must stop without its database too
}

// testStop stops a process while clients append, and starts another, which must have every
// acknowledged message and complete pending promotions. It returns the second process.
func testStop(t *testing.T, s settings) *process {
	const writers, before = 6, 60
	s.args = append([]string{"--promote-after", "2s", "--index-messages", "on"}, estimate...)
	c := call(t, start(t, s))
	var acknowledged [writers]int
	var sum atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		path := c.of(fmt.Sprint("s", w), "messages", "context_window_max=10000000")
		all.Go(func() {
			for i := range 10_000 {
				a, err := c.try(http.MethodPost, path, `{"messages":`+talkFrom(i, i+1)+`}`)
				if err != nil {
					return // the process has stopped
				}
				if !assert.Equal(t, http.StatusOK, a.status, "%s", a.raw) {
					return
				}
				acknowledged[w]++
				sum.Add(1)
			}
		})
	}
	c.eventually(func() bool { return sum.Load() >= before })
	c.p.terminate()
	all.Wait()

	c.p = start(t, s)
	kept := 0
	for w := range writers {
		got := c.get(c.wm(fmt.Sprint("s", w))).ok().all("id", "messages")
		require.GreaterOrEqual(t, len(got), acknowledged[w])
		require.Equal(t, ids(0, len(got)), got, "no gaps")
		kept += len(got)
	}
	c.within(3*patience, func() bool { return c.search(``).ok().int("total") >= kept })
	return c.p
}
