package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTools(t *testing.T) {
	t.Parallel()
	const (
		openAI    = `[{"type": "function", "function": {"name": "publish_page", "parameters": {"properties": {"page_id": {}}}}}]`
		responses = `[{"type": "function", "name": "publish_page", "parameters": {"properties": {"page_id": {}}}}]`
		mcp       = `{"tools": [{"name": "publish_page", "inputSchema": {"type": "object", "properties": {"page_id": {"type": "string"}}}}]}`
		anthropic = `[{"name": "publish_page", "input_schema": {"properties": {"page_id": {}}}}]`
	)
	write := func(t *testing.T, text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "tools.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	for name, text := range map[string]string{"OpenAI": openAI, "OpenAI responses": responses, "MCP": mcp, "Anthropic": anthropic} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, stderr := wmem(t, "", "replay", "--budget", "24", "--tools", write(t, text), "testdata/traces.jsonl")
			assert.Equal(t, exitOK, code, stderr)
			assert.Contains(t, out, "pages:")
		})
	}
	for text, want := range map[string]string{
		`{`: "unexpected end", `{}`: "neither a list of tools", `7`: "cannot unmarshal",
		`[{"name": "a"}, {"parameters": {}}]`:              "tool 1 has no name",
		`[{"name": "a", "parameters": {"properties": 7}}]`: `schema of tool "a"`,
	} {
		code, _, stderr := wmem(t, "", "eval", "--tools", write(t, text), "testdata/traces.jsonl")
		assert.Equal(t, exitFailure, code)
		assert.Contains(t, stderr, want)
	}
	code, _, stderr := wmem(t, "", "eval", "--tools", filepath.Join(t.TempDir(), "none.json"), "testdata/traces.jsonl")
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "none.json")
}
