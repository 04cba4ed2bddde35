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
		{"forget_memories", `{}`, "policy: Field required"},
		{"forget", `{}`, "memory_ids: Field required"},
		{"forget", `{"memory_ids":[]}`, "memory_ids: List should have 1 to 1000 items"},
		{"forget_memories", `{"policy":{},"pinned_ids":["a"` + strings.Repeat(`,"a"`, 1000) + `]}`, "pinned_ids: List should have at most 1000 items"},
		{"forget_memories", `{"policy":{},"limit":0}`, "limit: Input should be greater than or equal to 1"},
		{"forget_memories", `{"policy":{},"limit":10001}`, "limit: Input should be less than or equal to 10000"},
		{"search_long_term_memory", `{"topics":"tea"}`, "topics: Extra inputs are not permitted: known are text, filters, limit, offset, search_mode, hybrid_alpha, distance_threshold, recency_boost"},
		{"search_long_term_memory", `{"filters":"topics=tea"}`, "filters: Input should be a valid dictionary"},
		{"search_long_term_memory", `{"filters":{"topic":"tea"}}`, "filters.topic: Unknown filter: known are created_at, entities, event_date, extraction_strategy, last_accessed, memory_type, namespace, session_id, topics, user_id\nfilters have the form {"},
		{"search_long_term_memory", `{"filters":{"topics":7}}`, "filters.topics: Input should be a valid dictionary or object to extract fields from\nfilters have the form {"},
		{"search_long_term_memory", `{"filters":{"topics":null}}`, "filters.topics: Input should be a valid dictionary or object to extract fields from\nfilters have the form {"},
		{"search_long_term_memory", `{"filters":{"topics":["tea",7]}}`, "filters.topics.any.1: Input should be a valid string\nfilters have the form {"},
		{"search_long_term_memory", `{"filters":{"topics":{"has":"tea"}}}`, "filters.topics.has: Extra inputs are not permitted: known are eq, ne, any, all, none, startswith"},
		{"search_long_term_memory", `{"filters":{"event_date":"2026-01-01"}}`, "filters.event_date: Input should be a valid dictionary or object to extract fields from\nfilters have the form {"},
		{"search_long_term_memory", `{"filters":{"event_date":{"gt":"soon"}}}`, "filters.event_date.gt: Input should be a valid datetime"},
		{"search_long_term_memory", `{"filters":{"topics":{"any":[]},"memory_type":"poem"},"limit":0}`, "limit: Input should be greater than or equal to 1\nfilters.topics: Value error, any cannot be an empty list\nfilters.memory_type: Value error, eq value 'poem' not in valid enum values: ['episodic', 'semantic', 'message']\nfilters have the form {"},
		{"remember", `{"query":"x","limit":101}`, "limit: Input should be less than or equal to 100"},
		{"remember", fmt.Sprintf(`{"query":%q}`, strings.Repeat("x", 1<<20+1)), "query: String should have at most 1048576 bytes"},
		{"memory_prompt", `{"query":"x","session_id":""}`, "session_id: String should have at least 1 character"},
		{"memory_prompt", `{"query":"x","session_id":{"any":["s"]}}`, `session_id: Input should be a text or {"eq": text}`},
		{"memory_prompt", `{"query":"x","limit":0}`, "limit: Input should be greater than or equal to 1"},
		{"memory_prompt", `{"query":"x","session_id":"s","context_window_max":-1}`, "context_window_max: Input should be greater than or equal to 0"},
		{"memory_prompt", `{"query":"x","filters":{"namespace":{"any":[]}}}`, "filters.namespace: Value error, any cannot be an empty list\nfilters have the form {"},
		{"memory_prompt", `{"query":"x","user_id":{"eq":7}}`, `user_id: Input should be a text or {"eq": text}`},
		{"set_working_memory", `{"session_id":"s","ttl_seconds":0}`, "ttl_seconds: Input should be greater than or equal to 1"},
		{"set_working_memory", `{"session_id":"s","messages":[{"role":"ai","content":"x"}]}`, "messages.0.role: Input should be user, assistant, system or tool"},
		{"append_messages", `{"messages":[{"role":"user","content":"x"},{"role":"","content":"x"}]}`, "messages.1.role: Input should be user, assistant, system or tool"},
		{"append_messages", `{"messages":[{"role":"user","content":"x","text":"y"}]}`, "messages.0.text: Extra inputs are not permitted: known are role, content, id, "},
		{"append_messages", `{"session_id":"s","messages":[{"role":"user","content":"x","created_at":"2026-03-01T12:05:01Z"}]}`, "messages.0: Value error, created_at cannot be more than 300 seconds in the future"},
		{"append_messages", `{"session_id":"s","messages":[],"ttl_seconds":0}`, "ttl_seconds: Input should be greater than or equal to 1"},
		{"append_messages", `{"session_id":"s","messages":[],"ttl_seconds":3153600001}`, "ttl_seconds: Input should be less than or equal to 3153600000"},
		{"append_messages", `{"session_id":"","messages":[]}`, "session_id: String should have at least 1 character"},
		{"record_tool_call", `{"name":"","result":1}`, "name: String should have at least 1 character"},
		{"record_tool_call", `{"name":"get_page"}`, "result: Field required: what the tool returned, the empty text if nothing; or error"},
		{"record_tool_call", `{"name":"get_page","result":null}`, "result: Field required"},
		{"record_tool_call", `{"name":"get_page","output":1}`, "output: Extra inputs are not permitted: known are name, arguments, result, error, id, handles, store_results, session_id, namespace, user_id"},
		{"get_current_datetime", `{"zone":"UTC"}`, "zone: Extra inputs are not permitted"},
		{"get_block", `{"session_id":"s","budget":-1}`, "budget: Input should be greater than or equal to 0"},
	} {
		said := c.fail(test.tool, test.arguments)
		assert.True(t, strings.HasPrefix(said, "Invalid arguments:\n"+test.says), "%s %.80s: %s", test.tool, test.arguments, said)
	}
	c.call("record_tool_call", `{"name":"delete_page","result":""}`)
	assert.Equal(t, "Invalid arguments:\nmessages: Field required", c.fail("append_messages", `{}`))
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
