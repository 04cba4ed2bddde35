package mcpproxy_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const (
	blockTool     = `{"name":"working_memory_block","description":"What earlier results of tools in this session named and is still relevant, with ids to pass to tools.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	blockResource = `{"uri":"memory://session/block","name":"working_memory_block","title":"Working memory","description":"What earlier results of tools in this session named and is still relevant, with ids to pass to tools.","mimeType":"text/plain"}`
)

// Own entries are added to the answers that list what a server has, and nothing else changes.
func TestLists(t *testing.T) {
	t.Parallel()
	rewriting := middleware.Options{Handles: handle.NewTable(nil)}
	unknown := failure("1", -32601, "Method not found")
	for name, c := range map[string]struct {
		memory        middleware.Options
		method        string
		answer, wants string
	}{
		"no capabilities":      {method: "initialize", answer: result("1", `{ "capabilities": {} , "x":1}`), wants: result("1", `{ "capabilities": {"tools":{},"resources":{}} , "x":1}`)},
		"tools only":           {method: "initialize", answer: result("1", `{"capabilities":{"tools":{"listChanged":true}}}`), wants: result("1", `{"capabilities":{"tools":{"listChanged":true},"resources":{}}}`)},
		"all capabilities":     {method: "server/discover", answer: result("1", `{"capabilities":{"resources":{},"tools":{}}}`), wants: result("1", `{"capabilities":{"resources":{},"tools":{}}}`)},
		"odd capabilities":     {method: "initialize", answer: result("1", `{"capabilities":[]}`), wants: result("1", `{"capabilities":[]}`)},
		"not initialized":      {method: "initialize", answer: unknown, wants: unknown},
		"tools":                {method: "tools/list", answer: result("1", `{"tools":[ {"name":"a","outputSchema":{}} ],"ttlMs":1}`), wants: result("1", `{"tools":[ {"name":"a","outputSchema":{}} ,`+blockTool+`],"ttlMs":1}`)},
		"no tools":             {method: "tools/list", answer: result("1", `{"tools":[ ]}`), wants: result("1", `{"tools":[ `+blockTool+`]}`)},
		"first page":           {method: "tools/list", answer: result("1", `{"tools":[],"nextCursor":"2"}`), wants: result("1", `{"tools":[],"nextCursor":"2"}`)},
		"last page":            {method: "tools/list", answer: result("1", `{"nextCursor":"","tools":[]}`), wants: result("1", `{"nextCursor":"","tools":[`+blockTool+`]}`)},
		"a tool with its name": {method: "tools/list", answer: result("1", `{"tools":[{"name":"working_memory_block"}]}`), wants: result("1", `{"tools":[{"name":"working_memory_block"}]}`)},
		"odd tools":            {method: "tools/list", answer: result("1", `{"tools":{}}`), wants: result("1", `{"tools":{}}`)},
		"tools unknown":        {method: "tools/list", answer: unknown, wants: `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + blockTool + `]}}`},
		"output schemas": {rewriting, "tools/list",
			result("1", `{"tools":[{"outputSchema":{"a":1},"name":"a"},{"name":"b", "outputSchema" : {} },{"outputSchema":true},{"x":{"outputSchema":1},"\"outputSchema":2,"outputSchema":3,"y":"outputSchema"}]}`),
			result("1", `{"tools":[{"name":"a"},{"name":"b" },{},{"x":{"outputSchema":1},"\"outputSchema":2,"y":"outputSchema"},`+blockTool+`]}`)},
		"resources":         {method: "resources/list", answer: result("1", `{"resources":[{"uri":"a://b"}]}`), wants: result("1", `{"resources":[{"uri":"a://b"},`+blockResource+`]}`)},
		"resources unknown": {method: "resources/list", answer: unknown, wants: `{"jsonrpc":"2.0","id":1,"result":{"resources":[` + blockResource + `]}}`},
		"templates":         {method: "resources/templates/list", answer: result("1", `{"resourceTemplates":[]}`), wants: result("1", `{"resourceTemplates":[]}`)},
		"templates unknown": {method: "resources/templates/list", answer: unknown, wants: `{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[]}}`},
		"another error":     {method: "tools/list", answer: failure("1", -32603, "no"), wants: failure("1", -32603, "no")},
		"another list":      {method: "prompts/list", answer: unknown, wants: unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, mcpproxy.Options{}, c.memory)
				r.pass(request("1", c.method, `{}`))
				r.server.send(c.answer)
				assert.Equal(t, c.wants, r.client.receive())
				r.end()
			})
		})
	}
}

// The block is a tool and a resource, which show all calls that were answered before.
func TestBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.client.send(call("1", "working_memory_block", `{}`))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"No entities are known yet."}],"_meta":{"go-workingmemory.github.io/own":true}}}`, r.client.receive())
		for range 50 {
			r.pass(call("2", "find", `{}`))
			r.answer(result("2", text(order)))
		}
		block := `"[WORKING MEMORY]\norders:\n  - \"Blue kettle\" (W-1042)"`
		r.client.send(request(`"3"`, "tools/call", `{"name":"working_memory_block"}`))
		assert.Equal(t, `{"jsonrpc":"2.0","id":"3","result":{"content":[{"type":"text","text":`+block+`}],"_meta":{"go-workingmemory.github.io/own":true}}}`, r.client.receive())
		r.client.send(request("4", "resources/read", `{"uri":"memory://session/block"}`))
		assert.Equal(t, `{"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"memory://session/block","mimeType":"text/plain","text":`+block+`}]}}`, r.client.receive())
		r.pass(request("5", "resources/read", `{"uri":"memory://session/other"}`))
		r.end()
		assert.Len(t, r.recorded.all(), 50, "the own tool is not recorded")
	})
}

// A server's tool with the name of an own one is called once it was listed.
func TestNameOfTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.pass(request("1", "tools/list", `{}`))
		r.answer(result("1", `{"tools":[{"name":"working_memory_block"}]}`))
		r.pass(call("2", "working_memory_block", `{}`))
		r.answer(result("2", text("theirs")))
		r.end()
		assert.Equal(t, "working_memory_block({}) = theirs\n", r.recorded.String())
	})
}
