package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// TestServeInspector: the calls that a server recorded are on its pages and, with a journal in the
// store, on those of the next one.
func TestServeInspector(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	first := startServe(t, "--store", store, "--journal", "1MiB")
	_, err := first.client(t, "").RecordToolCall(t.Context(), "s-1", &wire.RecordedCall{Name: "get_page", Result: map[string]any{"id": "page-40017", "title": "Home"}}, nil)
	require.NoError(t, err)
	code, text := first.get(t, "/inspect/run?id=s-1&step=0", "")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, text, "page-40017")
	code, _ = first.get(t, "/inspect", "")
	assert.Equal(t, http.StatusOK, code)
	first.stop()

	second := startServe(t, "--store", store, "--journal", "1MiB")
	decisions, err := second.client(t, "").Decisions(t.Context(), "s-1", nil)
	require.NoError(t, err)
	require.Len(t, decisions.Decisions, 1)
	assert.Equal(t, []string{"page-40017", "seen", "get_page"}, []string{decisions.Decisions[0].ID, decisions.Decisions[0].What, decisions.Decisions[0].Tool})
	_, text = second.get(t, "/inspect/run?id=s-1&step=0", "")
	assert.Contains(t, text, "Call of <code>get_page</code>")
	second.stop()
	code, out, stderr := wmem(t, "", "inspect", "--store", store, "s-1")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "get_page  page page-40017  seen at $")

	third := startServe(t, "--store", store, "--journal", "off")
	decisions, err = third.client(t, "").Decisions(t.Context(), "s-1", nil)
	require.NoError(t, err)
	assert.Empty(t, decisions.Decisions)
	code, text = third.get(t, "/inspect/run?id=s-1", "")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, text, "page-40017", "the present block")
}

// TestServeInspectorWithTokens: a browser logs in once, and requests of other pages are refused.
func TestServeInspectorWithTokens(t *testing.T) {
	t.Parallel()
	c := newTokenCLI(t)
	token, _ := c.create("--namespace", "shop")
	s := startServe(t, "--auth", "token", "--store", "sqlite:"+c.file)
	code, text := s.get(t, "/inspect/", "")
	assert.Equal(t, http.StatusUnauthorized, code)
	assert.Contains(t, text, "Token of this server")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	answer, err := browser.PostForm(s.url+"/inspect/login", url.Values{"token": {token}})
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(body), "No session is stored.")
	assert.Equal(t, "/inspect/", answer.Request.URL.Path)
	code, _ = s.get(t, "/inspect/", token)
	assert.Equal(t, http.StatusOK, code)
	assert.NotContains(t, s.errs.String(), token)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/inspect/logout", nil)
	require.NoError(t, err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	refused, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer refused.Body.Close()
	assert.Equal(t, http.StatusForbidden, refused.StatusCode)
}

// TestInspectWeb serves the pages of a file until it is interrupted.
func TestInspectWeb(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "traces.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"id":"run-7","steps":[{"kind":"tool","name":"get_page","args":{},"result":{"page":{"id":"page-40001","title":"Home"}}}]}`+"\n"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, code := new(syncbuffer.Buffer), make(chan int, 1)
	go func() { code <- run(ctx, []string{"inspect", "--web", file}, strings.NewReader(""), out, io.Discard) }()
	address := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/inspect/\n`)
	require.Eventually(t, func() bool { return address.MatchString(out.String()) }, time.Minute, 5*time.Millisecond)
	s := &served{url: address.FindStringSubmatch(out.String())[1]}
	for path, want := range map[string]string{"/": "run-7", "/inspect/": "run-7", "/inspect/run?file=0&n=0": "page-40001"} {
		status, text := s.get(t, path, "")
		assert.Equal(t, http.StatusOK, status, path)
		assert.Contains(t, text, want, path)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/inspect/", nil)
	require.NoError(t, err)
	r.Host = "evil.example"
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusForbidden, answer.StatusCode, "a page whose name leads to this machine")
	cancel()
	assert.Equal(t, exitOK, <-code)
}

func TestInspectWebUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--web"}, {"--web", "--json", "x.jsonl"}, {"--web", "--server", "http://127.0.0.1:1", "x.jsonl"},
		{"--web", "--listen", "0.0.0.0:0", "x.jsonl"}, {"--web", "--listen", "nowhere", "x.jsonl"}, {"--listen", "127.0.0.1:0", "s-1"},
	} {
		code := run(t.Context(), append([]string{"inspect"}, args...), strings.NewReader(""), io.Discard, io.Discard)
		assert.Equal(t, exitUsage, code, args)
	}
	code := run(t.Context(), []string{"inspect", "--web", filepath.Join(t.TempDir(), "missing.jsonl")}, strings.NewReader(""), io.Discard, io.Discard)
	assert.Equal(t, exitFailure, code)
}
