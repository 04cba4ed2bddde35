package langchain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// agentsOfLangchaingo are executors, each in a process of its own, with the replies of their
// models.
var agentsOfLangchaingo = map[string]struct {
	executor    func(s *langchain.SessionMemory, m llms.Model, ts ...tools.Tool) *agents.Executor
	get, answer func(text string) reply
}{
	"functions": {
		functionsExecutor,
		func(slug string) reply { return calls("c1 cms_getPage " + slug) }, say,
	},
	"one shot": {
		func(s *langchain.SessionMemory, m llms.Model, ts ...tools.Tool) *agents.Executor {
			return agents.NewExecutor(s.WorkingMemory().Agent(agents.NewOneShotAgent(m, ts)), agents.WithMemory(s))
		},
		func(slug string) reply { return acts("cms_getPage", slug) },
		func(text string) reply { return say("Final Answer: " + text) },
	},
	"conversational": {
		func(s *langchain.SessionMemory, m llms.Model, ts ...tools.Tool) *agents.Executor {
			return agents.NewExecutor(s.WorkingMemory().Agent(agents.NewConversationalAgent(m, ts)), agents.WithMemory(s))
		},
		func(slug string) reply { return acts("cms_getPage", slug) },
		func(text string) reply { return say("AI: " + text) },
	},
}

// outline lists the messages of a session, and fails if a provider would reject them.
func outline(t *testing.T, messages []llms.ChatMessage) []string {
	t.Helper()
	var lines []string
	awaited := make(map[string]bool)
	for _, m := range messages {
		switch m := m.(type) {
		case llms.ToolChatMessage:
			require.True(t, awaited[m.ID], "a result without its call")
			delete(awaited, m.ID)
			lines = append(lines, "result")
			continue
		case llms.AIChatMessage:
			require.Empty(t, awaited, "a call without its result")
			for _, call := range m.ToolCalls {
				awaited[call.ID] = true
				lines = append(lines, "call "+call.FunctionCall.Arguments)
			}
			if len(m.ToolCalls) > 0 {
				continue
			}
		}
		require.Empty(t, awaited, "a call without its result")
		lines = append(lines, fmt.Sprint(m.GetType(), ": ", strings.TrimSpace(m.GetContent())))
	}
	return lines
}

const callHome, callAbout = `call {"__arg1":"home"}`, `call {"__arg1":"about"}`

// TestTurnMayEndAfterAnyStep ends a turn after each step, and continues in another process.
func TestTurnMayEndAfterAnyStep(t *testing.T) {
	t.Parallel()
	for name, a := range agentsOfLangchaingo {
		for steps, done := range [][]string{
			{}, {"human: get both", callHome, "result"}, {"human: get both", callHome, "result", callAbout, "result"},
			{"human: get both", callHome, "result", callAbout, "result", "ai: there"},
		} {
			t.Run(fmt.Sprint(name, steps), func(t *testing.T) {
				t.Parallel()
				ctx := t.Context()
				store := memstore.New(nil)
				first := newSession(t, newManager(t, store, nil), nil)
				replies := []reply{a.get("home"), a.get("about"), a.answer("there")}[:steps]
				_, err := chains.Run(ctx, a.executor(first, script(replies...), getPage()), "get both")
				assert.Equal(t, steps < 3, err != nil)
				assert.Equal(t, done, append([]string{}, outline(t, messagesOf(t, first))...))

				second := newSession(t, newManager(t, store, nil), nil)
				m := script(a.get("about"), a.answer("here"))
				_, err = chains.Run(ctx, a.executor(second, m, getPage()), "and about")
				require.NoError(t, err)
				assert.Equal(t, append(done, "human: and about", callAbout, "result", "ai: here"), outline(t, messagesOf(t, second)))
				if steps > 0 {
					assert.Contains(t, textOf(m.prompts[0]), homeID, "the block")
				}
			})
		}
	}
}

func TestTurnMayEndInATool(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, end := range map[string]func(cancel func()) (string, error){
		"an error": func(func()) (string, error) { return "", broken },
		"a cancelled context": func(cancel func()) (string, error) {
			cancel()
			return pageJSON(aboutID, "About"), nil
		},
		"a panic": func(func()) (string, error) { panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			store := memstore.New(nil)
			tool := fakeTool{name: "cms_getPage", call: func(ctx context.Context, input string) (string, error) {
				if input == "home" {
					return getPage().Call(ctx, input)
				}
				return end(cancel)
			}}
			first := newSession(t, newManager(t, store, nil), nil)
			func() {
				defer func() { assert.Equal(t, name == "a panic", recover() != nil) }()
				_, err := chains.Run(ctx, functionsExecutor(first, script(calls("c1 cms_getPage home"), calls("c2 cms_getPage about")), tool), "get both")
				require.Error(t, err)
			}()
			want := []string{"human: get both", callHome, "result"}
			if name != "a panic" {
				want = append(want, callAbout, "result")
			}
			assert.Equal(t, want, outline(t, messagesOf(t, first)))

			second := newSession(t, newManager(t, store, nil), nil)
			_, err := chains.Run(t.Context(), functionsExecutor(second, script(say("yes")), getPage()), "still there?")
			require.NoError(t, err)
			assert.Equal(t, append(want, "human: still there?", "ai: yes"), outline(t, messagesOf(t, second)))
		})
	}
}

// A chain continues a session whose loop was killed between a call and its result. The
// user speaks next, so the call will not be answered.
func TestUnansweredCallIsNotInAChainsPrompt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSession(t, newManager(t, nil, nil), nil)
	require.NoError(t, s.AddUserMessage(ctx, "get both"))
	require.NoError(t, s.AddMessage(ctx, callsFor("1")))
	assert.Len(t, messagesOf(t, s), 2, "a loop may answer it still")

	m := script(say("yes"))
	_, err := chains.Run(ctx, functionsExecutor(s, m, getPage()), "still there?")
	require.NoError(t, err)
	assert.Equal(t, []llms.ChatMessageType{"system", "human", "human"}, rolesOf(m.prompts[0]))
}

// A SessionMemory may be the inner memory of its own wrappers, or of others.
func TestSessionAsInnerMemory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	for _, others := range []bool{false, true} {
		s := newSession(t, newManager(t, store, nil), nil)
		w := s.WorkingMemory()
		if others {
			w = langchain.New(knowingHome(t), nil)
		}
		agent := w.Agent(agents.NewConversationalAgent(script(say("AI: hello")), []tools.Tool{getPage()}))
		executor := agents.NewExecutor(agent, agents.WithMemory(w.Memory(s)))
		_, err := chains.Run(ctx, executor, "hi")
		require.NoError(t, err)
		values, err := w.Memory(s).LoadMemoryVariables(ctx, map[string]any{"input": "hi"})
		require.NoError(t, err)
		for _, value := range values {
			assert.IsType(t, "", value)
		}
		assert.Contains(t, values["history"], "Human: hi\nAI:  hello")
		assert.Equal(t, others, values["working_memory"] != "")
	}
}
