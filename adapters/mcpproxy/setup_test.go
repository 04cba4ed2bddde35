package mcpproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// end is the end of a connection that a test plays.
type end struct {
	t *testing.T
	r *bufio.Reader
	w io.WriteCloser
}

// newConn returns a connection and its other end.
func newConn(t *testing.T) (*end, *mcpproxy.Stream) {
	in, theirs := io.Pipe()
	ours, out := io.Pipe()
	return &end{t: t, r: bufio.NewReader(ours), w: theirs}, mcpproxy.NewStream(in, out)
}

func (e *end) send(lines ...string) {
	e.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(e.w, line+"\n")
		require.NoError(e.t, err)
	}
}

// receive returns the next line.
func (e *end) receive() string {
	e.t.Helper()
	line, err := e.r.ReadString('\n')
	require.NoError(e.t, err)
	return strings.TrimSuffix(line, "\n")
}

// ended waits for the end of what arrives, and closes the other direction.
func (e *end) ended() {
	e.t.Helper()
	rest, err := io.ReadAll(e.r)
	require.NoError(e.t, err)
	require.Empty(e.t, string(rest))
	require.NoError(e.t, e.w.Close())
}

// recorded collects the calls that a recorder has recorded.
type recorded struct {
	mu    sync.Mutex
	calls []middleware.ToolCall
}

func (r *recorded) add(_ context.Context, call middleware.ToolCall, _ extractor.Extraction, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
}

func (r *recorded) all() []middleware.ToolCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// String lists the calls, one on each line.
func (r *recorded) String() string {
	var b strings.Builder
	for _, c := range r.all() {
		fmt.Fprintf(&b, "%s(%s)", c.Name, c.Arguments)
		if c.Err != nil {
			fmt.Fprintf(&b, " failed: %v\n", c.Err)
		} else {
			fmt.Fprintf(&b, " = %s\n", c.Result)
		}
	}
	return b.String()
}

// run is a proxy between two ends.
type run struct {
	client, server *end
	recorded       *recorded
	recorder       *middleware.Recorder
	done           chan error
	cancel         context.CancelFunc
}

// start starts a proxy with a recorder.
func start(t *testing.T, opts mcpproxy.Options, memory middleware.Options) *run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{recorded: new(recorded), done: make(chan error, 1), cancel: cancel}
	memory.OnCall = r.recorded.add
	var err error
	r.recorder, err = middleware.NewRecorder(&memory)
	require.NoError(t, err)
	var client, server *mcpproxy.Stream
	r.client, client = newConn(t)
	r.server, server = newConn(t)
	go func() { r.done <- mcpproxy.Run(ctx, r.recorder, client, server, &opts) }()
	return r
}

// pass sends lines of the client and checks that the server receives them unchanged.
func (r *run) pass(lines ...string) {
	r.client.t.Helper()
	for _, line := range lines {
		r.client.send(line)
		require.Equal(r.client.t, line, r.server.receive())
	}
}

// answer sends lines of the server and checks that the client receives them unchanged.
func (r *run) answer(lines ...string) {
	r.client.t.Helper()
	for _, line := range lines {
		r.server.send(line)
		require.Equal(r.client.t, line, r.client.receive())
	}
}

// end ends the client and then the server, and waits for the proxy.
func (r *run) end() {
	r.client.t.Helper()
	defer r.cancel()
	require.NoError(r.client.t, r.client.w.Close())
	r.server.ended()
	require.NoError(r.client.t, <-r.done)
}

func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func result(id, value string) string {
	return fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, value, id)
}

func failure(id string, code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, text)
}

func text(value string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, value)
}
