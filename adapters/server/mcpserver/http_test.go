package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

type tenantKey struct{}

// tenantOf returns the tenant that withTenants put into the context.
func tenantOf(ctx context.Context) (auth.Tenant, error) {
	t, ok := ctx.Value(tenantKey{}).(auth.Tenant)
	if !ok {
		return t, errors.New("the secret reason")
	}
	return t, nil
}

// withTenants uses the Authorization header as the user.
func withTenants(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			r = r.WithContext(context.WithValue(r.Context(), tenantKey{}, auth.Tenant{UserID: user}))
		}
		next.ServeHTTP(w, r)
	})
}

// bearer sends a token, which tests may change.
type bearer struct {
	mu    sync.Mutex
	token string
}

func (b *bearer) set(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.token = token
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	token := b.token
	b.mu.Unlock()
	r = r.Clone(r.Context())
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func serve(t *testing.T, opts mcpserver.Options) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(withTenants(newServer(t, opts).HTTPHandler()))
	t.Cleanup(server.Close)
	return server
}

func dial(t *testing.T, url string, token *bearer) *caller {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	cs, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: token}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() })
	return newCaller(t, cs)
}

func TestEachHTTPRequestCountsForItsOwnTenant(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{Tenant: tenantOf})
	token := &bearer{token: "anna"}
	c := dial(t, server.URL, token)
	c.call("append_messages", `{"session_id":"s","messages":[{"role":"user","content":"Anna's secret"}]}`)

	token.set("bert") // the connection that anna opened
	said, _ := c.call("get_working_memory", `{"session_id":"s"}`)
	assert.NotContains(t, said, "secret")
	said, _ = c.call("get_working_memory", `{"session_id":"s","user_id":"anna"}`)
	assert.NotContains(t, said, "secret")
	assert.Contains(t, c.fail("append_messages", `{"session_id":"s","user_id":"anna","messages":[{"role":"user","content":"x"}]}`), "not valid for this user")
	token.set("anna")
	said, _ = c.call("get_working_memory", `{"session_id":"s"}`)
	assert.Contains(t, said, "secret")

	token.set("")
	assert.Equal(t, "Not authorized", c.fail("get_working_memory", `{"session_id":"s"}`))
	_, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/s/block"})
	require.ErrorContains(t, err, "Not authorized")
	assert.NotContains(t, err.Error(), "secret")
}

func TestDefaultOwners(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{Tenant: tenantOf, Namespace: "desk", UserID: "nobody"})
	anna, bert := dial(t, server.URL, &bearer{token: "anna"}), dial(t, server.URL, &bearer{token: "bert"})
	_, set := anna.call("set_working_memory", `{"session_id":"s"}`)
	assert.Equal(t, "desk", set["namespace"])
	assert.Equal(t, "anna", set["user_id"], "the tenant's counts more than the server's")
	anna.call("memorize", `{"text":"Anna likes tea"}`)
	said, _ := bert.call("remember", `{"query":"tea"}`)
	assert.Empty(t, said)
	said, _ = anna.call("remember", `{"query":"tea"}`)
	assert.Contains(t, said, "Anna likes tea")
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends a message and returns the status and the body of the answer.
func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	answer, said := exchange(t, url, body, header...)
	return answer.StatusCode, said
}

func exchange(t *testing.T, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(said)
}

func TestHTTPBounds(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{MaxBodyBytes: 10_000})
	for name, c := range map[string]struct {
		status int
		body   string
		header []string
	}{
		"fine":              {200, initialize, nil},
		"too large":         {413, initialize + strings.Repeat(" ", 10_000), nil},
		"too many messages": {400, "[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/initialized"},`, 100) + initialize + "]", nil},
		"no JSON":           {400, "{", nil},
		"nothing":           {400, "", nil},
		"another host":      {403, initialize, []string{"Host", "evil.example"}},
		"another origin":    {403, initialize, []string{"Origin", "https://evil.example"}},
		"another media":     {415, initialize, []string{"Content-Type", "text/plain"}},
		"a session":         {200, initialize, []string{"Mcp-Session-Id", "stolen"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, said := post(t, server.URL, c.body, c.header...)
			assert.Equal(t, c.status, status, said)
		})
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	}
	anyHost := serve(t, mcpserver.Options{AnyHost: true})
	status, _ := post(t, anyHost.URL, initialize, "Host", "public.example")
	assert.Equal(t, http.StatusOK, status)
}

func TestSlowBodiesEnd(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{BodyTimeout: 50 * time.Millisecond})
	slow, write := io.Pipe()
	defer write.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, io.MultiReader(strings.NewReader("{"), slow))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the connection was closed before the answer was read
	}
	defer answer.Body.Close()
	assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
}

func TestCallsEndWithTheirRequests(t *testing.T) {
	t.Parallel()
	entered, ended := make(chan struct{}), make(chan error, 1)
	handler := newServer(t, mcpserver.Options{MaxCalls: 1, Tenant: func(ctx context.Context) (auth.Tenant, error) {
		entered <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return auth.Tenant{}, ctx.Err()
	}}).HTTPHandler()
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_block","arguments":{"session_id":"s"}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, bytes.NewReader([]byte(call)))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	go func() {
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
		}
	}()
	<-entered
	status, _ := post(t, server.URL, initialize)
	assert.Equal(t, http.StatusOK, status, "it makes no other request wait")
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
}

func TestClientsOfEveryProtocolVersion(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{})
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_current_datetime","arguments":{}}}`
	for _, version := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25"} {
		header := []string{}
		if version != "" {
			header = []string{"Mcp-Protocol-Version", version}
		}
		status, said := post(t, server.URL, call, header...)
		assert.Equal(t, http.StatusOK, status, version)
		assert.Contains(t, said, `\"iso_utc\":\"2026-03-01T12:00:00Z\"`, version)
	}
	status, said := post(t, server.URL, "["+call+","+strings.Replace(call, "7", "8", 1)+"]", "Mcp-Protocol-Version", "2025-03-26")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, 2, strings.Count(said, "iso_utc"), "a small batch: %s", said)
}

// serveOne serves a message without a network and returns the answer.
func serveOne(ctx context.Context, handler http.Handler, message string) string {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.String()
}

// A request counts with what it takes before its call runs. Not parallel, since others would use
// the heap too.
func TestMemoryOfWaitingRequests(t *testing.T) {
	const requests, each = 500, 64 << 10
	var waiting sync.WaitGroup
	waiting.Add(requests)
	proceed := make(chan struct{})
	handler := newServer(t, mcpserver.Options{MaxCalls: requests, Tenant: func(context.Context) (auth.Tenant, error) {
		waiting.Done()
		<-proceed
		return auth.Tenant{}, nil
	}}).HTTPHandler()
	used := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse)
	}
	before := used()
	var served sync.WaitGroup
	for range requests {
		served.Go(func() {
			serveOne(t.Context(), handler, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_block","arguments":{"session_id":"s"}}}`)
		})
	}
	waiting.Wait()
	assert.Less(t, (used()-before)/requests, int64(each))
	close(proceed)
	served.Wait()
}
