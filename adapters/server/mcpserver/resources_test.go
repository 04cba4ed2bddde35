package mcpserver_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

func TestRecordedToolCallsAreInTheBlock(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	said, _ := c.call("get_block", `{"session_id":"a/b"}`)
	assert.Empty(t, said)

	said, _ = c.call("record_tool_call", `{"session_id":"a/b","name":"get_order","arguments":{"x":1},"result":{"order":{"id":9007199254740993,"name":"Blue kettle"}}}`)
	assert.Contains(t, said, `order "Blue kettle" (9007199254740993)`, "no digit is lost")
	said, _ = c.call("record_tool_call", `{"session_id":"a/b","name":"get_order","result":"{\"order\":{\"id\":\"o-2\",\"name\":\"Red kettle\"}}","error":"timeout"}`)
	assert.Equal(t, "No entities", said)

	said, _ = c.call("get_block", `{"session_id":"a/b","budget":200}`)
	assert.Contains(t, said, "9007199254740993")
	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/a%2Fb/block?budget=200"})
	require.NoError(t, err)
	assert.Equal(t, said, read.Contents[0].Text)
	assert.Equal(t, "text/plain", read.Contents[0].MIMEType)
	read, err = c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/a%2Fb/entities"})
	require.NoError(t, err)
	assert.Contains(t, read.Contents[0].Text, `"id":"9007199254740993"`)
	for _, uri := range []string{"memory://sessions/a%2Fb/block?budget=x", "memory://sessions/a%2Fb/block?budget=-1", "memory://sessions//block", "memory://other/a/block", "memory://sessions/a/b", "memory://session/block/x"} {
		_, err = c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		assert.Error(t, err, uri)
	}
}

func TestResourcesAreListed(t *testing.T) {
	t.Parallel()
	cs := connect(t, newServer(t, mcpserver.Options{}).MCP())
	templates, err := cs.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, templates.ResourceTemplates, 2)
	listed, err := cs.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Resources, 1)
	assert.Equal(t, "memory://session/block", listed.Resources[0].URI)
}

// The empty text of a resource is on the wire: official clients refuse contents without a text.
func TestEmptyTexts(t *testing.T) {
	t.Parallel()
	said := serveOne(t.Context(), newServer(t, mcpserver.Options{}).HTTPHandler(), `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://sessions/new/block"}}`)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{"ttlMs":0,"cacheScope":"public","contents":[{"uri":"memory://sessions/new/block","mimeType":"text/plain","text":""}]}}`, said)
}
