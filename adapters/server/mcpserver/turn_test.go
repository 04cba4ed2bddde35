package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// The tool and the prompt return the summary, the block and memories, and only those that there are.
func TestBeginTurn(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	said, _ := c.call("begin_turn", `{"query":"Where is my kettle?"}`)
	assert.Empty(t, said)

	c.call("record_tool_call", `{`+kettle+`}`)
	c.call("memorize", `{"text":"Anna ordered a blue kettle"}`)
	c.call("memorize", `{"text":"Anna sold a red kettle"}`)
	_, session := c.call("get_working_memory", `{}`)
	id := session["session_id"].(string)
	c.call("set_working_memory", `{"context":"Anna asked for her order.","messages":[{"role":"user","content":"Good morning"}]}`)
	said, _ = c.call("begin_turn", `{"query":"Where is my kettle?"}`)
	summary, block, memories := strings.Index(said, "Anna asked for her order."), strings.Index(said, "W-1042"), strings.Index(said, "- Anna")
	assert.True(t, 0 < summary && summary < block && block < memories, said)
	assert.NotContains(t, said, "Good morning", "the client has the messages")
	one, _ := c.call("begin_turn", `{"query":"kettle","limit":1}`)
	assert.Equal(t, 1, strings.Count(one, "\n - ")+strings.Count(one, "\n- "), one)
	assert.Contains(t, c.fail("begin_turn", `{"query":"x","limit":101}`), "limit: Input should be less than or equal to 100")

	get := func(arguments map[string]string) []string {
		got, err := c.session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "begin_turn", Arguments: arguments})
		require.NoError(t, err)
		var texts []string
		for _, m := range got.Messages {
			assert.EqualValues(t, "user", m.Role)
			texts = append(texts, m.Content.(*mcp.TextContent).Text)
		}
		return texts
	}
	assert.Equal(t, []string{said, "Where is my kettle?"}, get(map[string]string{"query": "Where is my kettle?"}))
	known := get(map[string]string{"session_id": id})
	require.Len(t, known, 1)
	assert.NotContains(t, known[0], "- Anna", "without a query, nothing is searched for")
	assert.Empty(t, get(map[string]string{"session_id": "new"}))
	assert.Equal(t, known, get(nil))

	listed, err := c.session.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Prompts, 1)
	for _, wrong := range []map[string]string{{"question": "x"}, {"session_id": ""}} {
		_, err := c.session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "begin_turn", Arguments: wrong})
		for name := range wrong {
			require.ErrorContains(t, err, name+": ")
		}
	}
}
