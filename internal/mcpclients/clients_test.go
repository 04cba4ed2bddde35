package mcpclients_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// server is a way to reach wmem: the arguments of client.mjs and of the Inspector.
type server struct {
	protocol string
	target   []string
}

// contents is what resources/read returns of a text. The text is nil if it is missing.
type contents []struct {
	URI, MIMEType string
	Text          *string
}

// callResult is the result of a tool.
type callResult struct {
	IsError bool
	Content []struct{ Type, Text string }
}

// received is what client.mjs prints.
type received struct {
	Instructions                         string
	Tools, Resources, Templates, Prompts []string
	Before, Other, After                 contents
	EmptyBlock, Recorded, Refused, Turn  callResult
	Prompt                               []struct {
		Role    string
		Content struct{ Type, Text string }
	}
}

const block = "[WORKING MEMORY]\norders:\n  - \"Blue kettle\" (W-1042)"

func TestSDK(t *testing.T) {
	t.Parallel()
	dir := installed(t)
	for _, s := range servers(t) {
		t.Run(s.protocol, func(t *testing.T) {
			t.Parallel()
			var got received
			run(t, &got, "node", append([]string{script(t, dir), s.protocol}, s.target...)...)

			assert.Contains(t, got.Instructions, "record_tool_call")
			assert.ElementsMatch(t, []string{"append_messages", "begin_turn", "forget", "get_block", "memorize", "record_tool_call", "remember"}, got.Tools)
			assert.Equal(t, []string{"memory://session/block"}, got.Resources)
			assert.Len(t, got.Templates, 2)
			assert.Equal(t, []string{"begin_turn"}, got.Prompts)

			for _, empty := range []contents{got.Before, got.Other} {
				require.Len(t, empty, 1)
				assert.Equal(t, new(""), empty[0].Text)
			}
			assert.Equal(t, callResult{Content: []struct{ Type, Text string }{}}, got.EmptyBlock)
			assert.False(t, got.Recorded.IsError)
			assert.True(t, got.Refused.IsError)
			assert.Contains(t, got.Refused.Content[0].Text, "output: ")
			require.Len(t, got.After, 1)
			assert.Equal(t, new(block), got.After[0].Text)
			assert.Equal(t, "text/plain", got.After[0].MIMEType)

			require.Len(t, got.Turn.Content, 1)
			assert.Contains(t, got.Turn.Content[0].Text, block)
			require.Len(t, got.Prompt, 2)
			assert.Equal(t, got.Turn.Content[0].Text, got.Prompt[0].Content.Text)
			assert.Equal(t, "Where is my kettle?", got.Prompt[1].Content.Text)
		})
	}
}

func TestInspector(t *testing.T) {
	t.Parallel()
	dir := installed(t)
	for _, s := range servers(t) {
		t.Run(s.protocol, func(t *testing.T) {
			t.Parallel()
			inspect := func(into any, args ...string) {
				call := append([]string{"--cli"}, s.target...)
				run(t, into, filepath.Join(dir, "node_modules", ".bin", "mcp-inspector"), append(call, args...)...)
			}
			var listed struct{ Tools []struct{ Name string } }
			inspect(&listed, "--method", "tools/list")
			assert.Len(t, listed.Tools, 7)
			var read struct{ Contents contents }
			inspect(&read, "--method", "resources/read", "--uri", "memory://session/block")
			require.Len(t, read.Contents, 1)
			assert.Equal(t, new(""), read.Contents[0].Text)
		})
	}
}

// installed returns the directory of the clients, or skips the test.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WORKINGMEMORY_TEST_MCP_CLIENTS")
	if dir == "" {
		t.Skip("WORKINGMEMORY_TEST_MCP_CLIENTS is not set: it is a directory in which npm ci has installed testdata/package.json")
	}
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	return dir
}

// script returns a copy of client.mjs beside which node finds the packages of dir.
func script(t *testing.T, dir string) string {
	t.Helper()
	at := t.TempDir()
	text, err := os.ReadFile("testdata/client.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(at, "client.mjs"), text, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(at, "node_modules")))
	return filepath.Join(at, "client.mjs")
}

// build builds wmem and returns its path.
func build(t *testing.T) string {
	t.Helper()
	wmem := filepath.Join(t.TempDir(), "wmem")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", wmem, "../../cmd/wmem").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return wmem
}

// servers builds wmem and returns the ways to reach it.
func servers(t *testing.T) []server {
	t.Helper()
	wmem := build(t)
	return []server{
		{"stdio", []string{wmem, "mcp", "--store", "memory:", "--encoding", "estimate"}},
		{"http", []string{serve(t, wmem) + "/mcp"}},
	}
}

var address = regexp.MustCompile(`listening on (http://[^\s",]+)`)

// serve starts wmem serve, which stops with the test, and returns its URL.
func serve(t *testing.T, wmem string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := new(syncbuffer.Buffer)
	cmd := exec.CommandContext(ctx, wmem, "serve", "--store", "memory:", "--encoding", "estimate", "--listen", "127.0.0.1:0")
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	require.Eventually(t, func() bool { return address.MatchString(log.String()) }, time.Minute, 10*time.Millisecond, "no address in the log")
	return address.FindStringSubmatch(log.String())[1]
}

// run runs a command and decodes its output.
func run(t *testing.T, into any, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	errs := new(syncbuffer.Buffer)
	cmd.Stderr = errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", out, errs)
	require.NoError(t, json.Unmarshal(out, into), "%s", out)
}
