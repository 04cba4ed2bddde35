package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
)

// lines returns the lines that were written.
func lines(b *syncbuffer.Buffer) []string {
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// piped sends lines to a server and returns its answers.
func piped(t *testing.T, opts mcpserver.Options, in ...string) []string {
	t.Helper()
	out := new(syncbuffer.Buffer)
	require.NoError(t, newServer(t, opts).RunIO(t.Context(), strings.NewReader(strings.Join(in, "\n")), out))
	return lines(out)
}

func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func pong(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func failed(id string, code int, why string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, why)
}

func TestLines(t *testing.T) {
	t.Parallel()
	invalid := "Message is not JSON-RPC 2.0"
	many := strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"},`, 100)
	for name, c := range map[string]struct {
		in, out []string
	}{
		"one":              {[]string{ping("7")}, []string{pong("7")}},
		"none":             {[]string{"", " ", "\r"}, []string{""}},
		"with spaces":      {[]string{"  " + ping("7") + " \t\r", "", ping(`"a"`)}, []string{pong("7"), pong(`"a"`)}},
		"no JSON":          {[]string{"hello", `{"jsonrpc":`, ping("7") + ping("8"), ping("9")}, []string{failed("null", -32700, "Message is not JSON"), failed("null", -32700, "Message is not JSON"), failed("null", -32700, "Message is not JSON"), pong("9")}},
		"no message":       {[]string{`7`, `{"id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, ping("9")}, []string{failed("null", -32600, invalid), failed("7", -32600, invalid), failed("null", -32600, invalid), pong("9")}},
		"too long":         {[]string{strings.Repeat("x", 10_001), strings.Repeat("x", 200_000), ping("9")}, []string{failed("null", -32600, "Message is longer than 10000 bytes"), failed("null", -32600, "Message is longer than 10000 bytes"), pong("9")}},
		"as long as can":   {[]string{ping("7") + strings.Repeat(" ", 10_000-len(ping("7"))), ping("9")}, []string{pong("7"), pong("9")}},
		"too long at last": {[]string{ping("7"), strings.Repeat("x", 10_001)}, []string{pong("7"), failed("null", -32600, "Message is longer than 10000 bytes")}},
		"before it began":  {[]string{`{"jsonrpc":"2.0","id":7,"method":"nope"}`, ping("9")}, []string{failed("7", 0, `method "nope" is invalid during session initialization`), pong("9")}},
		"notifications":    {[]string{`{"jsonrpc":"2.0","method":"nope"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, ping("9")}, []string{pong("9")}},
		"an answer":        {[]string{`{"jsonrpc":"2.0","id":7,"result":{}}`, ping("9")}, []string{pong("9")}},
		"a batch":          {[]string{"[" + ping("7") + `,{"jsonrpc":"2.0","method":"nope"},` + ping("7.0e1") + "]", ping("9")}, []string{"[" + pong("7") + "," + pong("70") + "]", pong("9")}},
		"a batch of one":   {[]string{"[" + ping("7") + "]"}, []string{"[" + pong("7") + "]"}},
		"no calls in it":   {[]string{`[{"jsonrpc":"2.0","method":"nope"},{"jsonrpc":"2.0","method":"nope"}]`, ping("9")}, []string{pong("9")}},
		"an empty batch":   {[]string{"[]", ping("9")}, []string{failed("null", -32600, "Batch has no messages"), pong("9")}},
		"a batch of odds":  {[]string{"[" + ping("7") + ",8]", ping("9")}, []string{failed("null", -32600, invalid), pong("9")}},
		"an id twice":      {[]string{"[" + ping("7") + "," + ping("7") + "]", ping("7")}, []string{failed("null", -32600, "Id is in use"), pong("7")}},
		"many in a batch":  {[]string{"[" + many + ping("7") + "]", "[" + strings.TrimPrefix(many, `{"jsonrpc":"2.0","method":"notifications/x"},`) + ping("9") + "]"}, []string{failed("null", -32600, "Too many messages in one batch"), "[" + pong("9") + "]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := piped(t, mcpserver.Options{MaxBodyBytes: 10_000}, c.in...)
			for _, lines := range [][]string{got, c.out} {
				for i, line := range lines { // calls of a batch finish in any order
					lines[i] = strings.ReplaceAll(line, "["+pong("70")+","+pong("7")+"]", "["+pong("7")+","+pong("70")+"]")
				}
				slices.Sort(lines)
			}
			assert.Equal(t, c.out, got)
		})
	}
}

var xs = strings.Repeat("x", 1<<16)

// endless reads a line without an end.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, xs)
	e.left -= n
	return n, nil
}

// Not parallel: it measures allocations.
func TestEndlessLines(t *testing.T) {
	log, out := new(syncbuffer.Buffer), new(syncbuffer.Buffer)
	s := newServer(t, mcpserver.Options{MaxBodyBytes: 1 << 20, Logger: slog.New(slog.NewTextHandler(log, nil))})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, s.RunIO(t.Context(), io.MultiReader(&endless{left: 64 << 20}, strings.NewReader("\n"+ping("7"))), out))
	runtime.ReadMemStats(&after)
	assert.Equal(t, []string{failed("null", -32600, "Message is longer than 1048576 bytes"), pong("7")}, lines(out))
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
	assert.Contains(t, log.String(), "Message is longer than 1048576 bytes")
	assert.NotContains(t, log.String(), "xxx")
}

const slowCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_context_usage","arguments":{"session_id":"s"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// Calls that are pending at the end of the input are answered.
func TestPendingCallsAreAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := newServer(t, mcpserver.Options{Tenant: func(ctx context.Context) (auth.Tenant, error) {
			<-release
			return auth.Tenant{}, ctx.Err()
		}})
		out, done := new(syncbuffer.Buffer), make(chan error, 1)
		in := strings.Join([]string{initialize, initialized, fmt.Sprintf(slowCall, 7), "[" + fmt.Sprintf(slowCall, 8) + "," + fmt.Sprintf(slowCall, 9) + "]"}, "\n")
		go func() { done <- s.RunIO(t.Context(), strings.NewReader(in), out) }()
		synctest.Wait()
		assert.Len(t, lines(out), 1)
		close(release)
		require.NoError(t, <-done)
		said := strings.Join(lines(out), "\n")
		assert.Len(t, lines(out), 3)
		assert.Equal(t, 3, strings.Count(said, "Session s not found"), said)
	})
}

// The wait for pending calls ends after the timeout, even if a tool of the caller ignores it.
func TestEndOfInputIsLimited(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{"ours": fmt.Sprintf(slowCall, 7), "theirs": `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				wait := func(ctx context.Context) (auth.Tenant, error) {
					<-ctx.Done()
					return auth.Tenant{}, ctx.Err()
				}
				s := newServer(t, mcpserver.Options{Timeout: time.Minute, Tenant: wait})
				s.MCP().AddTool(&mcp.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					_, err := wait(ctx)
					return nil, err
				})
				start := time.Now()
				require.NoError(t, s.RunIO(t.Context(), strings.NewReader(initialize+"\n"+call), new(syncbuffer.Buffer)))
				assert.Equal(t, time.Minute, time.Since(start))
			})
		})
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan error, 1)
		s := newServer(t, mcpserver.Options{Tenant: func(ctx context.Context) (auth.Tenant, error) {
			<-ctx.Done()
			cancelled <- ctx.Err()
			return auth.Tenant{}, ctx.Err()
		}})
		in, write := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.RunIO(ctx, in, new(syncbuffer.Buffer)) }()
		_, err := io.WriteString(write, initialize+"\n"+fmt.Sprintf(slowCall, 7)+"\n")
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.ErrorIs(t, <-cancelled, context.Canceled)
		require.NoError(t, write.Close()) // or the read would outlive the test
	})
}

// counted counts the lines that the server has read.
type counted struct {
	line string
	left int
	read atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n := int(c.read.Add(1))
	if n > c.left {
		return 0, io.EOF
	}
	return copy(p, fmt.Sprintf(c.line, n+1)+"\n"), nil
}

// Reading pauses while too many calls are pending.
func TestPendingCallsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := newServer(t, mcpserver.Options{Tenant: func(context.Context) (auth.Tenant, error) {
			<-release
			return auth.Tenant{}, nil
		}})
		in, out, done := &counted{line: slowCall, left: 1100}, new(syncbuffer.Buffer), make(chan error, 1)
		go func() { done <- s.RunIO(t.Context(), io.MultiReader(strings.NewReader(initialize+"\n"), in), out) }()
		synctest.Wait()
		assert.Less(t, in.read.Load(), int64(1010))
		close(release)
		require.NoError(t, <-done)
		assert.Len(t, lines(out), 1101)
	})
}

func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	in, write := io.Pipe()
	_ = write.CloseWithError(broken)
	require.ErrorIs(t, newServer(t, mcpserver.Options{}).RunIO(t.Context(), in, new(syncbuffer.Buffer)), broken)

	in, write = io.Pipe()
	out, to := io.Pipe()
	_ = out.CloseWithError(broken)
	go func() { _, _ = io.WriteString(write, ping("7")+"\n") }()
	require.ErrorIs(t, newServer(t, mcpserver.Options{}).RunIO(t.Context(), in, to), broken)
}
