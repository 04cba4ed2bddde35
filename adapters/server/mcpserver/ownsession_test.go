package mcpserver_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

const kettle = `"name":"find_order","result":{"order":{"id":"W-1042","name":"Blue kettle"}}`

// Calls that name no session are those of one session, which differs between servers.
func TestOwnSession(t *testing.T) {
	t.Parallel()
	manager := newManager(t)
	other := newCaller(t, connect(t, serverOn(t, manager, mcpserver.Options{}).MCP()))
	c := newCaller(t, connect(t, serverOn(t, manager, mcpserver.Options{}).MCP()))
	c.call("record_tool_call", `{`+kettle+`}`)
	c.call("append_messages", `{"messages":[{"role":"user","content":"Where is my kettle?"}]}`)
	block, _ := c.call("get_block", `{}`)
	assert.Contains(t, block, "W-1042")
	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://session/block"})
	require.NoError(t, err)
	assert.Equal(t, block, read.Contents[0].Text)
	_, session := c.call("get_working_memory", `{}`)
	assert.Len(t, session["messages"], 1)
	again, _ := c.call("get_block", `{"session_id":"`+session["session_id"].(string)+`"}`)
	assert.Equal(t, block, again)

	for _, arguments := range []string{`{}`, `{"session_id":"s"}`} {
		said, _ := other.call("get_block", arguments)
		assert.Empty(t, said)
	}
	named := newCaller(t, connect(t, serverOn(t, manager, mcpserver.Options{SessionID: session["session_id"].(string)}).MCP()))
	said, _ := named.call("get_block", `{}`)
	assert.Equal(t, block, said)
}

// Over HTTP, each session of the protocol has a session of its own. Its id is no credential.
func TestOwnSessionOverHTTP(t *testing.T) {
	t.Parallel()
	server := serve(t, mcpserver.Options{Tenant: tenantOf})
	begin := func() string {
		answer := postAs(t, server.URL, initialize, "Authorization", "Bearer anna")
		return answer.Header.Get("Mcp-Session-Id")
	}
	call := func(user, session, tool, arguments string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
		_, said := post(t, server.URL, body, "Authorization", "Bearer "+user, "Mcp-Session-Id", session)
		return said
	}
	one, two := begin(), begin()
	require.NotEmpty(t, one)
	require.NotEqual(t, one, two)
	call("anna", one, "record_tool_call", `{`+kettle+`}`)
	assert.Contains(t, call("anna", one, "get_block", `{}`), "W-1042")
	assert.NotContains(t, call("anna", two, "get_block", `{}`), "W-1042")
	assert.NotContains(t, call("bert", one, "get_block", `{}`), "W-1042")
	assert.Contains(t, call("anna", two, "get_block", `{"session_id":"`+one+`"}`), "W-1042")
	for _, none := range []string{"", "stolen"} {
		assert.Contains(t, call("anna", none, "get_block", `{}`), "session_id: Field required, because this client has no session of its own")
	}
	assert.Contains(t, call("anna", "", "begin_turn", `{"query":"tea"}`), `"content":[]`, "long-term memory needs no session")
}

// postAs sends a message and returns the answer without its body.
func postAs(t *testing.T, url, body string, header ...string) *http.Response {
	t.Helper()
	answer, _ := exchange(t, url, body, header...)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	return answer
}
