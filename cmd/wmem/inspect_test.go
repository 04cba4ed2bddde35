package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// hostile is text that a terminal would act on.
const hostile = "\x1b]0;owned\a\x1b[2J\u009b2J\u202etxt.exe\r\nforged: line"

// hostileSession stores a session with hostile texts.
func hostileSession(t *testing.T, store driver.Store) {
	t.Helper()
	m, err := session.NewManager(store, nil)
	require.NoError(t, err)
	_, err = m.Update(t.Context(), session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}, func(s *session.Session) error {
		s.Messages = []session.Message{
			{Role: "user", Content: "an old message"},
			{Role: "user\x1b[2J", Content: hostile + strings.Repeat(" long", 100)},
			{Role: "assistant", ToolCalls: []session.ToolCall{{Name: "find" + hostile, Arguments: hostile}}},
		}
		s.Context = "summary\n" + hostile
		s.Memories = []session.Record{{ID: "m-1", Text: "waits " + hostile}, {ID: "m-2", Text: "done", PersistedAt: time.Now()}}
		for i := range 4 { // the ids of three take more than 256 tokens
			id := fmt.Sprintf("o-%d-%s", i, strings.Repeat("x9", 50))
			if err := s.Entities.Add(memory.Entity{Type: "order", ID: id, Name: "Kettle " + hostile, Tool: "find_order", Path: "$.order"}); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	require.NoError(t, err)
}

func TestInspectStore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wmem.db")
	store, err := sqlitestore.Open(t.Context(), file, nil)
	require.NoError(t, err)
	hostileSession(t, store)
	require.NoError(t, store.Close())

	code, out, stderr := wmem(t, "", "inspect", "--store", "sqlite:"+file, "--messages", "2", "s-1")
	require.Equal(t, exitOK, code, stderr)
	for _, want := range []string{
		"Session s-1, namespace shop, user anna\n", "% of the window", "\nSummary:\n  summary\n", "Messages: 3, the newest 2 of them\n",
		"\nEntities: 4\n", "  TYPE   ID  ", " NAME ", "no room in the token budget", "shown", "find_order $.order", "\nBlock:\n  [WORKING MEMORY]\n",
		"Memories: 2, not in long-term memory yet: 1\n  m-1: waits ", "\nRecent decisions: none in the store, a running server may know them: use --server\n", `\u{1b}`, `\u{9b}`, `\u{202e}`,
	} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "an old message")
	assert.Contains(t, out, " long…\n", "long messages are cut")
	assertPlain(t, out)

	code, out, stderr = wmem(t, "", "inspect", "--store", "sqlite:"+file, "--user", "anna", "--json", "s-1")
	require.Equal(t, exitOK, code, stderr)
	assertPlain(t, out)
	var found inspection
	require.NoError(t, json.Unmarshal([]byte(out), &found))
	assert.Contains(t, found.Session.Messages[1].Content, hostile, "escaped, but all of it")
	assert.Len(t, found.Decisions.Entities, 4)
	assert.Equal(t, 1, found.Decisions.Usage.Pending)
}

// The settings of a server apply to inspect too, and unknown variables cause a warning.
func TestInspectByConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wmem.db")
	store, err := sqlitestore.Open(t.Context(), file, nil)
	require.NoError(t, err)
	hostileSession(t, store)
	require.NoError(t, store.Close())
	settings := filepath.Join(t.TempDir(), "wmem.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("store: sqlite:"+file+"\nlisten: :1\n"), 0o600))

	code, out, stderr := wmem(t, "", "inspect", "--config", settings, "s-1")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "Session s-1, namespace shop")
	assert.Empty(t, stderr)
	t.Setenv("WMEM_STORE", "sqlite:"+file)
	t.Setenv("WMEM_STOR", "hunter2")
	code, out, stderr = wmem(t, "", "inspect", "s-1")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "Session s-1, namespace shop")
	assert.Equal(t, "wmem: unknown settings, see --help: WMEM_STOR\n", stderr)
}

// assertPlain fails if a terminal would act on a text.
func assertPlain(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, text, "\nforged")
	for _, r := range text {
		if r != '\n' && printable(string(r)) != string(r) {
			t.Fatalf("%U", r)
		}
	}
}

func TestInspectServer(t *testing.T) {
	store := memstore.New(nil)
	hostileSession(t, store)
	tokens := auth.NewMemoryTokenStore()
	token, _, err := auth.Create(t.Context(), tokens, auth.CreateOptions{Tenant: auth.Tenant{UserID: "anna"}})
	require.NoError(t, err)
	manager, err := session.NewManager(store, nil)
	require.NoError(t, err)
	handler, err := rest.New(manager, &rest.Options{Verifier: auth.NewVerifier(tokens, nil)})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, &client.Options{Token: token})
	require.NoError(t, err)
	const uuid = "0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f"
	yes := wire.Bool(true)
	_, err = c.RecordToolCall(t.Context(), "s-1", &wire.RecordedCall{Name: "find_order", Handles: &yes, Result: map[string]any{"order": map[string]any{"id": uuid, "name": "Pan"}}}, &client.Owner{Namespace: "shop"})
	require.NoError(t, err)

	t.Setenv(config.TokenEnv, token)
	code, out, stderr := wmem(t, "", "inspect", "--server", server.URL, "--namespace", "shop", "s-1")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, out, "an old message")
	assert.Contains(t, out, "Recent decisions: 1\n")
	assert.Regexp(t, `find_order +order `+uuid+` +seen at \$`, out)
	assert.Contains(t, out, uuid+" = order#1")
	assert.Contains(t, out, `"Pan" (order#1)`)
	assertPlain(t, out)

	code, _, stderr = wmem(t, "", "inspect", "--server", server.URL, "--user", "bert", "s-1")
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, "wmem: session s-1: client: status 404: Session s-1 not found: if several namespaces or users have a session with this id, use --namespace and --user\n", stderr)
	t.Setenv(config.TokenEnv, "wrong")
	code, _, stderr = wmem(t, "", "inspect", "--server", server.URL, "s-1")
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, "wmem: session s-1: client: status 401: Invalid token: set WMEM_TOKEN to a token of the server\n", stderr)
}

func TestInspectErrors(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "no.db")
	file := filepath.Join(t.TempDir(), "wmem.db")
	store, err := sqlitestore.Open(t.Context(), file, nil)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	for want, args := range map[string][]string{
		"exactly one SESSION is required":        {"inspect"},
		"--server excludes --store and --config": {"inspect", "--server", "http://127.0.0.1:1", "--store", "memory:", "s"},
		"must not be negative":                   {"inspect", "--messages", "-1", "s"},
		"wmem: store: bad store":                 {"inspect", "--store", "file.db", "s"},
		"wmem: --store memory: cannot be shared": {"inspect", "--store", "memory:", "s"},
	} {
		code, _, stderr := wmem(t, "", args...)
		assert.Equal(t, exitUsage, code)
		assert.Contains(t, stderr, want)
	}
	for want, args := range map[string][]string{
		"there is no file": {"inspect", "--store", "sqlite:" + missing, "s"},
		`session a\u{1b}[2J: not found in sqlite:` + file + ": if several": {"inspect", "--store", "sqlite:" + file, "--user", "x", "a\x1b[2J"},
		"session s: not found in sqlite:" + file + "\n":                    {"inspect", "--store", "sqlite:" + file, "--namespace", "x", "--user", "x", "s"},
	} {
		code, _, stderr := wmem(t, "", args...)
		assert.Equal(t, exitFailure, code)
		assert.Contains(t, stderr, want)
	}
	_, err = os.Stat(missing)
	assert.ErrorIs(t, err, os.ErrNotExist, "looking makes nothing")
}
