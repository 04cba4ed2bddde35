package mcpserver_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// newManager returns a manager of a new store.
func newManager(t testing.TB) *session.Manager {
	t.Helper()
	manager, err := session.NewManager(memstore.New(&memstore.Options{Now: clock}), &session.Options{Now: clock})
	require.NoError(t, err)
	return manager
}

// newServer returns a server with a new store and long-term memory.
func newServer(t testing.TB, opts mcpserver.Options) *mcpserver.Server {
	t.Helper()
	return serverOn(t, newManager(t), opts)
}

// serverOn returns a server of a manager, with a new long-term memory and all tools.
func serverOn(t testing.TB, manager *session.Manager, opts mcpserver.Options) *mcpserver.Server {
	t.Helper()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock})
	require.NoError(t, err)
	opts.Memory, opts.Now = memory, clock
	if opts.Tools == nil {
		opts.Tools = []string{mcpserver.ToolsAll}
	}
	s, err := mcpserver.New(manager, &opts)
	require.NoError(t, err)
	return s
}

// connect connects a client to a server in memory.
func connect(t testing.TB, server *mcp.Server, middlewares ...mcp.Middleware) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	running, err := server.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	client.AddSendingMiddleware(middlewares...)
	cs, err := client.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close(); _ = running.Wait() })
	return cs
}

// caller calls tools.
type caller struct {
	t       testing.TB
	session *mcp.ClientSession
}

func newCaller(t testing.TB, cs *mcp.ClientSession) *caller { return &caller{t, cs} }

// call calls a tool, which must succeed. It returns the text and, if that is a JSON object, its
// members.
func (c *caller) call(name, arguments string) (text string, members map[string]any) {
	c.t.Helper()
	result := c.result(c.t.Context(), name, arguments)
	text = textOf(result)
	require.False(c.t, result.IsError, text)
	require.Nil(c.t, result.StructuredContent, "a result is sent once")
	_ = json.Unmarshal([]byte(text), &members)
	return text, members
}

// fail calls a tool, which must fail, and returns the text.
func (c *caller) fail(name, arguments string) string {
	c.t.Helper()
	result := c.result(c.t.Context(), name, arguments)
	require.True(c.t, result.IsError, textOf(result))
	return textOf(result)
}

func (c *caller) result(ctx context.Context, name, arguments string) *mcp.CallToolResult {
	c.t.Helper()
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	require.NoError(c.t, err)
	return result
}

func textOf(result *mcp.CallToolResult) string {
	if len(result.Content) == 0 {
		return ""
	}
	text, _ := result.Content[0].(*mcp.TextContent)
	return text.Text
}
