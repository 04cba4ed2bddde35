package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// The list of tools is in every prompt of every client.
func TestTokensOfToolLists(t *testing.T) {
	t.Parallel()
	counter, err := tiktoken.New("o200k_base")
	require.NoError(t, err)
	for set, limit := range map[string]int{mcpserver.ToolsCore: 2000, mcpserver.ToolsAll: 4000} {
		handler := newServer(t, mcpserver.Options{Tools: []string{set}}).HTTPHandler()
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		require.NoError(t, json.Unmarshal([]byte(serveOne(t.Context(), handler, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)), &answer))
		tokens := counter.CountTokens(string(answer.Result))
		t.Logf("tools/list of %s: %d tokens, %d bytes", set, tokens, len(answer.Result))
		assert.Positive(t, tokens)
		assert.LessOrEqual(t, tokens, limit, set)
	}
}

// coreTools are the names of the default set.
var coreTools = []string{"append_messages", "begin_turn", "forget", "get_block", "memorize", "record_tool_call", "remember"}

// allTools are the names that clients depend on.
var allTools = append([]string{
	"compact_long_term_memories", "create_long_term_memories", "decode_arguments", "delete_long_term_memories",
	"edit_long_term_memory", "forget_memories", "get_context_usage", "get_current_datetime",
	"get_long_term_memory", "get_working_memory", "list_results", "memory_prompt", "read_result",
	"search_long_term_memory", "set_working_memory", "summarize_working_memory",
}, coreTools...)

func TestToolSets(t *testing.T) {
	t.Parallel()
	handles := &middleware.SessionsOptions{Handles: &handle.Options{}, Results: &middleware.ResultsOptions{}}
	for name, c := range map[string]struct {
		opts mcpserver.Options
		want []string
	}{
		"default":      {mcpserver.Options{}, coreTools},
		"all":          {mcpserver.Options{Tools: []string{"all"}}, allTools},
		"names":        {mcpserver.Options{Tools: []string{"remember", "get_block", "remember"}}, []string{"get_block", "remember"}},
		"set and name": {mcpserver.Options{Tools: []string{"core", "memory_prompt"}}, append([]string{"memory_prompt"}, coreTools...)},
		"handles":      {mcpserver.Options{Recording: handles}, append([]string{"decode_arguments", "read_result", "list_results"}, coreTools...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := mcpserver.New(newManager(t), &c.opts)
			require.NoError(t, err)
			cs := connect(t, s.MCP())
			listed, err := cs.ListTools(t.Context(), nil)
			require.NoError(t, err)
			var names []string
			for _, tool := range listed.Tools {
				names = append(names, tool.Name)
			}
			assert.ElementsMatch(t, c.want, names)
			for _, tool := range []string{"begin_turn", "record_tool_call", "get_block"} {
				assert.Equal(t, slices.Contains(names, tool), strings.Contains(cs.InitializeResult().Instructions, tool), tool)
			}
		})
	}
	_, err := mcpserver.New(newManager(t), &mcpserver.Options{Tools: []string{"core", "recall"}})
	require.ErrorIs(t, err, mcpserver.ErrUnknownTool)
	for _, name := range append([]string{`"recall"`, "all", "core"}, allTools...) {
		require.ErrorContains(t, err, name)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	listed, err := connect(t, newServer(t, mcpserver.Options{}).MCP()).ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		assert.NotEmpty(t, tool.Description)
		reads := strings.HasPrefix(tool.Name, "get_") || slices.Contains([]string{"begin_turn", "decode_arguments", "list_results", "memory_prompt", "read_result", "remember", "search_long_term_memory"}, tool.Name)
		adds := tool.Name == "append_messages" || tool.Name == "record_tool_call"
		want := mcp.ToolAnnotations{ReadOnlyHint: reads, IdempotentHint: !adds, OpenWorldHint: new(false)}
		if adds || tool.Name == "memorize" {
			want.DestructiveHint = new(false)
		}
		assert.Equal(t, want, *tool.Annotations, tool.Name)
	}
}
