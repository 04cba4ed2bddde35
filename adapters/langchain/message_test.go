package langchain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

// namedMessage is a message of a type that is none of langchaingo's.
type namedMessage struct {
	typ           llms.ChatMessageType
	content, name string
}

func (m namedMessage) GetType() llms.ChatMessageType { return m.typ }
func (m namedMessage) GetContent() string            { return m.content }
func (m namedMessage) GetName() string               { return m.name }
func (m namedMessage) GetID() string                 { return "call-1" }
func (m namedMessage) GetFunctionCall() *llms.FunctionCall {
	return &llms.FunctionCall{Name: m.name}
}

func TestSessionTakesMessagesOfOtherTypes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := inProcess(t, nil)
	ai := llms.AIChatMessage{Content: "a", ReasoningContent: "why", ToolCalls: []llms.ToolCall{{ID: "call-1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "get"}}}}
	get := &llms.FunctionCall{Name: "get"}
	marked := llms.AIChatMessage{ToolCalls: []llms.ToolCall{ // types like our own markers
		{ID: "1", Type: "function_call", FunctionCall: get}, {ID: "2", Type: "type:empty:", FunctionCall: get}, {ID: "3", Type: "empty:"},
	}}
	for _, m := range []llms.ChatMessage{
		&llms.HumanChatMessage{Content: "h"}, &ai, &llms.ToolChatMessage{ID: "call-1", Content: "t"},
		&llms.SystemChatMessage{Content: "s"}, &llms.GenericChatMessage{Content: "g", Role: "user", Name: "n"},
		namedMessage{"human", "h2", "n"}, namedMessage{"ai", "a2", "get"}, namedMessage{"function", "f", "get"}, namedMessage{"tool", "t2", "get"},
		namedMessage{"system", "s2", "n"}, namedMessage{"generic", "g2", "n"}, namedMessage{"developer", "d", "n"},
		llms.HumanChatMessage{Content: "bad \xff\xfe"}, marked,
	} {
		require.NoError(t, s.AddMessage(ctx, m))
	}
	assert.Equal(t, []llms.ChatMessage{
		llms.HumanChatMessage{Content: "h"}, ai, llms.ToolChatMessage{ID: "call-1", Content: "t2"},
		llms.SystemChatMessage{Content: "s"}, llms.GenericChatMessage{Content: "g", Role: "user", Name: "n"},
		llms.HumanChatMessage{Content: "h2"},
		llms.AIChatMessage{Content: "a2", FunctionCall: &llms.FunctionCall{Name: "get"}}, llms.FunctionChatMessage{Name: "get", Content: "f"},
		llms.SystemChatMessage{Content: "s2"}, llms.GenericChatMessage{Content: "g2", Name: "n"},
		llms.GenericChatMessage{Role: "developer", Content: "d", Name: "n"},
		llms.HumanChatMessage{Content: "bad \uFFFD\uFFFD"}, marked,
	}, messagesOf(t, s))

	for _, m := range []llms.ChatMessage{nil, (*llms.AIChatMessage)(nil), (*llms.ToolChatMessage)(nil)} {
		require.ErrorIs(t, s.AddMessage(ctx, m), langchain.ErrNoMessage)
		require.ErrorIs(t, s.SetMessages(ctx, []llms.ChatMessage{userSays("x"), m}), langchain.ErrNoMessage)
	}
	assert.Len(t, messagesOf(t, s), 13)
}

// anyMessage draws messages of all types, with texts that the mapping uses itself.
func anyMessage() *rapid.Generator[llms.ChatMessage] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "user", "assistant", "system", "tool", "function", "generic", "generic:", "generic:user", "generic:generic:", "ai", "human",
		"function_call", "empty:", "empty:x", "type:", "type:function_call", "type:type:", langchain.SummaryTitle + "\nx",
	}))
	function := rapid.Custom(func(t *rapid.T) *llms.FunctionCall {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return &llms.FunctionCall{Name: text.Draw(t, "function"), Arguments: text.Draw(t, "arguments")}
	})
	call := rapid.Custom(func(t *rapid.T) llms.ToolCall {
		return llms.ToolCall{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), FunctionCall: function.Draw(t, "call")}
	})
	return rapid.Custom(func(t *rapid.T) llms.ChatMessage {
		content := text.Draw(t, "content")
		switch rapid.IntRange(0, 5).Draw(t, "type") {
		case 0:
			return llms.HumanChatMessage{Content: content}
		case 1:
			ai := llms.AIChatMessage{Content: content, ReasoningContent: text.Draw(t, "reasoning"), FunctionCall: function.Draw(t, "legacy")}
			if calls := rapid.SliceOfN(call, 0, 3).Draw(t, "calls"); len(calls) > 0 {
				ai.ToolCalls = calls
			}
			return ai
		case 2:
			return llms.SystemChatMessage{Content: content}
		case 3:
			return llms.GenericChatMessage{Content: content, Role: text.Draw(t, "role"), Name: text.Draw(t, "name")}
		case 4:
			return llms.FunctionChatMessage{Content: content, Name: text.Draw(t, "name")}
		default:
			return llms.ToolChatMessage{Content: content, ID: text.Draw(t, "id")}
		}
	})
}

func TestMessagesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := newManager(t, nil, nil)
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, m.Delete(ctx, conversationKey))
		s := newSession(t, m, nil)
		message := anyMessage().Draw(t, "message")
		given := []llms.ChatMessage{message}
		switch result := message.(type) { // one alone is not shown
		case llms.ToolChatMessage:
			given = []llms.ChatMessage{llms.AIChatMessage{ToolCalls: []llms.ToolCall{{ID: result.ID}}}, message}
		case llms.FunctionChatMessage:
			given = []llms.ChatMessage{llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: result.Name}}, message}
		}
		for _, m := range given {
			require.NoError(t, s.AddMessage(ctx, m))
		}
		require.Equal(t, given, messagesOf(t, newSession(t, m, nil)))

		set := newSession(t, m, &langchain.SessionMemoryOptions{SummaryVariable: "summary"})
		require.NoError(t, set.SetMessages(ctx, nil))
		require.NoError(t, set.SetMessages(ctx, given))
		require.Equal(t, given, messagesOf(t, set))
	})
}

func TestMessagesAreValidForProviders(t *testing.T) {
	t.Parallel()
	type chat = []llms.ChatMessage
	function := llms.FunctionChatMessage{Content: "x"}
	talking := llms.AIChatMessage{Content: "let me see", ToolCalls: []llms.ToolCall{{ID: "1"}}}
	for name, tc := range map[string]struct{ added, shown chat }{
		"a result without its call": {
			chat{resultOf("1", "x"), userSays("a"), resultOf("2", "y"), modelSays("b")}, chat{userSays("a"), modelSays("b")},
		},
		"a result that came late": {
			chat{callsFor("1"), userSays("hurry"), resultOf("1", "x")}, chat{callsFor("1"), resultOf("1", "x"), userSays("hurry")},
		},
		"a call is awaited": {
			chat{userSays("a"), callsFor("1", "2"), resultOf("1", "x")}, chat{userSays("a"), callsFor("1", "2"), resultOf("1", "x")},
		},
		"until the model says something else": {
			chat{callsFor("1", "2"), resultOf("1", "x"), modelSays("b")}, chat{callsFor("1"), resultOf("1", "x"), modelSays("b")},
		},
		"or the user speaks again": {
			chat{callsFor("1", "2"), resultOf("1", "x"), callsFor("3"), userSays("b")}, chat{callsFor("1"), resultOf("1", "x"), userSays("b")},
		},
		"a function's result answers a tool call": {
			chat{callsFor("1"), function, modelSays("b")}, chat{callsFor("1"), function, modelSays("b")},
		},
		"what was said with a call stays": {
			chat{talking, llms.AIChatMessage{FunctionCall: &llms.FunctionCall{Name: "get"}}, userSays("b")}, chat{modelSays("let me see"), userSays("b")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newManager(t, nil, nil)
			s := newSession(t, m, nil)
			for _, message := range tc.added {
				require.NoError(t, s.AddMessage(t.Context(), message))
			}
			assert.Equal(t, tc.shown, messagesOf(t, s))
			assert.Len(t, stored(t, m).Messages, len(tc.added), "all stays stored")
		})
	}
}
