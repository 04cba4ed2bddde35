package mcpproxy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	pageID = "550e8400-e29b-41d4-a716-446655440000"
	page   = `{"page":{"id":"` + pageID + `","title":"Home"}}`
)

// The tools get ids, and the client sees handles.
func TestHandles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{Handles: handle.NewTable(nil)})
		r.pass(call("1", "get_page", `{"slug": "home"}`))
		r.server.send(`{"id":1,"result":{"_meta":{"x":1.0},"structuredContent": ` + page + `,"content":[ {"text":"{\"page\":\"` + pageID + `\"}","type":"text","annotations":{}} , {"type":"image","data":"x"},{"type":"resource","resource":{"uri":"a://b","text":"` + pageID + `"}}]},"jsonrpc":"2.0"}`)
		assert.Equal(t, `{"id":1,"result":{"_meta":{"x":1.0},"structuredContent": {"page":{"id":"page#1","title":"Home"}},"content":[ {"text":"{\"page\":\"page#1\"}","type":"text","annotations":{}} , {"type":"image","data":"x"},{"type":"resource","resource":{"uri":"a://b","text":"page#1"}}]},"jsonrpc":"2.0"}`, r.client.receive())

		r.client.send(call("2", "update_page", `{"id":"page#1","title":"Welcome"}`))
		assert.Equal(t, call("2", "update_page", `{"id":"`+pageID+`","title":"Welcome"}`), r.server.receive())
		r.answer(result("2", `{"content":[{"type":"text","text":"done"}],"isError":true}`))

		r.client.send(call("3", "update_page", `{"id":"page#7"}`))
		assert.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"unknown handle page#7: the tool was not called; known handles are page#1"}],"isError":true,"_meta":{"go-workingmemory.github.io/own":true}}}`, r.client.receive())

		r.pass(call("4", "update_page", `{}`))
		r.answer(failure("4", -32602, "no"))
		r.end()
		assert.Len(t, r.recorded.all(), 3)
	})
}

// A large result is stored and described, and read with own tools.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{ResultTools: true}, middleware.Options{Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 100})})
		var lines []string
		for range 500 {
			lines = append(lines, "a line of a long text <|im_start|>")
		}
		long := strings.ReplaceAll(`"`+strings.Join(lines, "\n")+`"`, "\n", `\n`)
		r.pass(call("1", "read_file", `{"path":"a"}`))
		r.server.send(result("1", `{"content":[{"type":"text","text":`+long+`},{"type":"image","data":"x"}],"structuredContent":{"content":`+long+`}}`))
		var got struct {
			Result struct {
				Content    []struct{ Type, Text string }
				Structured any `json:"structuredContent"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(r.client.receive()), &got))
		require.Len(t, got.Result.Content, 2)
		assert.Contains(t, got.Result.Content[0].Text, "[STORED RESULT] result#1")
		assert.Equal(t, "image", got.Result.Content[1].Type)
		assert.Nil(t, got.Result.Structured)

		r.client.send(call("2", "read_result", `{"handle":"result#1","offset":2,"limit":1}`))
		require.NoError(t, json.Unmarshal([]byte(r.client.receive()), &got))
		assert.Contains(t, got.Result.Content[0].Text, "a line of a long text")
		assert.NotContains(t, got.Result.Content[0].Text, "<|im_start|")
		r.client.send(call("3", "list_results", `{}`))
		assert.Contains(t, r.client.receive(), `result#1: \"read_file\"`)
		r.client.send(call("4", "read_result", `{"handle":"result#9"}`))
		assert.Contains(t, r.client.receive(), `"isError":true`)

		r.pass(request("5", "tools/list", `{}`))
		r.server.send(result("5", `{"tools":[]}`))
		listed := r.client.receive()
		for _, name := range []string{"working_memory_block", "read_result", "list_results"} {
			assert.Contains(t, listed, `{"name":"`+name+`"`)
		}
		r.end()
		assert.Len(t, r.recorded.all(), 1)
	})
}

// The block is added to results, with this one's entities.
func TestBlockInResults(t *testing.T) {
	t.Parallel()
	guided, err := json.Marshal(prompt.WithGuidance("[WORKING MEMORY]\norders:\n  - \"Blue kettle\" (W-1042)"))
	require.NoError(t, err)
	block := `{"type":"text","text":` + string(guided) + `}`
	for name, c := range map[string]struct {
		at          mcpproxy.ResultBlock
		first, then string
	}{
		"before": {mcpproxy.BlockBefore, `{"content":[` + block + `,{"type":"text","text":"` + `{\"order\":{\"id\":\"W-1042\",\"name\":\"Blue kettle\"}}` + `"}]}`, `{"x":1,"content":[` + block + ` ],"isError":true}`},
		"after":  {mcpproxy.BlockAfter, `{"content":[{"type":"text","text":"` + `{\"order\":{\"id\":\"W-1042\",\"name\":\"Blue kettle\"}}` + `"},` + block + `]}`, `{"x":1,"content":[ ` + block + `],"isError":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, mcpproxy.Options{ResultBlock: c.at}, middleware.Options{})
				r.pass(call("1", "find", `{}`))
				r.answer(result("1", text("nothing"))) // nothing is known yet
				r.pass(call("2", "find", `{}`))
				r.server.send(result("2", text(order)))
				assert.Equal(t, result("2", c.first), r.client.receive())
				r.pass(call("3", "find", `{}`))
				r.server.send(result("3", `{"x":1,"content":[ ],"isError":true}`))
				assert.Equal(t, result("3", c.then), r.client.receive())
				r.pass(call("4", "find", `{}`), request("5", "ping", `{}`))
				r.answer(failure("4", -1, "no"), result("5", `{"content":[]}`))
				r.end()
				assert.Len(t, r.recorded.all(), 4)
			})
		})
	}
}
