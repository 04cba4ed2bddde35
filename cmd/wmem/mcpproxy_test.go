package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// proxied are the messages of a client of a proxy.
const proxied = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_order","arguments":{}}}
`

// shop answers these messages, and fails at the end if it is to.
const shop = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"shop","version":"1"}}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"find_order"}]}}'
read line; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"order\":{\"id\":\"W-1042\",\"name\":\"Blue kettle\"}}"}]}}'
echo "the log of the shop" >&2
read line; exit `

// runProxy runs the command. The server writes to standard error at the same time.
func runProxy(t *testing.T, in string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out, errs := new(syncbuffer.Buffer), new(syncbuffer.Buffer)
	code = run(t.Context(), append([]string{"mcp", "proxy", "--encoding", "estimate"}, args...), strings.NewReader(in), out, errs)
	return code, out.String(), errs.String()
}

// The calls of a server are recorded in the session of the command line, and its exit code is that
// of the proxy.
func TestMCPProxy(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	for _, want := range []int{exitOK, 7} {
		id := fmt.Sprint("session-", want)
		code, stdout, stderr := runProxy(t, proxied, "--store", store, "--session-id", id, "--user-id", "ann",
			"--block", "after", "--budget", "100", "--", "sh", "-c", shop+fmt.Sprint(want))
		assert.Equal(t, want, code, stderr)
		require.Equal(t, 3, strings.Count(stdout, "\n"), stdout)
		assert.Contains(t, stdout, `"capabilities":{"tools":{},"resources":{}}`)
		assert.Contains(t, stdout, `{"tools":[{"name":"find_order"},{"name":"working_memory_block"`)
		assert.Contains(t, stdout, `[WORKING MEMORY]\norders:\n  - \"Blue kettle\" (W-1042)`)
		assert.Contains(t, stderr, `msg="recording tool calls" session=`+id)
		assert.Contains(t, stderr, "the log of the shop")
		assert.NotContains(t, stderr, "kettle")
		assert.NotContains(t, stderr, "WARN")
		code, stdout, stderr = wmem(t, "", "inspect", "--store", store, "--user", "ann", id)
		assert.Equal(t, exitOK, code, stderr)
		assert.Contains(t, stdout, "W-1042")
	}
}

// Proxies of two servers that share a session share its handles: the tool of one gets the id that
// the tool of the other returned.
func TestMCPProxiesShareASession(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	proxy := func(tool, given, received, result string) string {
		server := `read line; case "$line" in *` + received + `*) echo '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + result + `"}]}}';; esac; read line; exit 0`
		in := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"id":"` + given + `"}}}` + "\n"
		code, stdout, stderr := runProxy(t, in, "--store", store, "--session-id", "s", "--handles", "sh", "-c", server)
		assert.Equal(t, exitOK, code, stderr)
		return stdout
	}
	const id = "550e8400-e29b-41d4-a716-446655440000"
	assert.Contains(t, proxy("get_page", "home", "home", `{\"page\":{\"id\":\"`+id+`\",\"title\":\"Home\"}}`), `page#1`)
	assert.Contains(t, proxy("update_page", "page#1", id, "updated "+id), `"text":"updated page#1"`)
}

// Several servers, of commands and over HTTP, are joined; a server over HTTP is also reached with
// --url.
func TestMCPProxyOfServers(t *testing.T) {
	t.Parallel()
	s := startServe(t, "--encoding", "estimate")
	servers := map[string]any{
		"a": map[string]any{"command": os.Args[0], "args": []string{"-test.run=^TestChild$"}, "cwd": t.TempDir(), "env": map[string]string{childEnv: "mcp\n--store\nmemory:\n--encoding\nestimate"}},
		"b": map[string]any{"url": s.url + "/mcp", "headers": map[string]string{"Authorization": "Bearer x"}},
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "servers.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	for listed, args := range map[string][]string{`"name":"b__get_block"`: {"--servers", file}, `"name":"get_block"`: {"--url", s.url + "/mcp"}} {
		code, stdout, stderr := runProxy(t, proxied, append([]string{"--store", "memory:"}, args...)...)
		assert.Equal(t, exitOK, code, stderr)
		assert.Equal(t, 3, strings.Count(stdout, "\n"), stdout)
		assert.Contains(t, stdout, listed)
		assert.Contains(t, stdout, `"name":"working_memory_block"`)
	}
	assert.Equal(t, exitOK, s.stop())
}

func TestMCPProxyUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, fmt.Sprintf("%d.json", len(text)))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":        {nil, exitUsage, "exactly one of COMMAND, --url and --servers is required"},
		"two":            {[]string{"--url", "http://localhost", "x"}, exitUsage, "exactly one of"},
		"block":          {[]string{"--block", "x", "x"}, exitUsage, "--block must be none, before or after"},
		"budget":         {[]string{"--budget", "-1", "x"}, exitUsage, "must be a whole number of at least 0"},
		"session":        {[]string{"--session-id", strings.Repeat("x", 70_000), "x"}, exitUsage, "session: bad key"},
		"no such file":   {[]string{"--servers", dir + "/none"}, exitUsage, "no such file"},
		"not JSON":       {[]string{"--servers", write("hunter2")}, exitUsage, "not JSON with an object mcpServers"},
		"no servers":     {[]string{"--servers", write(`{"servers":{}}`)}, exitUsage, "mcpServers has no servers"},
		"empty server":   {[]string{"--servers", write(`{"mcpServers":{"a":{}}}`)}, exitUsage, `server "a" needs either a command or a url`},
		"url":            {[]string{"--url", "file:///hunter2"}, exitUsage, "must begin with http:// or https://"},
		"url in a file":  {[]string{"--servers", write(`{"mcpServers":{"a":{"url":"hunter2:"}}}`)}, exitUsage, `server "a": the url`},
		"no such server": {[]string{"/nonexistent/server"}, exitFailure, "starting a server"},
	} {
		code, stdout, stderr := runProxy(t, "", append([]string{"--store", "memory:"}, c.args...)...)
		assert.Equal(t, c.code, code, name)
		assert.Contains(t, stderr, c.want, name)
		assert.Empty(t, stdout, name)
		assert.NotContains(t, stderr, "hunter2", name)
	}
}
