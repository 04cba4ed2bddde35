package mcpserver_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// recorded is the call that is recorded of a result, nil if none is.
func recorded(ctx context.Context, t *testing.T, result *mcp.CallToolResult) *middleware.ToolCall {
	t.Helper()
	h := new(heard)
	record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: h.recorder()})
	got, err := record(func(context.Context, string, mcp.Request) (mcp.Result, error) { return result, nil })(
		ctx, "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "find"}})
	require.NoError(t, err)
	require.True(t, got == mcp.Result(result), "the result is the tool's own")
	if len(h.calls) == 0 {
		return nil
	}
	require.Len(t, h.calls, 1)
	return &h.calls[0]
}

func said(texts ...string) []mcp.Content {
	var all []mcp.Content
	for _, text := range texts {
		all = append(all, &mcp.TextContent{Text: text})
	}
	return all
}

func TestWhatIsRecordedOfAResult(t *testing.T) {
	t.Parallel()
	least := map[string]any{"id": -9007199254740992.0}
	small := map[string]any{"id": 7.0}
	for name, c := range map[string]struct {
		result *mcp.CallToolResult
		want   any
	}{
		"text":              {&mcp.CallToolResult{Content: said("a")}, "a"},
		"texts":             {&mcp.CallToolResult{Content: said("a", "b")}, []string{"a", "b"}},
		"an image":          {&mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte{1}}}}, nil},
		"a file":            {&mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x://y", Blob: []byte{1}}}}}, nil},
		"digits were lost":  {&mcp.CallToolResult{StructuredContent: least, Content: said(`{"id":-9007199254740993}`)}, `{"id":-9007199254740993}`},
		"deeper":            {&mcp.CallToolResult{StructuredContent: map[string]any{"a": []any{9007199254740992.0}}, Content: said(`{"a":[9007199254740993]}`)}, `{"a":[9007199254740993]}`},
		"no digit was lost": {&mcp.CallToolResult{StructuredContent: small, Content: said(`{"id":7}`)}, small},
		"other words":       {&mcp.CallToolResult{StructuredContent: least, Content: said(`{"id":8}`)}, least},
		"no JSON":           {&mcp.CallToolResult{StructuredContent: least, Content: said("one")}, least},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := recorded(t.Context(), t, c.result)
			require.NotNil(t, call)
			require.NoError(t, call.Err)
			assert.Equal(t, c.want, call.Result)
			assert.Positive(t, call.Duration)
		})
	}
}

func TestWhatIsRecordedOfAFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []mcp.Content
		want    string
	}{
		"says why":        {said("a", "b"), "a\nb"},
		"says nothing":    {nil, "tool failed"},
		"as much as kept": {said(strings.Repeat("x", 1024)), strings.Repeat("x", 1024)},
		"says much":       {said(strings.Repeat("x", 1025)), strings.Repeat("x", 1024)},
		"no half letters": {said(strings.Repeat("x", 1021) + "😀😀"), strings.Repeat("x", 1021)},
		"not UTF-8":       {said(strings.Repeat("\xff", 2000)), strings.Repeat("\xff", 1020)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := recorded(t.Context(), t, &mcp.CallToolResult{IsError: true, Content: c.content})
			require.NotNil(t, call)
			require.EqualError(t, call.Err, c.want)
			assert.Nil(t, call.Result)
		})
	}
}

// TestCallersThatLeftAreRecorded: the tool has done its work.
func TestCallersThatLeftAreRecorded(t *testing.T) {
	t.Parallel()
	manager := newManager(t)
	sessions, err := middleware.NewSessions(manager, nil)
	require.NoError(t, err)
	key := session.Key{SessionID: "s"}
	log := new(syncbuffer.Buffer)
	record := mcpserver.RecordCalls(mcpserver.Recording{
		Sessions: sessions, Logger: slog.New(slog.NewTextHandler(log, nil)),
		Key: func(ctx context.Context, _ mcp.Request) (session.Key, bool) {
			assert.NoError(t, ctx.Err())
			return key, true
		},
	})
	ctx, leave := context.WithCancel(t.Context())
	call := func() {
		result := &mcp.CallToolResult{Content: said(`{"order":{"id":"o-1","name":"Secret kettle"}}`)}
		_, err := record(func(context.Context, string, mcp.Request) (mcp.Result, error) { leave(); return result, nil })(
			ctx, "tools/call", &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "find"}})
		require.NoError(t, err)
	}
	call()
	block, err := sessions.Block(t.Context(), key)
	require.NoError(t, err)
	assert.Contains(t, block, "o-1")
	assert.Equal(t, []string{""}, lines(log))

	key = session.Key{}
	call()
	require.Len(t, lines(log), 1)
	assert.Contains(t, lines(log)[0], "tool call not recorded")
	assert.Contains(t, lines(log)[0], "tool=find")
	assert.NotContains(t, lines(log)[0], "Secret")
}

func TestQuestionsAreNoResults(t *testing.T) {
	t.Parallel()
	assert.Nil(t, recorded(t.Context(), t, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}}))
}
