package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// shop is an MCP server of somebody else.
func shop(t testing.TB) *mcp.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	say := func(name string, result *mcp.CallToolResult, err error) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return result, err
		})
	}
	say("structured", &mcp.CallToolResult{
		StructuredContent: json.RawMessage(`{"order":{"id":"o-1","name":"Blue kettle"}}`),
		Content:           []mcp.Content{&mcp.TextContent{Text: "one order"}},
	}, nil)
	large := `{"order":{"id":9007199254740993,"name":"Red kettle"}}`
	say("large", &mcp.CallToolResult{StructuredContent: json.RawMessage(large), Content: []mcp.Content{&mcp.TextContent{Text: large}}}, nil)
	say("text", &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"order":{"id":"o-3","name":"Pan"}}`}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}}}, nil)
	say("texts", &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: `{"order":{"id":"o-4","name":"Pot"}}`},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "shop://o-5", Text: `{"order":{"id":"o-5","name":"Lid"}}`}},
	}}, nil)
	say("empty", &mcp.CallToolResult{}, nil)
	say("failing", &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: `no order {"id":"o-6"}`}}}, nil)
	say("broken", nil, errors.New("broken pipe"))
	return s
}

// heard are the calls that a recorder was given.
type heard struct {
	mu    sync.Mutex
	calls []middleware.ToolCall
	found []extractor.Extraction
}

func (h *heard) recorder() *middleware.Recorder {
	rec, err := middleware.NewRecorder(&middleware.Options{OnCall: func(_ context.Context, call middleware.ToolCall, found extractor.Extraction, _ error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls, h.found = append(h.calls, call), append(h.found, found)
	}})
	if err != nil {
		panic(err)
	}
	return rec
}

func TestRecordCalls(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			h := new(heard)
			rec := h.recorder()
			record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec})
			server := shop(t)
			var cs *mcp.ClientSession
			if side == "client" {
				cs = connect(t, server, record)
			} else {
				server.AddReceivingMiddleware(record)
				cs = connect(t, server)
			}
			_, err := cs.ListTools(t.Context(), nil)
			require.NoError(t, err)
			for _, c := range []struct{ tool, id, failed string }{
				{"structured", "o-1", ""}, {"large", "9007199254740993", ""}, {"text", "o-3", ""}, {"texts", "o-5", ""},
				{"empty", "", ""}, {"failing", "", "no order"}, {"broken", "", "broken pipe"}, {"unknown", "", "unknown"},
			} {
				plain, plainErr := connect(t, shop(t)).CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: map[string]any{"n": 1}})
				result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: map[string]any{"n": 1}})
				assert.Equal(t, plain, result, "the outcome is what it is without recording")
				assert.Equal(t, plainErr == nil, err == nil)

				call, found := h.calls[len(h.calls)-1], h.found[len(h.found)-1]
				assert.Equal(t, c.tool, call.Name)
				assert.False(t, call.Start.IsZero())
				arguments, err := json.Marshal(call.Arguments)
				require.NoError(t, err)
				assert.JSONEq(t, `{"n":1}`, string(arguments))
				if c.failed != "" {
					assert.ErrorContains(t, call.Err, c.failed)
				} else {
					assert.NoError(t, call.Err)
				}
				if c.id != "" {
					require.NotEmpty(t, found.Entities, c.tool)
					assert.Equal(t, c.id, found.Entities[len(found.Entities)-1].ID)
				}
			}
			assert.Len(t, h.calls, 8)
			assert.Contains(t, rec.Block(), "o-3")
			assert.NotContains(t, rec.Block(), "o-6")
		})
	}
}

func TestOwnToolsAreNotRecorded(t *testing.T) {
	t.Parallel()
	h := new(heard)
	record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: h.recorder()})
	s := newServer(t, mcpserver.Options{})
	s.MCP().AddReceivingMiddleware(record)
	c := newCaller(t, connect(t, s.MCP(), record))
	c.call("memorize", `{"text":"Order o-1 is late"}`)
	c.call("remember", `{"query":"order"}`)
	c.fail("get_long_term_memory", `{"memory_id":"m9"}`)
	assert.Empty(t, h.calls)
}

func TestRecordCallsIntoSessions(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	sessions, err := middleware.NewSessions(manager, nil)
	require.NoError(t, err)
	anna := session.Key{UserID: "anna", SessionID: "s"}
	server := shop(t)
	server.AddReceivingMiddleware(mcpserver.RecordCalls(mcpserver.Recording{Sessions: sessions, Key: func(_ context.Context, req mcp.Request) (session.Key, bool) {
		p := req.GetParams().(*mcp.CallToolParamsRaw)
		return anna, p.Name != "text"
	}}))
	cs := connect(t, server)
	for _, tool := range []string{"structured", "text"} {
		_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		require.NoError(t, err)
	}
	block, err := sessions.Block(t.Context(), anna)
	require.NoError(t, err)
	assert.Contains(t, block, "o-1")
	assert.NotContains(t, block, "o-3", "it has no session")
}

func TestFailingMemoryChangesNoOutcome(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	sessions, err := middleware.NewSessions(manager, nil)
	require.NoError(t, err)
	for name, key := range map[string]func(context.Context, mcp.Request) (session.Key, bool){
		"no key":   func(context.Context, mcp.Request) (session.Key, bool) { return session.Key{}, true },
		"panicked": func(context.Context, mcp.Request) (session.Key, bool) { panic("contents") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []error
			cs := connect(t, shop(t), mcpserver.RecordCalls(mcpserver.Recording{Sessions: sessions, Key: key, OnError: func(_ context.Context, tool string, err error) {
				assert.Equal(t, "structured", tool)
				told = append(told, err)
				panic("not even this")
			}}))
			result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "structured"})
			require.NoError(t, err)
			assert.Equal(t, "one order", textOf(result))
			require.Len(t, told, 1)
			assert.NotContains(t, told[0].Error(), "contents")
		})
	}
}

// TestOddResultsChangeNoOutcome: what no tool should return comes through as it is.
func TestOddResultsChangeNoOutcome(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{"n": 1.0}
	cyclic["self"] = cyclic
	request := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "odd"}}
	for name, c := range map[string]struct {
		request mcp.Request
		result  mcp.Result
	}{
		"nothing":           {request, nil},
		"no result":         {request, (*mcp.CallToolResult)(nil)},
		"no content":        {request, &mcp.CallToolResult{Content: []mcp.Content{nil, (*mcp.TextContent)(nil), (*mcp.EmbeddedResource)(nil)}}},
		"a failure of none": {request, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{(*mcp.TextContent)(nil)}}},
		"holds itself":      {request, &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "{}"}}, StructuredContent: cyclic}},
		"a function":        {request, &mcp.CallToolResult{StructuredContent: func() {}}},
		"no parameters":     {&mcp.CallToolRequest{}, &mcp.CallToolResult{}},
		"no request":        {nil, &mcp.CallToolResult{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: new(heard).recorder()})
			failed := errors.New("failed")
			for _, want := range []error{nil, failed} {
				result, err := record(func(context.Context, string, mcp.Request) (mcp.Result, error) { return c.result, want })(t.Context(), "tools/call", c.request)
				assert.True(t, result == c.result)
				assert.Equal(t, want, err)
			}
		})
	}
}

func TestRecorderOfTheContext(t *testing.T) {
	t.Parallel()
	h, other := new(heard), new(heard)
	cs := connect(t, shop(t), mcpserver.RecordCalls(mcpserver.Recording{Recorder: other.recorder()}))
	_, err := cs.CallTool(middleware.WithRecorder(t.Context(), h.recorder()), &mcp.CallToolParams{Name: "structured"})
	require.NoError(t, err)
	assert.Len(t, h.calls, 1)
	assert.Empty(t, other.calls)
}
