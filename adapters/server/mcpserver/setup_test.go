package mcpserver_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
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

// serverOn returns a server of a manager, with a new long-term memory.
func serverOn(t testing.TB, manager *session.Manager, opts mcpserver.Options) *mcpserver.Server {
	t.Helper()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock})
	require.NoError(t, err)
	opts.Memory, opts.Now = memory, clock
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

// caller calls tools and checks results against their schemas.
type caller struct {
	t       testing.TB
	session *mcp.ClientSession
	outputs map[string]*jsonschema.Resolved
}

func newCaller(t testing.TB, cs *mcp.ClientSession) *caller {
	t.Helper()
	c := &caller{t: t, session: cs, outputs: map[string]*jsonschema.Resolved{}}
	listed, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		c.outputs[tool.Name] = resolved(t, tool.OutputSchema)
	}
	return c
}

func resolved(t testing.TB, schema any) *jsonschema.Resolved {
	t.Helper()
	encoded, err := json.Marshal(schema)
	require.NoError(t, err)
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal(encoded, s))
	r, err := s.Resolve(nil)
	require.NoError(t, err)
	return r
}

// call calls a tool, which must succeed. It returns the text and the structured content, all of
// which must be in the schema.
func (c *caller) call(name, arguments string) (string, map[string]any) {
	c.t.Helper()
	result := c.result(c.t.Context(), name, arguments)
	require.False(c.t, result.IsError, textOf(result))
	require.NoError(c.t, c.outputs[name].Validate(result.StructuredContent), "%s: %v", name, result.StructuredContent)
	answer, ok := result.StructuredContent.(map[string]any)
	require.True(c.t, ok, "%T", result.StructuredContent)
	for member := range answer {
		require.Contains(c.t, c.outputs[name].Schema().Properties, member, name)
	}
	return textOf(result), answer
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
