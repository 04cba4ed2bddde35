package mcpclients_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/blocks")

// The block after calls to an official server behind wmem mcp proxy. In the files of testdata/blocks,
// $DIR is a directory that is empty at first.
func TestBlocks(t *testing.T) {
	t.Parallel()
	modules := filepath.Join(installed(t), "node_modules", "@modelcontextprotocol")
	wmem := build(t)
	files, err := filepath.Glob("testdata/blocks/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, archive.Files, 2)
			dir := t.TempDir()
			cmd := exec.Command(wmem, "mcp", "proxy", "--store", "memory:", "--encoding", "estimate", "--budget", "1024", "--",
				"node", filepath.Join(modules, "server-"+name, "dist", "index.js"))
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/ann", "MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl")}
			if name == "filesystem" {
				cmd.Args = append(cmd.Args, dir)
			}
			block := strings.ReplaceAll(blockAfter(t, cmd, strings.ReplaceAll(string(archive.Files[0].Data), "$DIR", dir)), dir, "$DIR")
			if *update {
				archive.Files[1].Data = []byte(block + "\n")
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
				return
			}
			assert.Equal(t, string(archive.Files[1].Data), block+"\n", "run the test with -update if this is better")
		})
	}
}

// blockAfter makes calls, a line ["tool", {arguments}] for each, to a server behind a proxy and returns
// the proxy's block.
func blockAfter(t *testing.T, proxy *exec.Cmd, calls string) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: proxy}, nil)
	require.NoError(t, err)
	defer session.Close()
	call := func(tool string, arguments any) *mcp.CallToolResult {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		require.NoError(t, err)
		return result
	}
	for line := range strings.Lines(calls) {
		tool, arguments := "", json.RawMessage(nil)
		require.NoError(t, json.Unmarshal([]byte(line), &[]any{&tool, &arguments}), line)
		require.False(t, call(tool, arguments).IsError, line)
	}
	return call("working_memory_block", map[string]any{}).Content[0].(*mcp.TextContent).Text
}
