package mcpproxy_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// scripted is an HTTP server that answers by a script, and notes what it receives.
type scripted struct {
	mu     sync.Mutex
	got    []string // method, headers and body of each request
	answer func(w http.ResponseWriter, r *http.Request, body string)
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id"} {
		if value := r.Header.Get(name); value != "" {
			line += " " + name + "=" + value
		}
	}
	s.mu.Lock()
	s.got = append(s.got, line+" "+string(body))
	s.mu.Unlock()
	s.answer(w, r, string(body))
}

func (s *scripted) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.got, "\n")
}

// dial returns a connection to a scripted server.
func dial(t *testing.T, s *scripted, log *syncbuffer.Buffer) *mcpproxy.HTTP {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := mcpproxy.NewHTTP(server.URL+"/mcp?key=hunter2", &mcpproxy.HTTPOptions{
		Header: http.Header{"Authorization": {"Bearer x"}}, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func send(t *testing.T, c mcpproxy.Conn, line string) {
	t.Helper()
	require.NoError(t, c.Send(t.Context(), mcpproxy.Packet{Text: []byte(line)}))
}

func receive(t *testing.T, c mcpproxy.Conn) string {
	t.Helper()
	p, err := c.Receive(t.Context())
	require.NoError(t, err)
	return string(p.Text)
}

// events writes a stream of server-sent events.
func events(w http.ResponseWriter, lines ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	fmt.Fprint(w, strings.Join(lines, "\n")+"\n")
	w.(http.Flusher).Flush()
}

// A session has the headers of the protocol, and is ended with the connection.
func TestHTTPSession(t *testing.T) {
	t.Parallel()
	initialized := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	change := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	listening := make(chan struct{})
	s := &scripted{answer: func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			events(w, ": hello", "event: message", "data: "+change, "", "event: other", "data: {}", "")
			close(listening)
			<-r.Context().Done()
		case strings.Contains(body, `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "s-1")
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{\"id\":1,\r\n\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n")
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}}
	log := new(syncbuffer.Buffer)
	c := dial(t, s, log)
	send(t, c, request("0", "server/discover", `{}`))
	assert.Contains(t, receive(t, c), `"id":0,"error":{"code":-32601`)
	send(t, c, request("1", "initialize", `{}`))
	assert.Equal(t, `{"id":1,  "result":{"protocolVersion":"2025-06-18"}} `, receive(t, c))
	send(t, c, initialized)
	assert.Equal(t, change, receive(t, c))
	<-listening
	require.NoError(t, c.Close())
	_, err := c.Receive(t.Context())
	require.ErrorIs(t, err, io.EOF)
	session := " Authorization=Bearer x Mcp-Session-Id=s-1 Mcp-Protocol-Version=2025-06-18 "
	assert.Equal(t, "POST Authorization=Bearer x "+request("1", "initialize", `{}`)+"\nPOST"+session+initialized+"\nGET"+session+"\nDELETE"+session, s.received())
	assert.Empty(t, log.String())
}

// A stream that ends before the answer is continued.
func TestHTTPStreamIsContinued(t *testing.T) {
	t.Parallel()
	progress := `{"jsonrpc":"2.0","method":"notifications/progress"}`
	gets := 0
	s := &scripted{answer: func(w http.ResponseWriter, r *http.Request, _ string) {
		switch {
		case r.Method == http.MethodPost:
			events(w, "id: 7", "retry: 1", "data:", "", "id: 8", "data: "+progress, "")
		case gets == 0:
			gets++
			http.Error(w, "try again", http.StatusServiceUnavailable)
		default:
			events(w, "id: 9", `data: {"id":1,`, `data: "result":{}}`, "")
		}
	}}
	c := dial(t, s, new(syncbuffer.Buffer))
	send(t, c, request("1", "ping", `{}`))
	assert.Equal(t, progress, receive(t, c))
	assert.Equal(t, `{"id":1, "result":{}}`, receive(t, c))
	get := "\nGET Authorization=Bearer x Last-Event-Id=8 "
	assert.Equal(t, "POST Authorization=Bearer x "+request("1", "ping", `{}`)+get+get, s.received())
}

// A request that fails is answered with an error, which has neither the URL nor contents.
func TestHTTPFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string
	}{
		"status":           {func(w http.ResponseWriter) { http.Error(w, "secret", http.StatusUnauthorized) }, "the server answered with HTTP 401 Unauthorized"},
		"not the answer":   {func(w http.ResponseWriter) { fmt.Fprint(w, `secret`) }, "the server ended its stream without an answer"},
		"no answer":        {func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, "the server ended its stream without an answer"},
		"stream that ends": {func(w http.ResponseWriter) { events(w, "data: secret", "") }, "the server ended its stream without an answer"},
		"broken off":       {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "cannot be reached: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := new(syncbuffer.Buffer)
			c := dial(t, &scripted{answer: func(w http.ResponseWriter, _ *http.Request, _ string) { tc.answer(w) }}, log)
			send(t, c, request(`"x"`, "ping", `{}`))
			got := receive(t, c)
			assert.Contains(t, got, `"id":"x","error":{"code":-32603,`)
			assert.Contains(t, got, tc.want)
			send(t, c, `{"jsonrpc":"2.0","method":"notifications/x"}`)
			for _, secret := range []string{"secret", "hunter2"} {
				assert.NotContains(t, got+log.String(), secret)
			}
		})
	}
}

// An answer with an error status passes, and the end of the session ends the connection.
func TestHTTPErrorAnswers(t *testing.T) {
	t.Parallel()
	s := &scripted{answer: func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case strings.Contains(body, "initialize"):
			w.Header().Set("Mcp-Session-Id", "s-1")
			fmt.Fprint(w, result("1", `{}`))
		case strings.Contains(body, "bad"):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, failure("2", -32602, "bad"))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}}
	c := dial(t, s, new(syncbuffer.Buffer))
	send(t, c, request("1", "initialize", `{}`))
	assert.Equal(t, result("1", `{}`), receive(t, c))
	send(t, c, request("2", "bad", `{}`))
	assert.Equal(t, failure("2", -32602, "bad"), receive(t, c))
	send(t, c, request("3", "ping", `{}`))
	for {
		p, err := c.Receive(t.Context())
		if err != nil {
			require.ErrorContains(t, err, "mcpproxy: the server ended the session: ")
			break
		}
		assert.Contains(t, string(p.Text), "HTTP 404")
	}
}
