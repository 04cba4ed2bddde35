package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// postMCP sends messages to /mcp and returns the answer and its body.
func (s *served) postMCP(t *testing.T, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(text)
}

// A call has two log records, of the request and of the message, and both are counted.
func TestMCPIsLoggedAndCounted(t *testing.T) {
	t.Parallel()
	s := startServe(t, "--encoding", "estimate")
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_block","arguments":{"session_id":"hunter2"}}}`
	answer, text := s.postMCP(t, call)
	assert.Contains(t, text, `"content":[]`)
	id := answer.Header.Get("X-Request-Id")
	require.NotEmpty(t, id)

	_, metrics := s.get(t, "/metrics", "")
	assert.Contains(t, metrics, `wmem_http_request_duration_seconds_count{method="POST",route="/mcp",status="200"} 1`)
	assert.Contains(t, metrics, fmt.Sprintf(`wmem_http_request_bytes_total{route="/mcp"} %d`, len(call)))
	assert.Contains(t, metrics, `wmem_mcp_message_duration_seconds_count{method="tools/call",outcome="done",tool="get_block"} 1`)
	assert.Equal(t, exitOK, s.stop())
	log := s.errs.String()
	assert.Regexp(t, `msg="rest: request" method=POST route=/mcp status=200 duration=\S+ bytes_in=`+fmt.Sprint(len(call))+` bytes_out=`+fmt.Sprint(len(text))+` client=127\.0\.0\.1 request_id=`+id+"\n", log)
	assert.Regexp(t, `msg="mcpserver: message" method=tools/call failed=false duration=\S+ tool=get_block request_id=`+id+"\n", log)
	assert.Len(t, regexp.MustCompile(id).FindAllString(log, -1), 2)
	assert.NotContains(t, log, "hunter2")
}

// The configuration in the README starts a server.
func TestMCPConfigurationOfREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(readme), "```json\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	var config struct {
		Servers map[string]struct{ Args []string } `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &config))
	args := config.Servers["memory"].Args
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "/path/to", t.TempDir())
	}
	code, stdout, stderr := wmem(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, args...)
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", stdout)
}

// initialize is the first message of a client.
const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// Both commands offer the tools of --tools, and refuse unknown ones.
func TestToolsOfMCP(t *testing.T) {
	t.Parallel()
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	store := []string{"--store", "memory:", "--encoding", "estimate"}
	for tools, want := range map[string]string{"remember,get_context_usage": `"name":"get_context_usage"`, "core": `"name":"record_tool_call"`} {
		args := append(store, "--tools", tools)
		code, stdout, stderr := wmem(t, initialize+list, append([]string{"mcp"}, args...)...)
		assert.Equal(t, exitOK, code, stderr)
		assert.Contains(t, stdout, want)
		s := startServe(t, "--encoding", "estimate", "--tools", tools)
		_, served := s.postMCP(t, list)
		assert.Contains(t, served, want)
		assert.NotContains(t, served, "memory_prompt")
	}
	code, _, stderr := wmem(t, "", append([]string{"mcp", "--tools", "core,recall"}, store...)...)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, `unknown tool "recall": known are all, core, `)
}

// --session-id is the session of calls that name none, also of a later process.
func TestSessionOfMCP(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	run := func(call string, args ...string) string {
		code, stdout, stderr := wmem(t, initialize+`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+call+`}}`, append([]string{"mcp", "--store", store, "--encoding", "estimate"}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		return stdout
	}
	run(`"record_tool_call","arguments":{"name":"find_order","result":{"order":{"id":"W-1042","name":"Blue kettle"}}}`, "--session-id", "mine")
	assert.Contains(t, run(`"get_block"`, "--session-id", "mine"), "W-1042")
	assert.Contains(t, run(`"get_block","arguments":{"session_id":"mine"}`), "W-1042")
	assert.NotContains(t, run(`"get_block"`), "W-1042")
}
