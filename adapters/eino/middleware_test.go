package eino_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/adk/filesystem"
	"github.com/cloudwego/eino/adk/middlewares/patchtoolcalls"
	"github.com/cloudwego/eino/adk/middlewares/reduction"
	"github.com/cloudwego/eino/adk/middlewares/summarization"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// largeTool returns a result of 12 KB.
func largeTool(tb testing.TB, streams bool, result string) tool.BaseTool {
	if !streams {
		return newTool(tb, "get_page", func(context.Context, string) (string, error) { return result, nil })
	}
	return enhancedStreamTool{textPart(result[:500]), textPart(result[500:])}
}

// With reduction behind working memory, only what its preview shows is recorded. With reduction
// before it, the whole result is.
func TestOrderWithReduction(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("lorem ipsum ", 1000)
	front := fmt.Sprintf(`{"page":{"id":%q,"title":"Home","text":%q}}`, homeID, filler)
	middle := fmt.Sprintf(`{"page":{"text":%q,"id":%q,"title":"Home","notes":%q}}`, filler, homeID, filler)
	for _, test := range []struct {
		name        string
		memoryFirst bool
		result      string
		found       bool
	}{
		{"reduction first, id in front", false, front, true},
		{"reduction first, id in the middle", false, middle, true},
		{"memory first, id in front", true, front, true},
		{"memory first, id in the middle", true, middle, false},
	} {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streams=%v", test.name, streams), func(t *testing.T) {
				t.Parallel()
				r := adaptertest.NewRecord(t)
				reduce, err := reduction.New(t.Context(), &reduction.Config{Backend: filesystem.NewInMemoryBackend(), MaxLengthForTrunc: 1000})
				require.NoError(t, err)
				handlers := []adk.ChatModelAgentMiddleware{reduce, eino.New(r.Recorder, nil)}
				if test.memoryFirst {
					handlers[0], handlers[1] = handlers[1], handlers[0]
				}
				m := newScript(get("c1 get_page latest"), say("Found it."))
				a := newAgent(t, "editor", m, []tool.BaseTool{largeTool(t, streams, test.result)}, handlers...)
				_, err = read(adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: streams}).Query(t.Context(), "Get it."))
				require.NoError(t, err)

				request := m.last(t)
				assert.Contains(t, request[len(request)-1].String(), "<persisted-output>", "the model has the preview")
				require.Equal(t, []string{"get_page latest"}, r.Names())
				assert.NotContains(t, r.Calls()[0].Result, "<persisted-output>")
				assert.Equal(t, !test.memoryFirst, strings.Contains(fmt.Sprint(r.Calls()[0].Result), filler), "the whole result")
				if test.found {
					shows(t, request, `"Home" (`+homeID+`)`)
				} else {
					assert.Zero(t, blocks(request))
				}
			})
		}
	}
}

// Reduction also replaces old results and arguments in the agent's messages.
func TestClearedResults(t *testing.T) {
	t.Parallel()
	for _, memoryFirst := range []bool{false, true} {
		t.Run(fmt.Sprintf("memoryFirst=%v", memoryFirst), func(t *testing.T) {
			t.Parallel()
			r := adaptertest.NewRecord(t)
			reduce, err := reduction.New(t.Context(), &reduction.Config{Backend: filesystem.NewInMemoryBackend(), MaxTokensForClear: 60})
			require.NoError(t, err)
			handlers := []adk.ChatModelAgentMiddleware{reduce, eino.New(r.Recorder, nil)}
			if memoryFirst {
				handlers[0], handlers[1] = handlers[1], handlers[0]
			}
			m := newScript(get("c1 get_page "+homeID), get(" get_page "+newsID), get("c1 get_page "+homeID), say("Found them."))
			ask(t, t.Context(), newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, handlers...), schema.UserMessage("Get the pages."))
			assert.Contains(t, strings.Join(texts(m.last(t)), "\n"), "/tmp/clear/c1", "a result was cleared")
			assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
			shows(t, m.last(t), homeID, newsID)
			assert.NotContains(t, m.last(t)[0].Content, "/tmp/clear")
		})
	}
}

// A conversation whose results were cleared by another process.
func TestClearedHistory(t *testing.T) {
	t.Parallel()
	for _, notice := range []string{
		"<persisted-output>Tool result saved to: /tmp/clear/c1\nUse read_file to view</persisted-output>",
		"<persisted-output>工具结果已保存至: /tmp/clear/c1\n使用 read_file 进行查看</persisted-output>",
		"[Old tool result content cleared]",
		"[工具输出结果已清理]",
	} {
		r := adaptertest.NewRecord(t)
		eino.New(r.Recorder, nil).ModifyMessages(t.Context(), []*schema.Message{
			get("c1 get_page latest"), schema.ToolMessage(notice, "c1"), get("c2 get_page first"), schema.ToolMessage(page(homeID), "c2"), schema.UserMessage("Go on."),
		})
		assert.Equal(t, []string{"get_page first", "get_page latest"}, r.Names())
		assert.Equal(t, "[WORKING MEMORY]\npages:\n  - \"Home\" ("+homeID+")", r.Block(), notice)
	}
}

// Summarization replaces the messages with a summary, which has no block. Memory survives it.
func TestSummarization(t *testing.T) {
	t.Parallel()
	for _, memoryFirst := range []bool{false, true} {
		t.Run(fmt.Sprintf("memoryFirst=%v", memoryFirst), func(t *testing.T) {
			t.Parallel()
			r, summarizer := adaptertest.NewRecord(t), newScript(say("The user has got a page."))
			summarize, err := summarization.New(t.Context(), &summarization.Config{Model: summarizer, Trigger: &summarization.TriggerCondition{ContextMessages: 5, ContextTokens: 1 << 20}})
			require.NoError(t, err)
			handlers := []adk.ChatModelAgentMiddleware{summarize, eino.New(r.Recorder, nil)}
			if memoryFirst {
				handlers[0], handlers[1] = handlers[1], handlers[0]
			}
			m := newScript(get("c1 get_page "+homeID), get("c1 get_page "+newsID), get("c1 get_page "+homeID), say("Found them."))
			ask(t, t.Context(), newAgent(t, "editor", m, []tool.BaseTool{getPage(t, nil)}, handlers...), schema.UserMessage("Get the pages."))
			require.Len(t, summarizer.requests, 1)
			assert.Zero(t, blocks(summarizer.requests[0]))
			assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
			shows(t, m.last(t), homeID, newsID)
		})
	}
}

// A suspended call that is not resumed gets a result from Eino, which is none.
func TestPatchedCalls(t *testing.T) {
	t.Parallel()
	for _, memoryFirst := range []bool{false, true} {
		r := adaptertest.NewRecord(t)
		patch, err := patchtoolcalls.New(t.Context(), nil)
		require.NoError(t, err)
		handlers := []adk.ChatModelAgentMiddleware{patch, eino.New(r.Recorder, nil)}
		if memoryFirst {
			handlers[0], handlers[1] = handlers[1], handlers[0]
		}
		m := newScript(get("c1 get_page "+homeID), say("What else?"))
		a := newAgent(t, "editor", m, []tool.BaseTool{getPage(t, approval)}, handlers...)
		runner := adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, CheckPointStore: new(checkpoints)})
		interrupted(t, runner.Query(t.Context(), "Get it."))
		ask(t, t.Context(), a, schema.UserMessage("Get it."), get("c1 get_page "+homeID), schema.UserMessage("Never mind."))
		assert.Contains(t, strings.Join(texts(m.last(t)), "\n"), "was canceled")
		assert.Empty(t, r.Names())
		assert.Zero(t, blocks(m.last(t)))
	}
}

// A program's middleware turns errors into results. The call failed nevertheless.
func TestErrorsThatBecomeResults(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	m := newScript(get("c1 get_page "+homeID), say("It is gone."))
	soft := compose.ToolMiddleware{Invokable: func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
			if _, err := next(ctx, in); err != nil {
				return &compose.ToolOutput{Result: "error: page-1001 is unknown"}, nil
			}
			return nil, nil
		}
	}}
	a, err := adk.NewChatModelAgent(t.Context(), &adk.ChatModelAgentConfig{Name: "editor", Description: "edits", Model: m,
		Handlers: []adk.ChatModelAgentMiddleware{eino.New(r.Recorder, nil)},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{ToolCallMiddlewares: []compose.ToolMiddleware{soft},
			Tools: []tool.BaseTool{getPage(t, func(context.Context) error { return assert.AnError })}}}})
	require.NoError(t, err)
	ask(t, t.Context(), a, schema.UserMessage("Get it."))
	require.Len(t, r.Calls(), 1)
	require.ErrorIs(t, r.Calls()[0].Err, assert.AnError)
	assert.Zero(t, blocks(m.last(t)))
}
