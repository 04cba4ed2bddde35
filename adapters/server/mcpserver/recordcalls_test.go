package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// recorded collects the calls that a recorder receives.
type recorded struct{ calls []middleware.ToolCall }

func (r *recorded) recorder(t testing.TB) *middleware.Recorder {
	rec, err := middleware.NewRecorder(&middleware.Options{OnCall: func(_ context.Context, call middleware.ToolCall, _ extractor.Extraction, _ error) {
		r.calls = append(r.calls, call)
	}})
	require.NoError(t, err)
	return rec
}

// pass runs a middleware around a tool that returns a result.
func pass(ctx context.Context, record mcp.Middleware, req mcp.Request, result mcp.Result, err error) (mcp.Result, error) {
	return record(func(context.Context, string, mcp.Request) (mcp.Result, error) { return result, err })(ctx, "tools/call", req)
}

var findRequest = &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "find", Arguments: json.RawMessage(`{"n":1}`)}}

func contents(texts ...string) (all []mcp.Content) {
	for _, text := range texts {
		all = append(all, &mcp.TextContent{Text: text})
	}
	return all
}

// RecordCalls works in clients and in servers, and for their tool calls alone.
func TestRecordCalls(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		h := new(recorded)
		rec := h.recorder(t)
		record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec})
		server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "find", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			large := `{"order":{"id":9007199254740993,"name":"Red kettle"}}`
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(large), Content: contents(large)}, nil
		})
		own := newServer(t, mcpserver.Options{}).MCP()
		var cs, ownClient *mcp.ClientSession
		if side == "client" {
			cs, ownClient = connect(t, server, record), connect(t, own, record)
		} else {
			server.AddReceivingMiddleware(record)
			own.AddReceivingMiddleware(record)
			cs, ownClient = connect(t, server), connect(t, own)
		}
		c := newCaller(t, ownClient) // lists the tools
		c.call("memorize", `{"text":"Order o-1 is late"}`)
		c.fail("get_long_term_memory", `{"memory_id":"m9"}`)
		assert.Empty(t, h.calls, "the package's own tools")

		_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: map[string]any{"n": 1}})
		require.NoError(t, err)
		_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
		require.Error(t, err)
		require.Len(t, h.calls, 2)
		arguments, err := json.Marshal(h.calls[0].Arguments)
		require.NoError(t, err)
		assert.JSONEq(t, `{"n":1}`, string(arguments))
		assert.False(t, h.calls[0].Start.IsZero())
		if side == "client" {
			assert.Equal(t, "shop", h.calls[0].Source, "the name of the server")
		}
		assert.Positive(t, h.calls[0].Duration)
		assert.Contains(t, rec.Block(), "9007199254740993", "no digit is lost")
		require.ErrorContains(t, h.calls[1].Err, "unknown")
	}
}

func TestRecordedSource(t *testing.T) {
	t.Parallel()
	h := new(recorded)
	record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: h.recorder(t), Source: "cms"})
	_, err := pass(t.Context(), record, findRequest, &mcp.CallToolResult{Content: contents(`{"page":{"id":"page-1001","title":"Home"}}`)}, nil)
	require.NoError(t, err)
	require.Len(t, h.calls, 1)
	assert.Equal(t, "cms", h.calls[0].Source)
}

func TestRecordedResults(t *testing.T) {
	t.Parallel()
	least, small := map[string]any{"id": -9007199254740992.0}, map[string]any{"id": 7.0}
	failure := func(content ...mcp.Content) *mcp.CallToolResult {
		return &mcp.CallToolResult{IsError: true, Content: content}
	}
	for name, tc := range map[string]struct {
		result *mcp.CallToolResult
		want   any
		fails  string
	}{
		"text":              {&mcp.CallToolResult{Content: contents("a")}, "a", ""},
		"texts":             {&mcp.CallToolResult{Content: contents("a", "b")}, []string{"a", "b"}, ""},
		"text resource":     {&mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x://y", Text: "a"}}}}, []string{`{"uri":"x://y","mimeType":"application/octet-stream"}`, "a"}, ""},
		"blob":              {&mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x://y", Blob: []byte{1}}}}}, `{"uri":"x://y","mimeType":"application/octet-stream"}`, ""},
		"image":             {&mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte{1}}}}, nil, ""},
		"no content":        {&mcp.CallToolResult{}, nil, ""},
		"link":              {&mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "x://y", Name: "Pier"}}}, `{"uri":"x://y","name":"Pier","mimeType":"application/octet-stream"}`, ""},
		"structured":        {&mcp.CallToolResult{StructuredContent: small}, small, ""},
		"structured text":   {&mcp.CallToolResult{StructuredContent: map[string]any{"content": "a"}, Content: contents("a")}, "a", ""},
		"lost digits":       {&mcp.CallToolResult{StructuredContent: least, Content: contents(`{"id":-9007199254740993}`)}, `{"id":-9007199254740993}`, ""},
		"deep lost digits":  {&mcp.CallToolResult{StructuredContent: map[string]any{"a": []any{9007199254740992.0}}, Content: contents(`{"a":[9007199254740993]}`)}, `{"a":[9007199254740993]}`, ""},
		"no lost digits":    {&mcp.CallToolResult{StructuredContent: small, Content: contents(`{"id":7}`)}, small, ""},
		"failure":           {failure(contents("a", "b")...), nil, "a\nb"},
		"failure, no text":  {failure(), nil, "tool failed"},
		"long failure":      {failure(contents(strings.Repeat("x", 1025))...), nil, strings.Repeat("x", 1024)},
		"cut in a rune":     {failure(contents(strings.Repeat("x", 1021) + "😀😀")...), nil, strings.Repeat("x", 1021)},
		"failure not UTF-8": {failure(contents(strings.Repeat("\xff", 2000))...), nil, strings.Repeat("\xff", 1020)},
	} {
		h := new(recorded)
		got, err := pass(t.Context(), mcpserver.RecordCalls(mcpserver.Recording{Recorder: h.recorder(t)}), findRequest, tc.result, nil)
		require.NoError(t, err)
		require.True(t, got == mcp.Result(tc.result), name)
		require.Len(t, h.calls, 1, name)
		assert.Equal(t, tc.want, h.calls[0].Result, name)
		if tc.fails == "" {
			assert.NoError(t, h.calls[0].Err)
		} else {
			assert.EqualError(t, h.calls[0].Err, tc.fails)
		}
	}
	h := new(recorded)
	_, err := pass(t.Context(), mcpserver.RecordCalls(mcpserver.Recording{Recorder: h.recorder(t)}), findRequest, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}}, nil)
	require.NoError(t, err)
	assert.Empty(t, h.calls, "a request for input is not a result")
}

// Recording never changes the outcome, whatever the tool returns.
func TestOddResults(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{"n": 1.0}
	cyclic["self"] = cyclic
	for name, tc := range map[string]struct {
		request mcp.Request
		result  mcp.Result
	}{
		"nil":           {findRequest, nil},
		"nil result":    {findRequest, (*mcp.CallToolResult)(nil)},
		"nil contents":  {findRequest, &mcp.CallToolResult{Content: []mcp.Content{nil, (*mcp.TextContent)(nil), (*mcp.EmbeddedResource)(nil)}}},
		"nil failure":   {findRequest, &mcp.CallToolResult{IsError: true, Content: []mcp.Content{(*mcp.TextContent)(nil)}}},
		"cyclic":        {findRequest, &mcp.CallToolResult{Content: contents("{}"), StructuredContent: cyclic}},
		"function":      {findRequest, &mcp.CallToolResult{StructuredContent: func() {}}},
		"no parameters": {&mcp.CallToolRequest{}, &mcp.CallToolResult{}},
		"no request":    {nil, &mcp.CallToolResult{}},
	} {
		for _, want := range []error{nil, errors.New("failed")} {
			result, err := pass(t.Context(), mcpserver.RecordCalls(mcpserver.Recording{Recorder: new(recorded).recorder(t)}), tc.request, tc.result, want)
			assert.True(t, result == tc.result, name)
			assert.Equal(t, want, err, name)
			_, err = pass(t.Context(), mcpserver.RecordCalls(mcpserver.Recording{Recorder: rewriting(t)}), tc.request, tc.result, want)
			assert.Equal(t, want, err, "with handles: %s", name)
		}
	}
}

func TestRecordCallsInSessions(t *testing.T) {
	t.Parallel()
	sessions, err := middleware.NewSessions(newManager(t), nil)
	require.NoError(t, err)
	anna, log := session.Key{UserID: "anna", SessionID: "s"}, new(syncbuffer.Buffer)
	var key func() (session.Key, bool)
	var failures []error
	h, other := new(recorded), new(recorded)
	record := mcpserver.RecordCalls(mcpserver.Recording{
		Sessions: sessions, Logger: slog.New(slog.NewTextHandler(log, nil)),
		Key: func(ctx context.Context, _ mcp.Request) (session.Key, bool) {
			assert.NoError(t, ctx.Err())
			return key()
		},
		OnError: func(_ context.Context, tool string, err error) {
			assert.Equal(t, "find", tool)
			failures = append(failures, err)
			panic("must not reach the caller")
		},
	})
	left, leave := context.WithCancel(t.Context())
	leave() // recorded even so: the tool has done its work
	order := func(id string) {
		_, err := pass(left, record, findRequest, &mcp.CallToolResult{Content: contents(`{"order":{"id":"` + id + `","name":"Secret kettle"}}`)}, nil)
		require.NoError(t, err)
	}
	key = func() (session.Key, bool) { return anna, true }
	order("o-1")
	key = func() (session.Key, bool) { return anna, false }
	order("o-2")
	block, err := sessions.Block(t.Context(), anna)
	require.NoError(t, err)
	assert.Contains(t, block, "o-1")
	assert.NotContains(t, block, "o-2")
	assert.Empty(t, failures)
	key = func() (session.Key, bool) { return session.Key{}, true }
	order("o-3")
	key = func() (session.Key, bool) { panic("secret") }
	order("o-4")
	require.Len(t, failures, 2)
	assert.Len(t, lines(log), 2)
	assert.Contains(t, log.String(), `msg="mcpserver: tool call not recorded" tool=find`)
	assert.NotContains(t, strings.ToLower(log.String()+failures[1].Error()), "secret")

	_, err = pass(middleware.WithRecorder(t.Context(), h.recorder(t)), mcpserver.RecordCalls(mcpserver.Recording{Recorder: other.recorder(t)}), findRequest, &mcp.CallToolResult{}, nil)
	require.NoError(t, err)
	assert.Len(t, h.calls, 1, "the recorder of the context takes precedence")
	assert.Empty(t, other.calls)
	_, err = pass(t.Context(), mcpserver.RecordCalls(mcpserver.Recording{Sessions: sessions, OnError: func(context.Context, string, error) { t.Error("no place to record") }}), findRequest, &mcp.CallToolResult{}, nil)
	require.NoError(t, err)
}
