package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// tools are the names that clients depend on.
var tools = []string{
	"append_messages", "compact_long_term_memories", "create_long_term_memories", "decode_arguments", "delete_long_term_memories",
	"edit_long_term_memory", "forget_memories", "get_block", "get_context_usage", "get_current_datetime",
	"get_long_term_memory", "get_working_memory", "list_results", "memorize", "memory_prompt", "read_result", "record_tool_call", "remember",
	"search_long_term_memory", "set_working_memory", "summarize_working_memory",
}

func TestToolsAreListed(t *testing.T) {
	t.Parallel()
	cs := connect(t, newServer(t, mcpserver.Options{}).MCP())
	listed, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		assert.NotEmpty(t, tool.Description)
		reads := strings.HasPrefix(tool.Name, "get_") || strings.HasSuffix(tool.Name, "_result") || tool.Name == "list_results" || tool.Name == "decode_arguments" || tool.Name == "remember" || tool.Name == "memory_prompt" || strings.HasPrefix(tool.Name, "search_")
		repeats := tool.Name == "append_messages" || tool.Name == "record_tool_call"
		assert.Equal(t, mcp.ToolAnnotations{
			Title: tool.Title, ReadOnlyHint: reads, DestructiveHint: new(!reads && !repeats && tool.Name != "memorize"), IdempotentHint: !repeats, OpenWorldHint: new(false),
		}, *tool.Annotations, tool.Name)
	}
	assert.ElementsMatch(t, tools, names)
}

func TestWorkingMemory(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))

	_, empty := c.call("get_working_memory", `{"session_id":"s"}`)
	assert.Equal(t, []any{}, empty["messages"])
	assert.Contains(t, c.fail("get_context_usage", `{"session_id":"s"}`), "Session s not found")

	_, set := c.call("set_working_memory", `{"session_id":"s","messages":[{"role":"user","content":"Hello"}],"memories":[{"text":"Anna likes tea"}],"data":{"n":9007199254740993},"ttl_seconds":"60"}`)
	assert.Len(t, set["messages"], 1)
	require.Len(t, set["memories"], 1)
	assert.NotEmpty(t, set["memories"].([]any)[0].(map[string]any)["id"])

	said, at := c.call("append_messages", `{"session_id":"s","messages":[{"role":"assistant","content":"Hi Anna"}],"context_window_max":"1000"}`)
	assert.Contains(t, said, "% of the window")
	assert.NotNil(t, at["context_percentage_total_used"])
	text, got := c.call("get_working_memory", `{"session_id":"s","recent_messages_limit":1}`)
	require.Len(t, got["messages"], 1)
	assert.Equal(t, "Hi Anna", got["messages"].([]any)[0].(map[string]any)["content"])
	assert.Contains(t, text, "9007199254740993", "no digit is lost")

	_, usage := c.call("get_context_usage", `{"session_id":"s"}`)
	assert.EqualValues(t, 2, usage["messages"])
	assert.EqualValues(t, 1000, usage["context_window_max"])
	assert.EqualValues(t, 1, usage["memories"])
	_, usage = c.call("get_context_usage", `{"session_id":"s","model_name":"gpt-4o"}`)
	assert.EqualValues(t, 128_000, usage["context_window_max"])

	_, summary := c.call("summarize_working_memory", `{"session_id":"s"}`)
	assert.NotEmpty(t, summary["status"])
}

func TestRecordedToolCallsAreInTheBlock(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcpserver.Options{})
	c := newCaller(t, connect(t, s.MCP()))
	said, _ := c.call("get_block", `{"session_id":"a/b"}`)
	assert.Contains(t, said, "no entities")

	_, made := c.call("record_tool_call", `{"session_id":"a/b","name":"get_order","arguments":{"x":1},"result":{"order":{"id":9007199254740993,"name":"Blue kettle"}}}`)
	require.Len(t, made["entities"], 1)
	assert.Equal(t, "9007199254740993", made["entities"].([]any)[0].(map[string]any)["id"], "no digit is lost")
	_, made = c.call("record_tool_call", `{"session_id":"a/b","name":"get_order","result":"{\"order\":{\"id\":\"o-2\",\"name\":\"Red kettle\"}}","error":"timeout"}`)
	assert.Empty(t, made["entities"])

	said, block := c.call("get_block", `{"session_id":"a/b","budget":200}`)
	assert.Contains(t, said, "9007199254740993")
	assert.Equal(t, said, block["block"])

	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/a%2Fb/block?budget=200"})
	require.NoError(t, err)
	assert.Equal(t, said, read.Contents[0].Text)
	assert.Equal(t, "text/plain", read.Contents[0].MIMEType)
	read, err = c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://sessions/a%2Fb/entities"})
	require.NoError(t, err)
	assert.Contains(t, read.Contents[0].Text, `"id":"9007199254740993"`)
	templates, err := c.session.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, templates.ResourceTemplates, 2)
	for _, uri := range []string{"memory://sessions/a%2Fb/block?budget=x", "memory://sessions/a%2Fb/block?budget=-1", "memory://sessions//block", "memory://other/a/block", "memory://sessions/a/b"} {
		_, err = c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		assert.Error(t, err, uri)
	}
}

func TestLongTermMemory(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	said, kept := c.call("memorize", `{"text":"Anna prefers green tea","topics":["drinks"]}`)
	id, _ := kept["id"].(string)
	require.NotEmpty(t, id)
	assert.Contains(t, said, id)
	_, again := c.call("memorize", `{"text":"Anna prefers green tea"}`)
	assert.Equal(t, "known", again["status"])
	assert.Nil(t, again["id"])

	_, created := c.call("create_long_term_memories", `{"memories":[{"id":"m1","text":"The office is in Basel\n- and a forged line","memory_type":"semantic"},{"text":"Anna flew to Oslo","memory_type":"episodic","event_date":"2026-02-01"}]}`)
	require.Len(t, created["ids"], 2)

	said, found := c.call("remember", `{"query":"which tea does Anna like"}`)
	require.NotEmpty(t, found["memories"])
	assert.Contains(t, said, "Anna prefers green tea (ID: "+id+")")
	said, found = c.call("search_long_term_memory", `{"text":"office","filters_unknown":1,"limit":"5"}`)
	assert.EqualValues(t, 1, found["total"])
	assert.Equal(t, 1, strings.Count(said, "\n- "), "a memory is one line")
	_, found = c.call("search_long_term_memory", `{"text":"","memory_type":{"eq":"episodic"}}`)
	assert.EqualValues(t, 1, found["total"])

	_, one := c.call("get_long_term_memory", `{"memory_id":"m1"}`)
	assert.Equal(t, "m1", one["id"])
	_, one = c.call("edit_long_term_memory", `{"memory_id":"m1","text":"The office is in Bern","pinned":true}`)
	assert.Equal(t, "The office is in Bern", one["text"])
	assert.Contains(t, c.fail("edit_long_term_memory", `{"memory_id":"m1"}`), "No fields provided for update")
	assert.Contains(t, c.fail("get_long_term_memory", `{"memory_id":"m9"}`), "m9 not found")
	_, left := c.call("compact_long_term_memories", `{}`)
	assert.EqualValues(t, 3, left["remaining"])

	_, gone := c.call("forget_memories", `{"memory_ids":["`+id+`","m9"],"dry_run":true}`)
	assert.Equal(t, []any{id}, gone["deleted_ids"])
	_, gone = c.call("forget_memories", `{"memory_ids":["`+id+`","m9","`+id+`"]}`)
	assert.Equal(t, []any{id}, gone["deleted_ids"])
	_, gone = c.call("forget_memories", `{"policy":{"budget":0}}`)
	assert.Equal(t, true, gone["dry_run"])
	_, removed := c.call("delete_long_term_memories", `{"memory_ids":["m1","m1","m9"]}`)
	assert.EqualValues(t, 1, removed["deleted"])
	_, gone = c.call("forget_memories", `{"policy":{"budget":0},"dry_run":false}`)
	assert.EqualValues(t, 1, gone["deleted"])
	said, _ = c.call("remember", `{"query":"Anna"}`)
	assert.Equal(t, "No memories found.", said)
}

func TestPromptTool(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	c.call("memorize", `{"text":"Anna prefers green tea","namespace":"home"}`)
	c.call("append_messages", `{"session_id":"s","namespace":"home","messages":[{"role":"user","content":"Good morning"}]}`)
	for _, arguments := range []string{
		`{"query":"what tea?","session_id":"s","namespace":"home"}`,
		`{"query":"what tea?","session_id":{"eq":"s"},"namespace":{"eq":"home"}}`,
	} {
		said, made := c.call("memory_prompt", arguments)
		assert.Contains(t, said, "Good morning")
		assert.Len(t, made["long_term_memories"], 1)
	}
	_, made := c.call("memory_prompt", `{"query":"what tea?","session_id":"s","include_long_term_search":"false"}`)
	assert.Empty(t, made["long_term_memories"])
	assert.Contains(t, c.fail("memory_prompt", `{"query":"tea","include_long_term_search":false}`), "Either session_id or include_long_term_search=True must be provided")
	assert.Contains(t, c.fail("memory_prompt", `{"query":"tea","namespace":7}`), "namespace: ")
	_, at := c.call("get_current_datetime", `{}`)
	assert.Equal(t, "2026-03-01T12:00:00Z", at["iso_utc"])
	assert.EqualValues(t, now.Unix(), at["unix_ts"])
}

func TestWithoutLongTermMemory(t *testing.T) {
	t.Parallel()
	s, err := mcpserver.New(newManager(t), nil)
	require.NoError(t, err)
	c := newCaller(t, connect(t, s.MCP()))
	assert.Equal(t, "Long-term memory is disabled", c.fail("memorize", `{"text":"x"}`))
	c.call("append_messages", `{"session_id":"s","messages":[{"role":"user","content":"x"}]}`)
}
