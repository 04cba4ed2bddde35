package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// childEnv has the arguments of a wmem in a process of its own, which is this test's program.
const childEnv = "WORKINGMEMORY_TEST_CHILD"

// TestChild is the program that other tests start. By itself it does nothing.
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

// TestStopLosesNothing: of the appends that a server acknowledged before it was told to stop,
// while others went on, all are there; and it ends as one that did what it was told.
func TestStopLosesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wmem.db")
	child, errs := startChild(t, "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+file, "--encoding", "estimate", "--log-level", "error")
	c, err := client.New(listening(t, errs), nil)
	require.NoError(t, err)

	const writers, before = 8, 5
	acknowledged := make([][]string, writers)
	var all, warm sync.WaitGroup
	warm.Add(writers)
	for w := range writers {
		all.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("m-%d-%d", w, i)
				if _, err := c.Append(t.Context(), "s-1", message(id, id), &client.WriteOptions{Minimal: true}); err != nil {
					if i < before {
						warm.Done() // the test fails below
					}
					return
				}
				acknowledged[w] = append(acknowledged[w], id)
				if i == before {
					warm.Done()
				}
			}
		})
	}
	warm.Wait()
	require.NoError(t, child.Process.Signal(syscall.SIGTERM))
	require.NoError(t, child.Wait(), "exit code 0: %s", errs)
	all.Wait()

	store, err := sqlitestore.Open(t.Context(), file, nil)
	require.NoError(t, err)
	defer store.Close()
	m, err := session.NewManager(store, nil)
	require.NoError(t, err)
	defer m.Close(context.WithoutCancel(t.Context()))
	s, err := m.Load(t.Context(), session.Key{SessionID: "s-1"}, nil)
	require.NoError(t, err)
	kept := map[string]bool{}
	for _, message := range s.Messages {
		kept[message.ID] = true
	}
	for w := range writers {
		require.Greater(t, len(acknowledged[w]), before)
		for _, id := range acknowledged[w] {
			assert.True(t, kept[id], id)
		}
	}
}

// TestSecondSignal: a request that does not end keeps a server that was told to stop from
// ending, for a while; told again, it ends at once.
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
	}, time.Minute, 5*time.Millisecond, "nothing new is accepted")
	require.NoError(t, child.Process.Signal(syscall.Signal(0)), "it is still there")
	told := time.Now()
	require.NoError(t, child.Process.Signal(syscall.SIGTERM))
	require.Error(t, child.Wait())
	assert.Less(t, time.Since(told), serveGrace-5*time.Second)
	assert.Equal(t, exitFailure, child.ProcessState.ExitCode())
	assert.NotContains(t, errs.String(), "panic")
	assert.Contains(t, errs.String(), `msg="web: stopping after pending requests" within=15s`, "who waits knows what for")
}

// TestMCPOnStdio: the protocol, and nothing else, is on standard output; it ends when the
// client leaves.
func TestMCPOnStdio(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	errs, code := new(syncbuffer.Buffer), make(chan int, 1)
	go func() {
		code <- run(t.Context(), []string{"mcp", "--store", store, "--encoding", "estimate", "--namespace", "shop"}, inR, outW, errs)
		outW.Close()
	}()
	lines := json.NewDecoder(outR)
	ask := func(text string) (answer struct {
		ID     int
		Result json.RawMessage
	}) {
		t.Helper()
		_, err := io.WriteString(inW, text+"\n")
		require.NoError(t, err)
		require.NoError(t, lines.Decode(&answer), "%s", errs)
		return answer
	}
	hello := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	assert.Contains(t, string(hello.Result), `"wmem"`)
	_, err := io.WriteString(inW, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	tools := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.Equal(t, 2, tools.ID)
	assert.Contains(t, string(tools.Result), `"inputSchema"`)
	require.NoError(t, inW.Close())
	assert.Equal(t, exitOK, <-code, "%s", errs)
	rest, err := io.ReadAll(outR)
	require.NoError(t, err)
	assert.Empty(t, bytes.TrimSpace(rest))
	assert.Contains(t, errs.String(), "serving MCP: sessions sqlite:")
}

// TestMCPOfAPipe: what a script sends at once is done and answered, also what stands behind a
// line that is no message.
func TestMCPOfAPipe(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
hunter2
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"append_messages","arguments":{"session_id":"s","messages":[{"role":"user","content":"hello"}]}}}`
	code, stdout, stderr := wmem(t, in, "mcp", "--store", store, "--encoding", "estimate")
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, 3, strings.Count(stdout, "\n"))
	assert.Contains(t, stdout, `"version"`)
	assert.Contains(t, stderr, "Message is not JSON")
	assert.NotContains(t, stderr, "hunter2")
	code, stdout, stderr = wmem(t, "", "inspect", "s", "--store", store)
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, "hello")
}
