package langchain_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func newWindow(t require.TestingT, limit int, opts *langchain.WindowOptions) *langchain.Window {
	w, err := langchain.NewWindow(limit, opts)
	require.NoError(t, err)
	return w
}

func TestWindowKeepsTheLastExchanges(t *testing.T) {
	t.Parallel()
	legacy := llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: "get"}}
	result := llms.FunctionChatMessage{Name: "get", Content: "x"}
	for name, tc := range map[string]struct {
		limit        int
		added, shown []llms.ChatMessage
	}{
		"a call and its results are one": {
			3, []llms.ChatMessage{userSays("hi"), modelSays("hello"), userSays("late?"), callsFor("1", "2"), resultOf("1", "W1"), resultOf("2", "W2")},
			[]llms.ChatMessage{modelSays("hello"), userSays("late?"), callsFor("1", "2"), resultOf("1", "W1"), resultOf("2", "W2")},
		},
		"a result joins the latest call with its id": {
			3, []llms.ChatMessage{callsFor("1"), resultOf("1", "first"), callsFor("1"), userSays("hurry"), resultOf("1", "second")},
			[]llms.ChatMessage{callsFor("1"), resultOf("1", "first"), callsFor("1"), resultOf("1", "second"), userSays("hurry")},
		},
		"of two results the latest counts": {
			3, []llms.ChatMessage{callsFor("1", "2"), resultOf("1", "too early"), resultOf("2", "b"), resultOf("1", "a")},
			[]llms.ChatMessage{callsFor("1", "2"), resultOf("1", "a"), resultOf("2", "b")},
		},
		"a function's result": {1, []llms.ChatMessage{&legacy, result}, []llms.ChatMessage{&legacy, result}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			added, set := newWindow(t, tc.limit, nil), newWindow(t, tc.limit, nil)
			for _, m := range tc.added {
				require.NoError(t, added.AddMessage(t.Context(), m))
			}
			assert.Equal(t, tc.shown, messagesOf(t, added))
			require.NoError(t, set.SetMessages(t.Context(), tc.added))
			assert.Equal(t, tc.shown, messagesOf(t, set))
			require.NoError(t, set.SetMessages(t.Context(), nil))
			assert.Empty(t, messagesOf(t, set))
		})
	}
}

func TestWindowRefusesResultsWithoutACall(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWindow(t, 2, nil)
	require.NoError(t, w.AddMessage(ctx, llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: "get"}}))
	require.NoError(t, w.AddMessage(ctx, callsFor("1")))
	before := messagesOf(t, w)
	require.ErrorIs(t, w.AddMessage(ctx, resultOf("2", "x")), langchain.ErrNoToolCall)
	require.ErrorIs(t, w.AddMessage(ctx, llms.FunctionChatMessage{Name: "set", Content: "x"}), langchain.ErrNoToolCall)
	require.ErrorIs(t, w.AddMessage(ctx, nil), langchain.ErrNoMessage)
	require.ErrorIs(t, w.SetMessages(ctx, []llms.ChatMessage{resultOf("1", "x")}), langchain.ErrNoToolCall)
	require.ErrorIs(t, w.SetMessages(ctx, []llms.ChatMessage{userSays("b"), nil}), langchain.ErrNoMessage)
	assert.Equal(t, before, messagesOf(t, w))

	require.NoError(t, w.AddUserMessage(ctx, "a"))
	require.NoError(t, w.AddAIMessage(ctx, "b"))
	require.ErrorIs(t, w.AddMessage(ctx, resultOf("1", "x")), langchain.ErrNoToolCall, "the call has left")

	_, err := langchain.NewWindow(0, nil)
	require.ErrorIs(t, err, queue.ErrLimit)
}

// Each result follows its call, for any sequence of messages.
func TestWindowNeverSplitsACallFromItsResults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		w := newWindow(t, limit, nil)
		ids := rapid.SampledFrom([]string{"1", "2", "3"})
		message := rapid.Custom(func(t *rapid.T) llms.ChatMessage {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return userSays("h")
			case 1:
				return modelSays("a")
			case 2:
				return callsFor(rapid.SliceOfNDistinct(ids, 1, 3, rapid.ID).Draw(t, "calls")...)
			default:
				return resultOf(ids.Draw(t, "result"), "r")
			}
		})
		for _, m := range rapid.SliceOfN(message, 0, 30).Draw(t, "messages") {
			if err := w.AddMessage(context.Background(), m); err != nil {
				require.ErrorIs(t, err, langchain.ErrNoToolCall)
			}
			exchanges := 0
			var open llms.AIChatMessage
			for _, m := range messagesOf(t, w) {
				result, ok := m.(llms.ToolChatMessage)
				if !ok {
					exchanges++
					open, _ = m.(llms.AIChatMessage)
					continue
				}
				isCall := func(c llms.ToolCall) bool { return c.ID == result.ID }
				require.True(t, slices.ContainsFunc(open.ToolCalls, isCall), "result %s behind %v", result.ID, open)
			}
			require.LessOrEqual(t, exchanges, limit)
		}
	})
}

func TestWindowKeepsItsMessagesWhereTheQueueFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	broken := errors.New("broken")
	fails := false
	w := newWindow(t, 2, &langchain.WindowOptions{Queue: queue.Options[*langchain.Exchange]{
		Compact: func(_ context.Context, q queue.CompactionInput[*langchain.Exchange]) ([]*langchain.Exchange, error) {
			if fails {
				return nil, broken
			}
			return q.Items, nil
		},
	}})
	require.NoError(t, w.AddUserMessage(ctx, "a"))
	fails = true
	require.ErrorIs(t, w.AddUserMessage(ctx, "b"), broken)
	require.ErrorIs(t, w.SetMessages(ctx, []llms.ChatMessage{userSays("c")}), broken)
	require.ErrorIs(t, w.SaveContext(ctx, map[string]any{"i": "d"}, map[string]any{"o": "e"}), broken)
	assert.Equal(t, []llms.ChatMessage{userSays("a")}, messagesOf(t, w))
	fails = false
	require.NoError(t, w.SetMessages(ctx, []llms.ChatMessage{userSays("c")}))
	assert.Equal(t, []llms.ChatMessage{userSays("c")}, messagesOf(t, w), "replaced")
}

// newHookedWindow returns a window with a hook that is called after each append.
func newHookedWindow(t *testing.T, run func(context.Context, queue.HookEvent[*langchain.Exchange]) error) *langchain.Window {
	t.Helper()
	return newWindow(t, 3, &langchain.WindowOptions{Queue: queue.Options[*langchain.Exchange]{
		Hooks: queue.Hooks[*langchain.Exchange]{AfterAppend: []*queue.Hook[*langchain.Exchange]{queue.NewHook("hook", run)}},
	}})
}

// The context of a callback replaces messages only while the window is being set, and only
// in that window.
func TestContextOfASetWindowIsOneLikeAnyOther(t *testing.T) {
	t.Parallel()
	var kept context.Context
	var w, other *langchain.Window
	other = newWindow(t, 3, nil)
	require.NoError(t, other.AddUserMessage(t.Context(), "a"))
	w = newHookedWindow(t, func(ctx context.Context, _ queue.HookEvent[*langchain.Exchange]) error {
		if kept != nil {
			return nil
		}
		kept = ctx
		assert.ErrorIs(t, w.Clear(ctx), queue.ErrReentrant)
		return other.AddUserMessage(ctx, "b")
	})
	require.NoError(t, w.SetMessages(t.Context(), []llms.ChatMessage{userSays("c")}))
	assert.Equal(t, []llms.ChatMessage{userSays("a"), userSays("b")}, messagesOf(t, other))
	require.NoError(t, w.AddUserMessage(kept, "d"))
	assert.Equal(t, []llms.ChatMessage{userSays("c"), userSays("d")}, messagesOf(t, w))
}

func TestExchangeOwnsItsMessages(t *testing.T) {
	t.Parallel()
	given := []llms.ChatMessage{userSays("a")}
	e := langchain.NewExchange(given...)
	given[0] = userSays("changed by the caller")
	e.Messages()[0] = userSays("changed by a reader")
	assert.Equal(t, []llms.ChatMessage{userSays("a")}, e.Messages())
}

func TestWindowIsAMemoryForChains(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWindow(t, 10, &langchain.WindowOptions{InputKey: "input"})
	require.NoError(t, w.SaveContext(ctx, map[string]any{"input": "hi", "other": 1}, map[string]any{"o": "hello"}))
	for _, outputs := range []map[string]any{{"o": 5}, {"o": "a", "p": "b"}} {
		require.ErrorIs(t, w.SaveContext(ctx, map[string]any{"input": "more"}, outputs), lcmemory.ErrInvalidInputValues, "whole or not at all")
	}
	values, err := w.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"history": "Human: hi\nAI: hello"}, values)
	assert.Equal(t, "history", w.GetMemoryKey(ctx))

	listed := newWindow(t, 10, &langchain.WindowOptions{Variable: "talk", ReturnMessages: true})
	require.NoError(t, listed.AddUserMessage(ctx, "hi"))
	values, err = listed.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"talk": []llms.ChatMessage{userSays("hi")}}, values)
	assert.Equal(t, []string{"talk"}, listed.MemoryVariables(ctx))

	require.NoError(t, w.SetMessages(ctx, []llms.ChatMessage{oddMessage{}}))
	_, err = w.LoadMemoryVariables(ctx, nil)
	require.ErrorIs(t, err, llms.ErrUnexpectedChatMessageType)
}
