package mcpproxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// recordedEnv names the file to which a proxy in a child process writes the calls it records.
const recordedEnv = "WORKINGMEMORY_TEST_MCP_RECORDED"

// proxy is a proxy in front of a command.
func proxy(command []string) error {
	file, err := os.OpenFile(os.Getenv(recordedEnv), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	recorder, err := middleware.NewRecorder(&middleware.Options{
		OnCall: func(_ context.Context, call middleware.ToolCall, _ extractor.Extraction, _ error) {
			line, _ := json.Marshal(madeCall{call.Name, call.Err != nil})
			_, _ = fmt.Fprintf(file, "%s\n", line)
		},
	})
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	server, err := mcpproxy.Start(cmd, 0)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return mcpproxy.Run(ctx, recorder, mcpproxy.NewStream(os.Stdin, os.Stdout), server, nil)
}

type madeCall struct {
	Name   string `json:"name"`
	Failed bool   `json:"failed"`
}

// conversation is what calls.mjs prints.
type conversation struct {
	Made     []madeCall
	Varying  []int
	Progress int
	Block    string
	Output   []byte
}

// The official client receives from the official servers, through the proxy, the bytes that it
// receives without, and each call is recorded once.
func TestOfficialServers(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("WORKINGMEMORY_TEST_MCP_CLIENTS")
	if modules == "" {
		t.Skip("WORKINGMEMORY_TEST_MCP_CLIENTS is not set: it is a directory in which npm ci has installed internal/mcpclients/testdata/package.json")
	}
	modules, err := filepath.Abs(filepath.Join(modules, "node_modules"))
	require.NoError(t, err)
	for name, want := range map[string]struct {
		calls int
		block string
	}{"filesystem": {62, "a.json"}, "memory": {9, ""}, "everything": {14, `"Blue kettle" (W-1042)`}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := filepath.Join(modules, "@modelcontextprotocol", "server-"+name, "dist", "index.js")
			server := []string{"node", program}
			if name == "filesystem" {
				server = append(server, filepath.Join(dir, "data"))
			}
			direct := converse(t, modules, name, dir, server)
			proxied := converse(t, modules, name, dir, append([]string{os.Args[0]}, server...), serverEnv+"=proxy", recordedEnv+"="+filepath.Join(dir, "recorded"))
			assert.Equal(t, direct.Made, proxied.Made)
			assert.Equal(t, direct.Progress > 0, proxied.Progress > 0) // the client misses a notification just before the answer
			assert.Len(t, proxied.Made, want.calls)
			assert.Contains(t, proxied.Block, want.block)
			requireSameAnswers(t, direct, proxied)
			assert.ElementsMatch(t, proxied.Made, readRecorded(t, filepath.Join(dir, "recorded")))
		})
	}
}

// converse runs calls.mjs on an empty directory.
func converse(t *testing.T, modules, name, dir string, server []string, env ...string) (c conversation) {
	t.Helper()
	data := filepath.Join(dir, "data")
	require.NoError(t, os.RemoveAll(data))
	require.NoError(t, os.Mkdir(data, 0o700))
	script := filepath.Join(dir, "calls.mjs") // beside node_modules, where node looks for them
	text, err := os.ReadFile("testdata/calls.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, text, 0o600))
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); !os.IsExist(err) {
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{script, name, data}, server...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &c))
	return c
}

// requireSameAnswers checks that all answers that do not vary are the same bytes, but for the own
// entries of the proxy.
func requireSameAnswers(t *testing.T, direct, proxied conversation) {
	t.Helper()
	want, got := answers(t, direct), answers(t, proxied)
	for id, line := range want {
		if slices.Contains(proxied.Varying, id) {
			continue
		}
		own := strings.NewReplacer(","+blockTool, "", `,"resources":{}},"serverInfo"`, `},"serverInfo"`).Replace(got[id])
		require.True(t, line == own, "answer %d: %.500s\n%.500s", id, line, own)
	}
	require.Greater(t, len(want), 5)
}

// answers returns the lines of the answers by id.
func answers(t *testing.T, c conversation) map[int]string {
	t.Helper()
	all := map[int]string{}
	for line := range strings.Lines(string(c.Output)) {
		var m struct {
			ID     *int
			Method string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		if m.ID != nil && m.Method == "" {
			all[*m.ID] = line
		}
	}
	return all
}

func readRecorded(t *testing.T, path string) (calls []madeCall) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var c madeCall
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		calls = append(calls, c)
	}
	return calls
}
