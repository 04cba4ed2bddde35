package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// marker is in everything that clients send, and in every secret.
const marker = "hunter2"

// Logs contain nothing that clients send, in any field of any route or tool, and no token, password
// or key, even while the store and the models' endpoint fail. The test reads everything that the
// process writes, also through its drivers.
func TestLogsHaveNoContents(t *testing.T) {
	t.Parallel()
	stores := map[string]string{"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")}
	for name, env := range map[string]string{"redis": "WORKINGMEMORY_TEST_REDIS", "postgres": "WORKINGMEMORY_TEST_POSTGRES"} {
		if text := os.Getenv(env); text != "" {
			stores[name] = text
		}
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cut func()
			if name != "sqlite" {
				store, cut = throughProxy(t, store)
			}
			testLogOf(t, store, cut)
		})
	}
}

func testLogOf(t *testing.T, store string, cut func()) {
	code, token, stderr := wmem(t, "", "token", "create", "--all", "--store", store)
	require.Equal(t, exitOK, code, stderr)
	token = strings.TrimSpace(token)
	e := newEndpoint(t)
	e.fails.Store(true)
	file := filepath.Join(t.TempDir(), "wmem.yaml")
	require.NoError(t, os.WriteFile(file, []byte("openai-api-key: "+endpointKey+"\n"), 0o600))
	child, errs := startChild(t, "serve", "--listen", "127.0.0.1:0", "--store", store, "--index", "sqlite:"+filepath.Join(t.TempDir(), "index.db"),
		"--auth", "token", "--log-level", "debug", "--encoding", "estimate", "--config", file, "--promote-after", "1ms",
		"--base-url", e.URL+"/v1", "--model", "chat-7", "--embedding-model", "vectors-7", "--index-messages", "on")
	s := &served{url: listening(t, errs), errs: errs}
	all := s.everyRequest(t)
	require.Greater(t, len(all), 40)
	for _, r := range all {
		for _, authorization := range []string{"Bearer " + token, "Bearer " + marker, marker, "Bearer " + token + marker} {
			r.send(t, s.url, authorization)
		}
	}
	s.sendOddities(t)
	if cut != nil {
		cut()
		var sent sync.WaitGroup
		for _, r := range all {
			if r.method == http.MethodGet || strings.Contains(r.body, "tools/call") {
				sent.Go(func() {
					status := r.send(t, s.url, "Bearer "+token)
					if r.method == http.MethodGet && status != http.StatusNotFound && status != http.StatusOK {
						assert.Equal(t, http.StatusServiceUnavailable, status, "%+v", r)
					}
					if strings.HasPrefix(r.path, "/v1/working-memory?") || r.path == "/mcp" {
						assert.Equal(t, http.StatusServiceUnavailable, status, "%+v", r)
					}
				})
			}
		}
		sent.Wait()
		status, _ := s.get(t, "/v1/health", "")
		assert.Equal(t, http.StatusOK, status)
	}
	_ = child.Process.Signal(syscall.SIGTERM)
	_ = child.Wait()                              // without its store it may exit with an error
	_, log, _ := strings.Cut(errs.String(), "\n") // the start-up line
	for line := range strings.Lines(strings.ToLower(log)) {
		// The Redis client logs the address and reason when it cannot connect.
		known := strings.HasPrefix(line, "time=") || strings.HasPrefix(line, "redis: ") || line == "testing: warning: no tests to run\n"
		assert.True(t, known, "unknown log: %s", line)
		for _, secret := range []string{marker, token, token[strings.LastIndex(token, "_")+1:]} {
			assert.NotContains(t, line, secret)
		}
	}
	assert.Contains(t, errs.String(), "rest: request")
	assert.Contains(t, errs.String(), "route=/mcp")
	assert.Contains(t, errs.String(), "tool=memory_prompt")
	assert.Contains(t, errs.String(), "the endpoint answered with status 401")
}

// markedRequest is a request that contains markers.
type markedRequest struct{ method, path, body string }

func (r markedRequest) send(t *testing.T, base, authorization string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), r.method, base+r.path, strings.NewReader(r.body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Authorization": authorization, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Cookie": "k=" + marker, "User-Agent": marker, "Referer": "http://" + marker + "/", "If-Match": `"` + marker + `"`, "X-Request-Id": marker + "!", marker: marker,
	} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	return answer.StatusCode
}

// everyRequest returns requests for every route of the OpenAPI document and for every tool.
func (s *served) everyRequest(t *testing.T) (all []markedRequest) {
	t.Helper()
	_, text := s.get(t, "/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Example any }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	for pattern, methods := range doc.Paths {
		path := strings.NewReplacer("{sid}", marker, "{id}", marker).Replace(pattern)
		for method, op := range methods {
			query := url.Values{marker: {marker}}
			for _, p := range op.Parameters {
				if p.In == "query" {
					query.Set(p.Name, marker)
				}
			}
			bodies := []string{""}
			if example := op.RequestBody.Content["application/json"].Example; example != nil {
				bodies = []string{
					encoded(t, marked(example, true)), encoded(t, marked(example, false)), `{"` + marker + `":`, marker,
					`{"` + marker + `":"` + marker + `"}`, "\"\xff" + marker,
				}
			}
			for _, body := range bodies {
				all = append(all, markedRequest{strings.ToUpper(method), path, body}, markedRequest{strings.ToUpper(method), path + "?namespace=" + marker + "&user_id=" + marker, body})
			}
			all = append(all, markedRequest{strings.ToUpper(method), path + "?" + query.Encode(), bodies[0]}, markedRequest{strings.ToUpper(method), path + "/" + marker, ""})
		}
	}
	for _, tool := range s.tools(t) {
		arguments := map[string]any{}
		for name := range tool.InputSchema.Properties {
			arguments[name] = marker
		}
		for _, name := range []string{tool.Name, marker} {
			all = append(all, call(t, "tools/call", map[string]any{"name": name, "arguments": arguments}))
		}
		arguments = map[string]any{}
		for name := range tool.InputSchema.Properties {
			if kind, _ := tool.InputSchema.Properties[name].Type.(string); kind == "string" || strings.HasSuffix(name, "_id") {
				arguments[name] = marker
			}
		}
		all = append(all, call(t, "tools/call", map[string]any{"name": tool.Name, "arguments": arguments}))
	}
	for _, uri := range []string{"memory://sessions/" + marker + "/block", "memory://sessions/" + marker + "/entities?user_id=" + marker, marker + "://x"} {
		all = append(all, call(t, "resources/read", map[string]any{"uri": uri}))
	}
	return append(all, call(t, marker, map[string]any{marker: marker}), markedRequest{"POST", "/mcp", marker}, markedRequest{"POST", "/mcp?" + marker, ""}, markedRequest{strings.ToUpper(marker), "/" + marker, marker})
}

type listedTool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct{ Type any }
	}
}

// tools lists the tools, of another server without tokens.
func (s *served) tools(t *testing.T) []listedTool {
	t.Helper()
	open := startServe(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, open.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	var listed struct{ Result struct{ Tools []listedTool } }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&listed))
	require.NotEmpty(t, listed.Result.Tools)
	return listed.Result.Tools
}

func call(t *testing.T, method string, params any) markedRequest {
	t.Helper()
	return markedRequest{"POST", "/mcp", encoded(t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})}
}

// marked replaces all texts by markers, or only those that may have any value.
func marked(v any, everywhere bool) any {
	switch v := v.(type) {
	case string:
		return marker
	case []any:
		for i := range v {
			v[i] = marked(v[i], everywhere)
		}
		return v
	case map[string]any:
		object := map[string]any{}
		for name, inner := range v {
			text, isText := inner.(string)
			switch {
			case !isText || everywhere || !strings.HasSuffix(name, "_at") && name != "memory_type" && name != "search_mode":
				object[name] = marked(inner, everywhere)
			default:
				object[name] = text
			}
		}
		return object
	}
	return v
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// sendOddities sends malformed and unfinished requests.
func (s *served) sendOddities(t *testing.T) {
	t.Helper()
	for _, text := range []string{
		marker + "\r\n\r\n", "GET /" + marker + " HTTP/9.9\r\n\r\n", "GET /%zz" + marker + " HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + marker + "\x00\r\n\r\n",
		"GET /" + marker + " HTTP/1.1\r\n" + marker + "\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n" + marker + ": " + strings.Repeat(marker, 20_000) + "\r\n\r\n",
		"POST /v1/memory/prompt HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + marker, "\x16\x03\x01" + marker,
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		_, _ = io.WriteString(conn, text)
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		require.NoError(t, conn.Close())
	}
}

// throughProxy returns the URL of a server through a proxy that can be cut, with a marker as the
// password.
func throughProxy(t *testing.T, text string) (through string, cut func()) {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	server := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var conns []net.Conn
	cut = sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		_ = l.Close()
		for _, c := range conns {
			_ = c.Close()
		}
	})
	t.Cleanup(cut)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, near, far)
			mu.Unlock()
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
	u.Host = l.Addr().String()
	if u.Scheme == "postgres" {
		u.User = url.UserPassword(u.User.Username(), marker) // the server does not require one
	}
	return u.String(), cut
}
