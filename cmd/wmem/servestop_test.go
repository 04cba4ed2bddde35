package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// childEnv has the arguments of a wmem in a child process, which runs this test binary.
const childEnv = "WORKINGMEMORY_TEST_CHILD"

// TestChild is the program of startChild. By itself it does nothing.
func TestChild(*testing.T) {
	if text, ok := os.LookupEnv(childEnv); ok {
		os.Args = append([]string{"wmem"}, strings.Split(text, "\n")...)
		main()
	}
}

func startChild(t *testing.T, args ...string) (*exec.Cmd, *syncbuffer.Buffer) {
	t.Helper()
	errs := new(syncbuffer.Buffer)
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "\n"))
	child.Stderr = errs
	require.NoError(t, child.Start())
	t.Cleanup(func() { _ = child.Process.Kill() })
	return child, errs
}

// After a first signal the server waits for a pending request; a second signal ends it at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	child, errs := startChild(t, "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--encoding", "estimate")
	s := &served{url: listening(t, errs)}
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "PUT /v1/working-memory/s-1 HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", host)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, text := s.get(t, "/metrics", "")
		return strings.Contains(text, "wmem_http_requests_in_flight 2")
	}, time.Minute, 5*time.Millisecond)

	require.NoError(t, child.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		another, err := net.Dial("tcp", host)
		if err == nil {
			_ = another.Close()
		}
		return err != nil
	}, time.Minute, 5*time.Millisecond, "no more connections are accepted")
	require.NoError(t, child.Process.Signal(syscall.Signal(0)), "still running")
	require.NoError(t, child.Process.Signal(syscall.SIGTERM))
	require.Error(t, child.Wait())
	assert.Equal(t, exitFailure, child.ProcessState.ExitCode())
	assert.NotContains(t, errs.String(), "panic")
	assert.NotContains(t, errs.String(), "did not finish within")
	assert.Contains(t, errs.String(), `msg="web: stopping after pending requests" within=15s`)
}

// The messages of a pipe are answered, even after a malformed line, and standard output has only the
// protocol.
func TestMCPOnStdio(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
hunter2
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"append_messages","arguments":{"session_id":"s","messages":[{"role":"user","content":"hello"}]}}}`
	code, stdout, stderr := wmem(t, in, "mcp", "--store", store, "--encoding", "estimate")
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, 3, strings.Count(stdout, "\n"))
	for line := range strings.Lines(stdout) {
		assert.True(t, strings.HasPrefix(line, `{"jsonrpc":"2.0"`), line)
	}
	assert.Contains(t, stdout, `"name":"wmem"`)
	assert.Contains(t, stderr, "serving MCP: sessions sqlite:")
	assert.Contains(t, stderr, "Message is not JSON")
	assert.NotContains(t, stderr, "hunter2")
	code, stdout, stderr = wmem(t, "", "inspect", "s", "--store", store)
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "hello")
}
