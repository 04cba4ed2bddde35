package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// Mistakes name the arguments of the tool, even where the service has them elsewhere.
func TestMistakesNameArguments(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	c.call("append_messages", `{"session_id":"s","messages":[{"role":"user","content":"x"}]}`)
	for _, test := range []struct{ tool, arguments, says string }{
		{"memorize", `{"text":""}`, "Value error, Memory at index 0 has empty text"},
		{"memorize", `{"text":"x","memory_type":"poem","topics":["a,b"]}`, "memory_type: Input should be 'episodic', 'semantic' or 'message'\ntopics: Value error, topics[0] contains a comma"},
		{"create_long_term_memories", `{"memories":[{"text":"x"},{"text":"x","topics":["a,b"]}]}`, "memories.1.topics: Value error, topics[0] contains a comma"},
		{"edit_long_term_memory", `{"memory_id":"m","text":""}`, "text: String should have at least 1 character"},
		{"delete_long_term_memories", `{"memory_ids":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, "memory_ids: List should have at most 1000 items"},
		{"forget_memories", `{"policy":{"max_age_days":-1}}`, "policy.max_age_days: Input should be greater than or equal to 0"},
		{"forget_memories", `{"policy":{},"pinned_ids":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, "pinned_ids: List should have at most 1000 items"},
		{"forget_memories", `{"policy":{},"limit":0}`, "limit: Input should be greater than or equal to 1"},
		{"forget_memories", `{"policy":{},"limit":10001}`, "limit: Input should be less than or equal to 10000"},
		{"search_long_term_memory", `{"topics":{"any":[]}}`, "topics: Value error, any cannot be an empty list"},
		{"remember", `{"query":"x","limit":101}`, "limit: Input should be less than or equal to 100"},
		{"remember", fmt.Sprintf(`{"query":%q}`, strings.Repeat("x", 1<<20+1)), "query: String should have at most 1048576 bytes"},
		{"memory_prompt", `{"query":"x","session_id":"","limit":0}`, "session_id: String should have at least 1 character\nlimit: Input should be greater than or equal to 1"},
		{"memory_prompt", `{"query":"x","session_id":"s","context_window_max":-1}`, "context_window_max: Input should be greater than or equal to 0"},
		{"memory_prompt", `{"query":"x","namespace":{"any":[]}}`, "namespace: Value error, any cannot be an empty list"},
		{"memory_prompt", `{"query":"x","user_id":{"eq":7}}`, "user_id.eq: Input should be a valid string"},
		{"set_working_memory", `{"session_id":"s","ttl_seconds":0}`, "ttl_seconds: Input should be greater than or equal to 1"},
		{"set_working_memory", `{"session_id":"s","messages":[{"role":"","content":"x"}]}`, "messages.0.role: String should have at least 1 character"},
		{"append_messages", `{"session_id":"s","messages":[{"role":"user","content":"x","created_at":"2026-03-01T12:05:01Z"}]}`, "messages.0: Value error, created_at cannot be more than 300 seconds in the future"},
		{"append_messages", `{"session_id":"s","messages":[],"ttl_seconds":0}`, "ttl_seconds: Input should be greater than or equal to 1"},
		{"append_messages", `{"session_id":"s","messages":[],"ttl_seconds":3153600001}`, "ttl_seconds: Input should be less than or equal to 3153600000"},
		{"append_messages", `{"session_id":"","messages":[]}`, "session_id: Session id cannot be empty"},
		{"record_tool_call", `{"session_id":"s","name":""}`, "name: String should have at least 1 character"},
		{"get_block", `{"session_id":"s","budget":-1}`, "budget: Input should be greater than or equal to 0"},
	} {
		said := c.fail(test.tool, test.arguments)
		assert.True(t, strings.HasPrefix(said, "Invalid arguments:\n"+test.says), "%s %.80s: %s", test.tool, test.arguments, said)
	}
	assert.Equal(t, "Invalid arguments:\nsession_id: Field required\nmessages: Field required", c.fail("append_messages", `{}`))
	assert.Contains(t, c.fail("append_messages", `{"session_id":"s","messages":[{"role":"user","content":"x"},{"role":"user"}]}`), "messages.1.content: Field required")
	missing := c.fail("append_messages", `{"session_id":"s","messages":[{}`+strings.Repeat(",{}", 9)+`]}`)
	assert.Equal(t, 12, strings.Count(missing, "\n")+1, missing)
	assert.Contains(t, missing, "and 10 more")
	assert.NotContains(t, c.fail("get_block", `[]`), "Internal")
	_, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"})
	require.Error(t, err)
	_, kept := c.call("get_working_memory", `{"session_id":"s"}`)
	assert.Len(t, kept["messages"], 1)
}
