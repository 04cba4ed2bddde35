package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// marker is in everything that the client sends, and in the key of the models.
const marker = "hunter2"

// Logs contain nothing that clients send but the ids of sessions, and no token or key, even while
// the models' endpoint fails and quotes them.
func TestLogsHaveNoContents(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	code, token, stderr := wmem(t, "", "token", "create", "--all", "--store", store)
	require.Equal(t, exitOK, code, stderr)
	token = strings.TrimSpace(token)
	e := newEndpoint(t)
	e.fails.Store(true)
	s := serveWithModels(t, e, "--store", store, "--auth", "token", "--log-level", "debug", "--index-messages", "on", "--tools", "all")
	c := s.client(t, token)
	_, err := c.Append(t.Context(), "s-1", message(marker, marker), nil)
	require.NoError(t, err)
	require.Error(t, c.CreateMemories(t.Context(), &wire.MemoryBody{Memories: []wire.Memory{{ID: marker, Text: marker}}}, nil), "the embedder is away")
	_, err = c.Search(t.Context(), &wire.Search{Text: new(marker), Topics: &wire.TextFilter{Eq: new(marker)}})
	require.NoError(t, err)
	s.get(t, "/v1/"+marker+"?namespace="+marker, marker)
	for _, r := range []struct{ path, body string }{
		{"/v1/memory/prompt", `{"` + marker + `":`},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_prompt","arguments":{"query":"` + marker + `","` + marker + `":1}}}`},
		{"/mcp", marker},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+r.path, strings.NewReader(r.body))
		require.NoError(t, err)
		request.Header = http.Header{
			"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Cookie": {marker}, "User-Agent": {marker}, "X-Request-Id": {marker + "!"},
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
	assert.Equal(t, exitOK, s.stop(), "it promotes what is pending, in vain")
	log := s.errs.String()
	for _, secret := range []string{marker, token, token[strings.LastIndex(token, "_")+1:]} {
		assert.NotContains(t, log, secret)
	}
	for _, want := range []string{"rest: request", "route=/mcp", "tool=memory_prompt", "the endpoint answered with status 401"} {
		assert.Contains(t, log, want)
	}
}
