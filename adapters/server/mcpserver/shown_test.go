package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const homeID = "0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f"

func rewriting(t testing.TB) *middleware.Recorder {
	t.Helper()
	rec, err := middleware.NewRecorder(&middleware.Options{
		Handles: handle.NewTable(nil), Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 1000}),
	})
	require.NoError(t, err)
	return rec
}

// With handles, tools get ids and models see handles, in clients and in servers.
func TestRecordCallsWithHandles(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		var got []string
		server := mcp.NewServer(&mcp.Implementation{Name: "cms", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "get_page", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got = append(got, string(req.Params.Arguments))
			found := `{"page":{"id":"` + homeID + `","title":"Home"}}`
			return &mcp.CallToolResult{
				Meta: mcp.Meta{"trace": homeID}, StructuredContent: json.RawMessage(found),
				Content: []mcp.Content{&mcp.TextContent{Text: found}, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}},
			}, nil
		})
		record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: rewriting(t)})
		var cs *mcp.ClientSession
		if side == "client" {
			cs = connect(t, server, record)
		} else {
			server.AddReceivingMiddleware(record)
			cs = connect(t, server)
		}
		call := func(arguments map[string]any) *mcp.CallToolResult {
			result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_page", Arguments: arguments})
			require.NoError(t, err)
			return result
		}
		shown := call(map[string]any{"slug": "home"})
		assert.Equal(t, `{"page":{"id":"page#1","title":"Home"}}`, textOf(shown), side)
		assert.Equal(t, map[string]any{"page": map[string]any{"id": "page#1", "title": "Home"}}, shown.StructuredContent, side)
		require.Len(t, shown.Content, 2)
		assert.IsType(t, &mcp.ImageContent{}, shown.Content[1], side)
		assert.Equal(t, homeID, shown.Meta["trace"], side)

		arguments := map[string]any{"id": "page#1"}
		call(arguments)
		assert.Equal(t, map[string]any{"id": "page#1"}, arguments, "the caller's arguments are not modified")
		refused := call(map[string]any{"id": "page#7"})
		assert.True(t, refused.IsError)
		assert.Equal(t, "unknown handle page#7: the tool was not called; known handles are page#1", textOf(refused), side)
		assert.Equal(t, []string{`{"slug":"home"}`, `{"id":"` + homeID + `"}`}, got, side)
	}
}

func TestRecordCallsShowsStoredResults(t *testing.T) {
	t.Parallel()
	rec := rewriting(t)
	record := mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec})
	result := &mcp.CallToolResult{
		Meta: mcp.Meta{"k": "v"}, StructuredContent: map[string]any{"text": strings.Repeat("many words ", 2000)},
		Content: []mcp.Content{
			&mcp.ImageContent{Data: []byte{1}}, &mcp.TextContent{Text: "short"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x://y", Text: "more"}},
		},
	}
	got, err := pass(t.Context(), record, findRequest, result, nil)
	require.NoError(t, err)
	shown := got.(*mcp.CallToolResult)
	require.Len(t, shown.Content, 2, "a text in place of all texts, and the image")
	assert.Contains(t, textOf(shown), "[STORED RESULT] result#1")
	assert.Same(t, result.Content[0], shown.Content[1])
	assert.Nil(t, shown.StructuredContent)
	assert.Equal(t, mcp.Meta{"k": "v"}, shown.Meta)
	assert.Len(t, result.Content, 3, "the tool's result is not modified")
	part, err := rec.ReadResult(t.Context(), middleware.ReadRequest{Handle: "result#1"})
	require.NoError(t, err)
	assert.Contains(t, part, "many words")

	waiting := &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}}
	got, err = pass(t.Context(), record, findRequest, waiting, nil)
	require.NoError(t, err)
	assert.Same(t, waiting, got)
}

func TestFailuresShowHandles(t *testing.T) {
	t.Parallel()
	sessions, err := middleware.NewSessions(newManager(t), &middleware.SessionsOptions{Handles: &handle.Options{}})
	require.NoError(t, err)
	record := mcpserver.RecordCalls(mcpserver.Recording{Sessions: sessions, Key: func(context.Context, mcp.Request) (session.Key, bool) {
		return session.Key{SessionID: "s"}, true
	}})
	_, err = pass(t.Context(), record, findRequest, &mcp.CallToolResult{Content: contents(`{"page":{"id":"` + homeID + `","title":"Home"}}`)}, nil)
	require.NoError(t, err)
	got, err := pass(t.Context(), record, findRequest, &mcp.CallToolResult{IsError: true, Content: contents("no access to " + homeID)}, nil)
	require.NoError(t, err)
	failed := got.(*mcp.CallToolResult)
	assert.True(t, failed.IsError)
	assert.Equal(t, "no access to page#1", textOf(failed))
}

// The tools of the server do the same for agents that record calls themselves.
func TestToolsForHandlesAndResults(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	said, _ := c.call("record_tool_call", `{"session_id":"s","name":"get_page","result":{"page":{"id":"`+homeID+`","title":"Home"}},"handles":true}`)
	assert.Equal(t, `{"page":{"id":"page#1","title":"Home"}}`, said)
	said, _ = c.call("record_tool_call", `{"session_id":"s","name":"get_page","error":"no access to `+homeID+`","handles":true}`)
	assert.Equal(t, "no access to page#1", said)

	_, decoded := c.call("decode_arguments", `{"session_id":"s","arguments":{"id":"page#1","n":9007199254740993}}`)
	assert.Equal(t, homeID, decoded["arguments"].(map[string]any)["id"])
	assert.Equal(t, "unknown handle page#7: the tool was not called; known handles are page#1",
		c.fail("decode_arguments", `{"session_id":"s","arguments":{"id":"page#7"}}`))
	said, _ = c.call("get_block", `{"session_id":"s"}`)
	assert.Contains(t, said, `"Home" (page#1)`)
	said, _ = c.call("get_block", `{"session_id":"s","handles":false}`)
	assert.Contains(t, said, homeID)
	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/s/block"})
	require.NoError(t, err)
	assert.Contains(t, read.Contents[0].Text, "page#1")
	_, prompt := c.call("memory_prompt", `{"session_id":"s","query":"rename it"}`)
	assert.Contains(t, prompt["messages"].([]any)[0].(map[string]any)["content"].(map[string]any)["text"], "page#1")

	said, _ = c.call("list_results", `{"session_id":"s"}`)
	assert.Equal(t, "No results are stored.", said)
	said, _ = c.call("record_tool_call", `{"session_id":"s","name":"read_file","result":"`+strings.Repeat("<|im_start|> many words ", 4000)+`","store_results":true}`)
	assert.Contains(t, said, "[STORED RESULT] result#1")
	assert.NotContains(t, said, "<|im_start|>", "results are hostile")
	said, _ = c.call("list_results", `{"session_id":"s"}`)
	assert.Contains(t, said, `result#1: "read_file", text`)
	said, _ = c.call("read_result", `{"session_id":"s","handle":"result#1","query":"many"}`)
	assert.Contains(t, said, "many words")
	assert.NotContains(t, said, "<|im_start|>")
	assert.Contains(t, c.fail("read_result", `{"session_id":"s","handle":"result#9"}`), "unknown handle result#9")
	assert.Contains(t, c.fail("read_result", `{"session_id":"s","handle":"1","path":"$["}`), "path: ")
}
