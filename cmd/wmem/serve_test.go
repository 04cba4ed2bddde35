package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// served is a wmem serve that runs in this process.
type served struct {
	url  string
	errs *syncbuffer.Buffer
	stop func() (code int)
}

// startServe runs wmem serve on a free port, with a new store unless args name one.
func startServe(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &served{errs: new(syncbuffer.Buffer)}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), "--encoding", "estimate"}, args...)
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, strings.NewReader(""), io.Discard, s.errs) }()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { s.stop() })
	s.url = listening(t, s.errs)
	return s
}

// listening waits for the start-up line and returns the address in it.
func listening(t *testing.T, errs *syncbuffer.Buffer) string {
	t.Helper()
	address := regexp.MustCompile(`listening on (https?://[^, ]+)`)
	require.Eventually(t, func() bool { return address.MatchString(errs.String()) }, time.Minute, 5*time.Millisecond, "%s", errs)
	return address.FindStringSubmatch(errs.String())[1]
}

func (s *served) client(t *testing.T, token string) *client.Client {
	t.Helper()
	c, err := client.New(s.url, &client.Options{Token: token})
	require.NoError(t, err)
	return c
}

// get requests a path and returns the status and the body.
func (s *served) get(t *testing.T, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body)
}

func message(id, text string) []wire.Message {
	now := wire.Time{Time: time.Now()}
	return []wire.Message{{ID: id, Role: "user", Content: text, CreatedAt: &now}}
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := startServe(t, "--encoding", "o200k_base")
	assert.Regexp(t, `^wmem: listening on http://127\.0\.0\.1:\d+, sessions sqlite:\S+wmem\.db, long-term memory sqlite:\S+wmem\.db, model none, embedder wordvectors, auth none\n`, s.errs.String())

	c := s.client(t, "")
	_, err := c.Append(t.Context(), "s-1", message("m-1", "hunter2"), nil)
	require.NoError(t, err)
	_, err = c.RecordToolCall(t.Context(), "s-1", &wire.RecordedCall{Name: "get_page", Result: map[string]any{"id": "page-40017", "title": "hunter2"}}, nil)
	require.NoError(t, err)
	block, err := c.Block(t.Context(), "s-1", 0, nil)
	require.NoError(t, err)
	assert.Contains(t, block, "page-40017")
	block, err = c.Block(t.Context(), "s-1", 1000, nil)
	require.NoError(t, err, "sessions keep enough entities for a budget")
	assert.Contains(t, block, "page-40017")
	decisions, err := c.Decisions(t.Context(), "s-1", nil)
	require.NoError(t, err)
	assert.NotEmpty(t, decisions.Decisions)
	require.NoError(t, c.Ready(t.Context()))

	code, text := s.get(t, "/metrics", "")
	assert.Equal(t, http.StatusOK, code)
	for _, want := range []string{
		`wmem_http_request_duration_seconds_count{method="POST",route="/v1/working-memory/{sid}/messages",status="200"} 1`,
		`wmem_tool_calls_total{outcome="done"} 1`, `wmem_recorded_entities_total 1`, `wmem_http_requests_in_flight 1`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, exitOK, s.stop())
	assert.NotContains(t, s.errs.String(), "hunter2", "no contents in logs")
}

// The block has 256 tokens unless --budget says otherwise, and with 0 ten lines at most.
func TestServeBudget(t *testing.T) {
	t.Parallel()
	var pages []any
	for i := range 60 {
		pages = append(pages, map[string]any{"id": fmt.Sprintf("page-%d", 1000+i), "title": fmt.Sprintf("Chapter %d", i)})
	}
	lines := func(args ...string) int {
		c := startServe(t, args...).client(t, "")
		_, err := c.RecordToolCall(t.Context(), "s-1", &wire.RecordedCall{Name: "list_pages", Result: map[string]any{"pages": pages}}, nil)
		require.NoError(t, err)
		block, err := c.Block(t.Context(), "s-1", 0, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(block), 256)
		return strings.Count(block, "(page-")
	}
	assert.Greater(t, lines(), 10)
	constants := lines("--budget", "0")
	assert.Positive(t, constants)
	assert.LessOrEqual(t, constants, 10)
}

// The rules of --recipes apply to the calls of every command that records some.
func TestRecipesOfServers(t *testing.T) {
	t.Parallel()
	const recipes = "testdata/recipes"
	c := startServe(t, "--recipes", recipes).client(t, "")
	_, err := c.RecordToolCall(t.Context(), "s-1", &wire.RecordedCall{Name: "erp_q17", Result: `{"rows":[{"f01":"R-2024-1","f02":"Paper"}]}`}, nil)
	require.NoError(t, err)
	block, err := c.Block(t.Context(), "s-1", 0, nil)
	require.NoError(t, err)
	assert.Contains(t, block, `invoices:`+"\n"+`  - "Paper" (R-2024-1)`)

	call := initialize + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_tool_call","arguments":{"session_id":"s","name":"erp_q17","result":{"rows":[{"f01":"R-2024-1","f02":"Paper"}]}}}}`
	code, stdout, stderr := wmem(t, call, "mcp", "--store", "memory:", "--encoding", "estimate", "--recipes", recipes)
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "invoice \\\"Paper\\\" (R-2024-1)")
}

// Without tokens the server listens only on this machine, unless --insecure-public is given.
func TestServePublic(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wmem.db")
	code, _, stderr := wmem(t, "", "serve", "--listen", ":0", "--store", "sqlite:"+file)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "--insecure-public")
	assert.NoFileExists(t, file)
	startServe(t, "--listen", "0.0.0.0:0", "--insecure-public")
	s := startServe(t, "--listen", "0.0.0.0:0", "--auth", "token")
	assert.Contains(t, s.errs.String(), "tokens are sent over plain HTTP")
	assert.Contains(t, s.errs.String(), "there are no tokens")
}

// Without tokens the Host of a request must be this machine, unless --insecure-public is given.
func TestServeHosts(t *testing.T) {
	t.Parallel()
	for want, args := range map[int][]string{
		http.StatusForbidden: nil,
		http.StatusOK:        {"--insecure-public"},
	} {
		s := startServe(t, args...)
		for _, path := range []string{"/v1/ready", "/metrics", "/metrics/"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			require.NoError(t, err)
			r.Host = "wmem.example"
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			assert.Equal(t, want, answer.StatusCode, "%s %v", path, args)
		}
	}
}

// Behind a trusted proxy, the log and the rate have the address of the client.
func TestServeBehindAProxy(t *testing.T) {
	t.Parallel()
	s := startServe(t, "--trusted-proxies", "127.0.0.1,::1", "--rate", "0.001", "--burst", "1")
	for _, c := range []struct {
		forwarded string
		want      int
	}{{"192.0.2.1", http.StatusOK}, {"192.0.2.2", http.StatusOK}, {"203.0.113.1, 192.0.2.1", http.StatusTooManyRequests}} {
		for _, path := range []string{"/v1/working-memory", "/mcp"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			require.NoError(t, err)
			r.Header.Set("X-Forwarded-For", c.forwarded)
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			if path == "/mcp" {
				c.want = http.StatusTooManyRequests
			}
			assert.Equal(t, c.want, answer.StatusCode, "%s %s", path, c.forwarded)
		}
	}
	assert.Contains(t, s.errs.String(), "client=192.0.2.2 ")
	assert.NotContains(t, s.errs.String(), "client=127.0.0.1")
	assert.NotContains(t, s.errs.String(), "client=203.0.113.1")
}

// The start-up line leaves out an embedder without use, and a warning names an ignored REDIS_URL.
func TestServeIgnoredSettings(t *testing.T) {
	t.Setenv("REDIS_URL", "redis://u:hunter2@127.0.0.1:1/0")
	t.Chdir(t.TempDir())
	s := startServe(t, "--long-term", "off", "--embedding-model", "e", "--base-url", "http://127.0.0.1:1/v1")
	assert.Contains(t, s.errs.String(), "long-term memory off, model none, embedder none")
	assert.NotContains(t, s.errs.String(), "REDIS_URL")
	code, _, stderr := wmem(t, "", "mcp", "--encoding", "estimate")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stderr, "REDIS_URL is ignored: to store sessions in Redis, set WMEM_STORE")
	assert.NotContains(t, stderr, "hunter2")
}

func TestLogsHaveNoKey(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		var b bytes.Buffer
		newLogger(&b, &config.Settings{APIKey: "hunter2", LogFormat: format}).Warn("with hunter2",
			"text", "a hunter2 b", "error", errors.New("a hunter2 b"), "stringer", &url.URL{Path: "hunter2"}, slog.Group("in", "text", "hunter2"))
		assert.NotContains(t, b.String(), "hunter2")
		assert.Equal(t, 5, strings.Count(b.String(), "xxxxx"), "%s", &b)
	}
}

func TestServeWithTokens(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "tokens.db")
	create := func(args ...string) string {
		code, stdout, stderr := wmem(t, "", append([]string{"token", "create", "--store", store}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		return strings.TrimSpace(stdout)
	}
	shop, operator := create("--namespace", "shop"), create("--all")
	s := startServe(t, "--auth", "token", "--store", store)
	assert.Contains(t, s.errs.String(), "auth token\n")
	for _, path := range []string{"/v1/working-memory/", "/metrics", "/mcp"} {
		code, text := s.get(t, path, "")
		assert.Equal(t, http.StatusUnauthorized, code, path)
		assert.Contains(t, text, "Missing authorization header")
	}
	code, _ := s.get(t, "/metrics", shop)
	assert.Equal(t, http.StatusForbidden, code, "metrics cover all tenants")
	code, text := s.get(t, "/metrics", operator)
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, text, `wmem_http_refused_total{reason="unauthorized"} 3`)

	session, err := s.client(t, shop).Append(t.Context(), "s-1", message("m-1", "hello"), nil)
	require.NoError(t, err)
	assert.Equal(t, "shop", *session.Namespace)
	code, _, stderr := wmem(t, "", "token", "revoke", shop, "--store", store)
	require.Equal(t, exitOK, code, stderr)
	for _, path := range []string{"/v1/working-memory", "/mcp", "/metrics"} {
		code, text := s.get(t, path, shop)
		assert.Equal(t, http.StatusUnauthorized, code, text)
		assert.Contains(t, text, "Invalid token")
	}
	assert.Equal(t, exitOK, s.stop())
	for _, token := range []string{shop, operator} {
		assert.NotContains(t, s.errs.String(), token)
	}
}

// The help names the settings and secrets, and its example of a file works.
func TestServeHelp(t *testing.T) {
	t.Parallel()
	for _, cmd := range []string{"serve", "mcp"} {
		code, stdout, stderr := wmem(t, "", cmd, "--help")
		assert.Equal(t, exitOK, code)
		assert.Empty(t, stderr)
		for _, want := range []string{"Usage:\n  wmem " + cmd, "WMEM_STORE", "SUMMARIZATION_THRESHOLD", "OPENAI_API_KEY", "(default sqlite:wmem.db)"} {
			assert.Contains(t, stdout, want)
		}
		_, example, ok := strings.Cut(stdout, "An example of a file:\n")
		require.True(t, ok)
		example, _, _ = strings.Cut(example, "\n\n")
		file := filepath.Join(t.TempDir(), "wmem.yaml")
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(example, "/var/lib/wmem", t.TempDir())), 0o600))
		s := startServe(t, "--config", file)
		assert.Contains(t, s.errs.String(), "model gpt-4o-mini, embedder wordvectors, auth none")
	}
}
