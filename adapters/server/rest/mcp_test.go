package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// withMCP is a server of both protocols on one store, as wmem serve runs it.
type withMCP struct {
	*server
	both http.Handler
}

func startWithMCP(t *testing.T, opts ...option) *withMCP {
	store := memstore.New(nil)
	s := &withMCP{server: start(t, append(opts, func(o *setup) { o.store = store })...)}
	manager, err := session.NewManager(store, nil)
	require.NoError(t, err)
	tools, err := mcpserver.New(manager, &mcpserver.Options{AnyHost: true, Tools: []string{mcpserver.ToolsAll}, Count: s.handler.CountMore, Tenant: func(ctx context.Context) (auth.Tenant, error) {
		tenant, ok := rest.TenantFrom(ctx)
		if !ok {
			return tenant, errors.New("not authenticated")
		}
		return tenant, nil
	}})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.handler.Observed("/mcp", s.handler.Authenticate(tools.HTTPHandler())))
	mux.Handle("/", s.handler)
	s.both = mux
	return s
}

const mcpHeaders = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

// post serves a body at /mcp.
func (s *withMCP) post(body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	for _, h := range append(strings.Split(strings.TrimSpace(mcpHeaders), "\r\n"), headers...) {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.both.ServeHTTP(w, r)
	return w
}

// toolCall returns a message that calls a tool.
func toolCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

var now = toolCall(1, "get_current_datetime", `{}`)

// Clients that stop sending do not keep others out, however many there are, and use the memory of
// all requests.
func TestSlowSendersOfMCP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startWithMCP(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 16 << 20 }))
		p := piped(t, s.both)
		var slow []*peer
		begin := func(bytes int) {
			c := newPeer(t, p)
			go c.read()
			_, _ = fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: x\r\n%sContent-Length: 1000000\r\n\r\n%s", mcpHeaders, strings.Repeat(" ", bytes))
			slow = append(slow, c)
		}
		for range 100 { // more than mcpserver.DefaultMaxCalls
			begin(1)
		}
		synctest.Wait()
		assert.Equal(t, 200, s.post(now).Code)
		for range 10 {
			begin(300_000)
		}
		time.Sleep(2 * time.Second) // refusals are read when no more of a body comes
		synctest.Wait()
		count := map[int64]int{}
		for _, c := range slow {
			count[c.status.Load()]++
		}
		assert.Positive(t, count[503], "%v", count)
		s.do("PUT", "/v1/working-memory/large", contextOf(4_000_000)).fails(503, "Memory for request bodies is exhausted: try again")
		assert.Equal(t, 200, s.post(now).Code, "small requests have room of their own")
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, c := range slow {
			assert.Contains(t, []int64{408, 503}, c.status.Load())
		}
		s.do("PUT", "/v1/working-memory/large", contextOf(4_000_000)).is(200) // all is back
	})
}

// What calls read and return counts against the memory of all requests, each call of a batch, until
// the client has read the answer.
func TestMemoryOfMCP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startWithMCP(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 4 << 20 }))
		s.do("PUT", "/v1/working-memory/small", contextOf(100_000)).is(200)
		s.do("PUT", "/v1/working-memory/large", contextOf(500_000)).is(200)
		get := func(id int, name string) string {
			return toolCall(id, "get_working_memory", fmt.Sprintf(`{"session_id":%q}`, name))
		}
		said := s.post(get(1, "large")).Body.String()
		assert.Contains(t, said, `"isError":true`)
		assert.Contains(t, said, "Read would take too much memory: ask for less")

		batch := make([]string, 20)
		for i := range batch {
			batch[i] = get(i, "small")
		}
		got := s.post("["+strings.Join(batch, ",")+"]", "Mcp-Protocol-Version: 2025-03-26")
		require.Equal(t, 200, got.Code)
		said = got.Body.String()
		assert.Equal(t, 20, strings.Count(said, `"jsonrpc"`), "each call is answered")
		refused := strings.Count(said, `"isError":true`)
		assert.Positive(t, refused)
		assert.Less(t, refused, 20)
		assert.Equal(t, refused, strings.Count(said, "Memory for reads is exhausted: try again")+strings.Count(said, "Read would take too much memory: ask for less"))

		p := piped(t, s.both)
		var slow []*peer
		for range 2 {
			c := newPeer(t, p)
			_, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", mcpHeaders, len(get(1, "small")), get(1, "small"))
			require.NoError(t, err)
			slow = append(slow, c)
			synctest.Wait()
		}
		s.do("GET", "/v1/working-memory/large", "").fails(503, "Memory for reads is exhausted: try again")
		assert.Equal(t, 200, s.post(now).Code)
		time.Sleep(rest.DefaultBodyTimeout + 2*time.Second) // 64 KiB more a second were allowed to them
		synctest.Wait()
		s.do("GET", "/v1/working-memory/large", "").is(200)
		for _, c := range slow {
			part, err := io.ReadAll(c)
			require.NoError(t, err)
			assert.NotContains(t, string(part), "Memory for reads is exhausted")
			assert.Less(t, len(part), 200_000, "cut off")
		}
	})
}

// Every request to /mcp counts for the rate, whatever its method, and each message of a batch.
func TestRatesOfMCP(t *testing.T) {
	t.Parallel()
	s := startWithMCP(t, withTokens, with(func(o *rest.Options) { o.Rate, o.Burst = 0.001, 4 }))
	token, _ := s.token(auth.Tenant{Namespace: "a"}, 0)
	other, _ := s.token(auth.Tenant{Namespace: "b"}, 0)
	ask := func(method, token string) int {
		r := httptest.NewRequest(method, "/mcp", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.both.ServeHTTP(w, r)
		return w.Code
	}
	assert.Equal(t, 405, ask("GET", token))
	assert.Equal(t, 405, ask("DELETE", token))
	batch := "[" + now + "," + strings.Replace(now, `"id":1`, `"id":2`, 1) + "]"
	assert.Equal(t, 200, s.post(batch, "Authorization: Bearer "+token, "Mcp-Protocol-Version: 2025-03-26").Code)
	assert.Equal(t, 429, s.post(now, "Authorization: Bearer "+token).Code)
	assert.Equal(t, 429, ask("GET", token))
	s.do("GET", "/v1/working-memory", "", "Authorization: Bearer "+token).is(429)
	assert.Equal(t, 200, s.post(now, "Authorization: Bearer "+other).Code)
	for range 100 {
		assert.Equal(t, 401, s.post(now, "Authorization: Bearer guess").Code)
	}
	assert.Equal(t, 429, s.post(now, "Authorization: Bearer guess").Code)
}
