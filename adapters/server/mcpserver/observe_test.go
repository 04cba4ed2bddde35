package mcpserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

func TestMessagesAreObserved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []mcpserver.Observation
	log := new(syncbuffer.Buffer)
	s := newServer(t, mcpserver.Options{
		Logger: slog.New(slog.NewTextHandler(log, nil)),
		Observe: func(o mcpserver.Observation) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, o)
		},
	})
	cs := connect(t, s.MCP())
	for _, c := range []struct{ tool, arguments string }{
		{"get_block", `{"session_id":"secret"}`}, {"get_context_usage", `{"session_id":"secret"}`}, {"secret_tool", `{"secret":"secret"}`},
	} {
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: map[string]any{"session_id": "secret"}})
	}
	_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "secret://secret"})
	require.Error(t, err)
	require.NoError(t, cs.Ping(t.Context(), nil))
	mu.Lock()
	defer mu.Unlock()
	var calls []mcpserver.Observation
	for _, o := range seen {
		assert.GreaterOrEqual(t, o.Duration, time.Duration(0))
		if o.Duration = 0; !strings.HasPrefix(o.Method, "notifications/") && o.Method != "initialize" && o.Method != "server/discover" {
			calls = append(calls, o)
		}
	}
	assert.Equal(t, []mcpserver.Observation{
		{Method: "tools/call", Tool: "get_block"}, {Method: "tools/call", Tool: "get_context_usage", Failed: true}, {Method: "tools/call", Failed: true},
		{Method: "resources/read", Failed: true}, {Method: "ping"},
	}, calls)
	said := strings.Join(lines(log), "\n")
	assert.Contains(t, said, "method=tools/call failed=true")
	assert.Contains(t, said, "tool=get_block")
	assert.NotContains(t, said, "secret")
	assert.NotContains(t, said, "notifications/", "below the level")
}

// A rate limiter is asked about all messages but the first.
func TestBatchesAreCounted(t *testing.T) {
	t.Parallel()
	left := 10
	var mu sync.Mutex
	server := serve(t, mcpserver.Options{Count: func(ctx context.Context, n int) (time.Duration, bool) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := tenantOf(ctx); err != nil {
			return 0, false
		}
		if n <= left {
			left -= n
			return 0, true
		}
		return 1500 * time.Millisecond, false
	}})
	send := func(n int, header ...string) *http.Response {
		body := "[" + strings.Repeat(ping("1")+",", n-1) + ping("2") + "]"
		for i := range n {
			body = strings.Replace(body, `"id":1,`, fmt.Sprintf(`"id":%d,`, i+10), 1)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		require.NoError(t, err)
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer
	}
	anna := []string{"Authorization", "Bearer anna"}
	assert.Equal(t, 200, send(1).StatusCode, "the first message is counted already")
	assert.Equal(t, 200, send(9, anna...).StatusCode)
	answer := send(4, anna...)
	assert.Equal(t, 429, answer.StatusCode)
	assert.Equal(t, "2", answer.Header.Get("Retry-After"))
	assert.Equal(t, 200, send(3, anna...).StatusCode)
	assert.Equal(t, 429, send(2, anna...).StatusCode)
	answer = send(2)
	assert.Equal(t, 400, answer.StatusCode, "it will never be accepted")
	assert.Empty(t, answer.Header.Get("Retry-After"))
}

// A call that takes too long gets an answer.
func TestSlowCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call   string
		status int
		said   string
		after  time.Duration
	}{
		"ours":   {fmt.Sprintf(slowCall, 7), 200, "The call took too long", time.Minute},
		"theirs": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}`, 503, "Request took too long", 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, mcpserver.Options{Timeout: time.Minute, MaxCalls: 1, Tenant: func(context.Context) (auth.Tenant, error) {
					time.Sleep(time.Minute + time.Second) // ignores its context
					return auth.Tenant{}, nil
				}})
				wait := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					time.Sleep(2 * time.Minute)
					return &mcp.CallToolResult{}, nil
				}
				s.MCP().AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, wait)
				r, w := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(c.call)), httptest.NewRecorder()
				r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
				start := time.Now()
				s.HTTPHandler().ServeHTTP(w, r)
				assert.Equal(t, c.status, w.Code)
				assert.Contains(t, w.Body.String(), c.said)
				assert.GreaterOrEqual(t, time.Since(start), c.after)
			})
		})
	}
}
