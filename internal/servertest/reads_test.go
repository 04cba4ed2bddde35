//go:build linux

package servertest

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// startWithLarge starts a process on a store that has the session "large" of so many messages of
// 1 MB, which another process has written.
func startWithLarge(t *testing.T, store string, megabytes int) *caller {
	s := settings{store: store, index: "memory:", args: append([]string{"--summarize", "off", "--tools", "all"}, estimate...)}
	p := start(t, s)
	c := call(t, p)
	for i := range megabytes {
		body := `{"messages":[` + message(fmt.Sprint("m", i), "user", strings.Repeat("lorem ipsum ", 1<<20/12), noon) + `]}`
		c.post(c.of("large", "messages"), body, "Prefer", "return=minimal").ok()
	}
	p.terminate()
	c.p = start(t, s)
	return c
}

// Reads count against the memory of requests before they are made: of many at once, some are
// refused, and all are answered when they try again.
func TestReadsOfLargeSessions(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "wmem.db") },
		"Redis":      func(t *testing.T) string { return servers.StartRedis(t).URL() },
		"PostgreSQL": func(t *testing.T) string { return servers.StartPostgres(t).URL() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const megabytes = 30
			c := startWithLarge(t, place(t), megabytes)
			readOften(c, soak.Times(15, 40), func() (answered bool) {
				status, bytes := discard(c, http.MethodGet, c.wm("large"), "")
				if status == http.StatusServiceUnavailable {
					return false
				}
				assert.Equal(t, http.StatusOK, status)
				assert.Greater(t, bytes, int64(megabytes)*1_000_000)
				return true
			})
		})
	}
}

// The same over MCP, in batches of four.
func TestReadsOfLargeSessionsOverMCP(t *testing.T) {
	t.Parallel()
	const megabytes, batch = 4, 4
	c := startWithLarge(t, "sqlite:"+filepath.Join(t.TempDir(), "wmem.db"), megabytes)
	var calls []string
	for i := range batch {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_working_memory","arguments":{"session_id":"large","namespace":%q}}}`, i, c.ns))
	}
	readOften(c, soak.Times(3, 40), func() (answered bool) {
		status, bytes := discard(c, http.MethodPost, "/mcp", "["+strings.Join(calls, ",")+"]")
		if status == http.StatusServiceUnavailable {
			return false
		}
		assert.Equal(t, http.StatusOK, status)
		return bytes > int64(megabytes)*1_000_000 // of a call, at least
	})
}

// readOften has clients repeat a read until it is answered, and requires that the server's memory
// stays bounded.
func readOften(c *caller, clients int, read func() (answered bool)) {
	var refused atomic.Int32
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for !read() {
				refused.Add(1)
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	all.Wait()
	peak := peakMemory(c.t, c.p)
	c.t.Logf("%d answered, %d refused before: peak %d MB", clients, refused.Load(), peak>>20)
	limit := int64(640 << 20)
	if race.Enabled {
		limit *= 4
	}
	assert.Less(c.t, peak, limit)
}

// discard reads an answer without keeping it.
func discard(c *caller, method, path, body string) (status int, bytes int64) {
	req, err := http.NewRequest(method, c.p.base+path, strings.NewReader(body))
	if !assert.NoError(c.t, err) {
		return 0, 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := c.client.Do(req)
	if !assert.NoError(c.t, err) {
		return 0, 0
	}
	defer func() { _ = res.Body.Close() }()
	bytes, err = io.Copy(io.Discard, res.Body)
	assert.NoError(c.t, err)
	return res.StatusCode, bytes
}
