package mcpserver_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// idIn matches the id of a memory in a text.
var idIn = regexp.MustCompile(`\(ID: (\w+)\)`)

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

	said, _ := c.call("append_messages", `{"session_id":"s","messages":[{"role":"assistant","content":"Hi Anna"}],"context_window_max":"1000"}`)
	assert.Contains(t, said, "% of the window")
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

// What get_working_memory returns of messages and memories, set_working_memory takes.
func TestSessionsAreCopied(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	c.call("set_working_memory", `{"session_id":"s","messages":[{"role":"assistant","content":"one moment","tool_calls":[{"id":"c","name":"find"}]},{"role":"tool","content":"found","tool_call_id":"c"}],"memories":[{"text":"Anna likes tea","topics":["tea"]}]}`)
	text, want := c.call("get_working_memory", `{"session_id":"s"}`)
	copied := text[strings.Index(text, `"messages":`):]
	copied = copied[:strings.Index(copied, `,"context":`)]
	memories := text[strings.Index(text, `"memories":`):]
	memories = memories[:strings.Index(memories, `,"data":`)]
	_, got := c.call("set_working_memory", `{"session_id":"copy",`+copied+`,`+memories+`}`)
	assert.Equal(t, want["messages"], got["messages"])
	assert.Len(t, got["memories"], 1)
}

func TestLongTermMemory(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	said, _ := c.call("memorize", `{"text":"Anna prefers green tea","topics":["drinks"]}`)
	require.Regexp(t, idIn, said)
	id := idIn.FindStringSubmatch(said)[1]
	said, _ = c.call("memorize", `{"text":"Anna prefers green tea"}`)
	assert.Equal(t, "That is known already.", said)

	_, created := c.call("create_long_term_memories", `{"memories":[{"id":"m1","text":"The office is in Basel\n- and a forged line","memory_type":"semantic"},{"text":"Anna flew to Oslo","memory_type":"episodic","event_date":"2026-02-01"}]}`)
	require.Len(t, created["ids"], 2)

	said, _ = c.call("remember", `{"query":"which tea does Anna like"}`)
	assert.Contains(t, said, "- Anna prefers green tea (ID: "+id+")")
	said, _ = c.call("remember", `{"query":"office","limit":1}`)
	assert.Equal(t, 1, strings.Count("\n"+said, "\n- "), "a memory is one line")
	_, found := c.call("search_long_term_memory", `{"text":"office","limit":"5"}`)
	assert.EqualValues(t, 1, found["total"])
	for filters, total := range map[string]int{
		`{"memory_type":"episodic"}`:                                      1,
		`{"topics":["drinks","food"]}`:                                    1,
		`{"topics":{"none":["drinks"]},"event_date":{"gt":"2026-01-01"}}`: 1,
		`{"memory_type":{"startswith":"s"}}`:                              2,
		`{}`:                                                              3,
	} {
		_, found = c.call("search_long_term_memory", `{"filters":`+filters+`}`)
		assert.EqualValues(t, total, found["total"], filters)
	}

	_, one := c.call("get_long_term_memory", `{"memory_id":"m1"}`)
	assert.Equal(t, "m1", one["id"])
	_, one = c.call("edit_long_term_memory", `{"memory_id":"m1","text":"The office is in Bern","pinned":true}`)
	assert.Equal(t, "The office is in Bern", one["text"])
	assert.Contains(t, c.fail("edit_long_term_memory", `{"memory_id":"m1"}`), "No fields provided for update")
	assert.Contains(t, c.fail("get_long_term_memory", `{"memory_id":"m9"}`), "m9 not found")
	said, _ = c.call("compact_long_term_memories", `{}`)
	assert.Contains(t, said, "3 memories remaining")

	said, _ = c.call("forget", `{"memory_ids":["`+id+`","m9","`+id+`"]}`)
	assert.Equal(t, "ok, deleted 1 memories", said)
	_, gone := c.call("forget_memories", `{"policy":{"budget":0}}`)
	assert.Equal(t, true, gone["dry_run"])
	said, _ = c.call("delete_long_term_memories", `{"memory_ids":["m1","m1","m9"]}`)
	assert.Equal(t, "ok, deleted 1 memories", said)
	_, gone = c.call("forget_memories", `{"policy":{"budget":0},"dry_run":false}`)
	assert.EqualValues(t, 1, gone["deleted"])
	result := c.result(t.Context(), "remember", `{"query":"Anna"}`)
	assert.Empty(t, result.Content, "an empty result is empty")
	assert.NotNil(t, result.Content)
}

func TestMemoryPrompt(t *testing.T) {
	t.Parallel()
	c := newCaller(t, connect(t, newServer(t, mcpserver.Options{}).MCP()))
	c.call("memorize", `{"text":"Anna prefers green tea","namespace":"home"}`)
	c.call("append_messages", `{"session_id":"s","namespace":"home","messages":[{"role":"user","content":"Good morning"}]}`)
	for _, arguments := range []string{
		`{"query":"what tea?","session_id":"s","namespace":"home"}`,
		`{"query":"what tea?","session_id":{"eq":"s"},"namespace":{"eq":"home"}}`,
		`{"query":"what tea?","session_id":"s","namespace":"home","filters":{"memory_type":"semantic"}}`,
	} {
		said, made := c.call("memory_prompt", arguments)
		assert.Contains(t, said, "Good morning")
		assert.Len(t, made["long_term_memories"], 1)
	}
	said, made := c.call("memory_prompt", `{"query":"what tea?","session_id":"s","namespace":"home","filters":{"memory_type":"episodic"}}`)
	assert.Empty(t, made["long_term_memories"])
	assert.NotContains(t, said, "No relevant")
	_, made = c.call("memory_prompt", `{"query":"what tea?","session_id":"s","include_long_term_search":"false"}`)
	assert.Empty(t, made["long_term_memories"])
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
	c.call("append_messages", `{"messages":[{"role":"user","content":"x"}]}`)
	said, _ := c.call("begin_turn", `{"query":"x"}`)
	assert.Empty(t, said)
}
