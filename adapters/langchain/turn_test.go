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
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// begin begins a chain's turn.
func begin(t *testing.T, s *langchain.SessionMemory, input string) {
	t.Helper()
	_, err := s.LoadMemoryVariables(t.Context(), map[string]any{"input": input})
	require.NoError(t, err)
}

// finish ends a chain's turn.
func finish(t *testing.T, s *langchain.SessionMemory, input, output string) error {
	t.Helper()
	return s.SaveContext(t.Context(), map[string]any{"input": input}, map[string]any{"output": output})
}

// getsPage calls a tool of the session.
func getsPage(t *testing.T, s *langchain.SessionMemory, slug string) {
	t.Helper()
	_, err := s.WorkingMemory().Tool(getPage()).Call(t.Context(), slug)
	require.NoError(t, err, "the tool works, whatever the store does")
}

// executor returns an agent that has a session as its memory.
func executor(s *langchain.SessionMemory, kind int, model llms.Model, ts ...tools.Tool) *agents.Executor {
	return agents.NewExecutor(s.WorkingMemory().Agent(kinds[kind].make(model, ts, s.History())), agents.WithMemory(s))
}

const functions = 0 // the kind of agent

// outline lists the messages of a session, and fails if a provider would reject them.
func outline(t *testing.T, s *langchain.SessionMemory) []string {
	t.Helper()
	lines := []string{}
	awaited := make(map[string]bool)
	for _, m := range messagesOf(t, s) {
		if result, ok := m.(llms.ToolChatMessage); ok {
			require.True(t, awaited[result.ID], "a result without its call")
			delete(awaited, result.ID)
			lines = append(lines, "result")
			continue
		}
		require.Empty(t, awaited, "a call without its result")
		if ai, ok := m.(llms.AIChatMessage); ok && len(ai.ToolCalls) > 0 {
			for _, call := range ai.ToolCalls {
				awaited[call.ID] = true
				lines = append(lines, "call "+call.FunctionCall.Arguments)
			}
			continue
		}
		lines = append(lines, fmt.Sprint(m.GetType(), ": ", strings.TrimSpace(m.GetContent())))
	}
	return lines
}

const callHome, callAbout = `call {"__arg1":"home"}`, `call {"__arg1":"about"}`

func TestTurnMayEndAfterAnyStepAndContinueInAnotherProcess(t *testing.T) {
	t.Parallel()
	for kind, a := range kinds {
		for steps, done := range [][]string{
			{}, {"human: get both", callHome, "result"}, {"human: get both", callHome, "result", callAbout, "result"},
			{"human: get both", callHome, "result", callAbout, "result", "ai: there"},
		} {
			t.Run(fmt.Sprint(a.name, steps), func(t *testing.T) {
				t.Parallel()
				store := memstore.New(nil)
				first := inProcess(t, store)
				replies := []reply{a.get(1, "home"), a.get(2, "about"), a.answer("there")}[:steps]
				_, err := chains.Run(t.Context(), executor(first, kind, script(replies...), getPage()), "get both")
				assert.Equal(t, steps < 3, err != nil)
				assert.Equal(t, done, outline(t, first))

				second := inProcess(t, store)
				m := script(a.get(1, "about"), a.answer("here"))
				_, err = chains.Run(t.Context(), executor(second, kind, m, getPage()), "and about")
				require.NoError(t, err)
				assert.Equal(t, append(done, "human: and about", callAbout, "result", "ai: here"), outline(t, second))
				if steps > 0 {
					assert.Contains(t, textOf(m.prompts[0]), homeID, "the block")
				}
			})
		}
	}
}

func TestTurnMayEndInATool(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel func()) (string, error){
		"an error":            func(func()) (string, error) { return "", errNoPage },
		"a cancelled context": func(cancel func()) (string, error) { cancel(); return pageJSON(aboutID, "About"), nil },
		"a panic":             func(func()) (string, error) { panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tool := fakeTool{name: "cms_getPage", call: func(context.Context, string) (string, error) { return end(cancel) }}
			s := inProcess(t, nil)
			func() {
				defer func() { assert.Equal(t, name == "a panic", recover() != nil) }()
				_, err := chains.Run(ctx, executor(s, functions, script(calls("c1 cms_getPage about")), tool), "get it")
				require.Error(t, err)
			}()
			want := []string{"human: get it", callAbout, "result"}
			if name == "a panic" {
				want = []string{}
			}
			assert.Equal(t, want, outline(t, s))
		})
	}
}

func TestAgentsPromptHasTheHistoryOfAnotherProcess(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	first := inProcess(t, store)
	_, err := chains.Run(t.Context(), executor(first, functions, script(calls("c1 cms_getPage home"), say("Here it is.")), getPage()), "get the home page")
	require.NoError(t, err)
	// A loop was killed between a call and its result: it will not be answered any more.
	require.NoError(t, first.AddUserMessage(t.Context(), "and about"))
	require.NoError(t, first.AddMessage(t.Context(), callsFor("lost")))
	assert.Len(t, messagesOf(t, first), 6, "a loop may answer it still")

	second := inProcess(t, store)
	m := script(say("It is Home."))
	_, err = chains.Run(t.Context(), executor(second, functions, m, getPage()), "what is its title?")
	require.NoError(t, err)
	prompt := m.prompts[0]
	var roles []llms.ChatMessageType
	for _, message := range prompt {
		roles = append(roles, message.Role)
	}
	require.Equal(t, []llms.ChatMessageType{"system", "human", "ai", "tool", "ai", "human", "human"}, roles)
	assert.Contains(t, textOf(prompt[:1]), homeID, "the block")
	call, ok := prompt[2].Parts[0].(llms.ToolCall)
	require.True(t, ok)
	assert.Equal(t, llms.ToolCallResponse{ToolCallID: call.ID, Content: pageJSON(homeID, "Home")}, prompt[3].Parts[0])

	values, err := second.LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, strings.Join([]string{
		"Human: get the home page", "AI: ", `cms_getPage({"__arg1":"home"})`, "tool: " + pageJSON(homeID, "Home"),
		"AI: Here it is.", "Human: and about", "Human: what is its title?", "AI: It is Home.",
	}, "\n"), values["history"])
}

func TestSessionIsAMemoryForChains(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	m := script(say("hello"), say("three"))
	for _, question := range []string{"hi", "how many?"} { // each in a process of its own
		chain := chains.NewLLMChain(m, prompts.NewPromptTemplate("{{.history}}|{{.working_memory}}|{{.input}}", []string{"history", "working_memory", "input"}))
		chain.Memory = inProcess(t, store)
		_, err := chains.Run(ctx, chain, question)
		require.NoError(t, err)
	}
	assert.Equal(t, "human: Human: hi\nAI: hello||how many?\n", m.last())

	listed := newSession(t, newManager(t, store, nil), &langchain.SessionMemoryOptions{ReturnMessages: true})
	values, err := listed.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, []llms.ChatMessage{userSays("hi"), modelSays("hello"), userSays("how many?"), modelSays("three")}, values["history"])

	broken := chains.NewLLMChain(script(), prompts.NewPromptTemplate("{{.input}}", []string{"input"}))
	broken.Memory = listed
	_, err = chains.Run(ctx, broken, "and now?")
	require.Error(t, err)
	assert.Len(t, messagesOf(t, listed), 4, "a turn without tools is saved whole or not at all")
}

func TestTurnsKeepApart(t *testing.T) {
	t.Parallel()
	s := inProcess(t, nil)
	begin(t, s, "failed")
	begin(t, s, "a")
	outputs := map[string]any{"output": "b", "intermediateSteps": []schema.AgentStep{}}
	require.NoError(t, s.SaveContext(t.Context(), map[string]any{"input": "a"}, outputs))
	assert.Len(t, outputs, 2, "they are the caller's")
	getsPage(t, s, "home")
	assert.Equal(t, []string{"human: a", "ai: b"}, outline(t, s), "a call between turns is no message")
	assert.Contains(t, s.Recorder().Block(), homeID)

	begin(t, s, "a")
	_, err := s.LoadMemoryVariables(t.Context(), nil) // without an input: no turn, and the end of one that failed
	require.NoError(t, err)
	getsPage(t, s, "home")
	assert.Len(t, messagesOf(t, s), 2)

	begin(t, s, "a")
	getsPage(t, s, "about")
	require.NoError(t, finish(t, s, "c", "d"), "another turn than the one that was begun")
	assert.Equal(t, []string{"human: a", callAbout, "result", "human: c", "ai: d"}, outline(t, s)[2:])
}

func TestCallsBecomeMessagesInAnyForm(t *testing.T) {
	t.Parallel()
	circle := map[string]any{}
	circle["self"] = circle
	type call = middleware.ToolCall
	for name, tc := range map[string]struct {
		call             call
		id, args, result string
	}{
		"text":      {call{Name: "get", Arguments: "home", Result: "x"}, "", `{"__arg1":"home"}`, "x"},
		"bytes":     {call{ID: "c1", Name: "get", Arguments: []byte(`{"a":1}`), Result: []byte("x")}, "c1", `{"a":1}`, "x"},
		"values":    {call{Name: "get", Arguments: map[string]int{"a": 1}, Result: []int{1}}, "", `{"a":1}`, "[1]"},
		"no JSON":   {call{Name: "get", Arguments: "{a", Result: func() {}}, "", `{"__arg1":"{a"}`, "(func())"},
		"a circle":  {call{Name: "get", Result: circle}, "", `{"__arg1":""}`, "(map[string]interface {})"},
		"an error":  {call{Name: "get", Arguments: `[1]`, Result: "x", Err: errors.New("no \xff")}, "", `{"__arg1":"[1]"}`, "error: no \uFFFD"},
		"no UTF-8":  {call{ID: "c\xff", Name: "get\xff", Arguments: "\xff", Result: "\xff"}, "c\uFFFD", "{\"__arg1\":\"\uFFFD\"}", "\uFFFD"},
		"an item":   {call{Name: "get", Result: queue.ContextItem{ID: "i", Content: "x"}}, "", `{"__arg1":""}`, "x"},
		"its place": {call{Name: "get", Result: &queue.ContextItem{ID: "i", Content: "x"}}, "", `{"__arg1":""}`, "x"},
		"no item":   {call{Name: "get", Result: (*queue.ContextItem)(nil)}, "", `{"__arg1":""}`, ""},
		"very long": {call{Name: "get", Result: strings.Repeat("x", 2<<20)}, "", `{"__arg1":""}`, strings.Repeat("x", 1<<20) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := inProcess(t, nil)
			begin(t, s, "a")
			require.NoError(t, s.Recorder().Record(t.Context(), tc.call))
			messages := messagesOf(t, s)
			require.Len(t, messages, 3)
			call := messages[1].(llms.AIChatMessage).ToolCalls[0]
			assert.JSONEq(t, tc.args, call.FunctionCall.Arguments)
			result := messages[2].(llms.ToolChatMessage)
			assert.Equal(t, call.ID, result.ID)
			assert.True(t, tc.result == result.Content, "%.100s", result.Content)
			if tc.id != "" {
				assert.Equal(t, tc.id, call.ID)
			}
		})
	}
}

// unwritable is a result that panics when it is marshaled.
type unwritable struct{}

func (unwritable) MarshalJSON() ([]byte, error) { panic("no") }

func TestUnmarshalableResultKeepsTheInput(t *testing.T) {
	t.Parallel()
	s := inProcess(t, nil)
	begin(t, s, "get it")
	require.ErrorIs(t, s.Recorder().Record(t.Context(), middleware.ToolCall{Name: "get", Result: unwritable{}}), memory.ErrPanic)
	require.NoError(t, finish(t, s, "get it", "here it is"))
	assert.Equal(t, []string{"human: get it", "ai: here it is"}, outline(t, s))
}

func TestLoopThatKeepsItsHistoryStoresCallsOnce(t *testing.T) {
	t.Parallel()
	s := inProcess(t, nil)
	begin(t, s, "a")
	for _, m := range []llms.ChatMessage{userSays("a"), callsFor("1"), resultOf("1", pageJSON(homeID, "Home"))} {
		require.NoError(t, s.AddMessage(t.Context(), m))
	}
	_, err := s.WorkingMemory().Model(script(say("done"))).GenerateContent(t.Context(), contentOf(messagesOf(t, s)))
	require.NoError(t, err)
	assert.Contains(t, s.Recorder().Block(), homeID)
	assert.Len(t, messagesOf(t, s), 3)
}

func TestSavingATurnAgainAddsItOnce(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	s := inProcess(t, store)
	save := func() error { return finish(t, s, "hi", "hello") }
	store.lost = session.ErrUnavailable
	require.ErrorIs(t, save(), session.ErrUnavailable)
	require.NoError(t, save())
	turn := []string{"human: hi", "ai: hello"}
	assert.Equal(t, turn, outline(t, s))
	require.NoError(t, save(), "they say so once more")
	assert.Equal(t, append(turn, turn...), outline(t, s))

	begin(t, s, "hi")
	getsPage(t, s, "home")
	for range 2 {
		store.lost = session.ErrUnavailable
		require.ErrorIs(t, save(), session.ErrUnavailable)
	}
	require.NoError(t, save())
	assert.Equal(t, []string{"human: hi", callHome, "result", "ai: hello"}, outline(t, s)[4:])

	store.lost = session.ErrUnavailable
	require.ErrorIs(t, save(), session.ErrUnavailable)
	begin(t, s, "hi")
	require.NoError(t, save(), "another turn, in the same words")
	assert.Equal(t, append(turn, turn...), outline(t, s)[8:])
}

func TestTurnSurvivesAFailingStore(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	s := inProcess(t, store)
	whole := []string{"human: get it", callHome, "result", "ai: here it is"}
	begin(t, s, "get it")
	store.down(session.ErrUnavailable)
	getsPage(t, s, "home")
	require.ErrorIs(t, finish(t, s, "get it", "here it is"), session.ErrUnavailable)
	store.down(nil)
	assert.Empty(t, outline(t, s))
	require.NoError(t, finish(t, s, "get it", "here it is"))
	assert.Equal(t, whole, outline(t, s))
	assert.Contains(t, s.Recorder().Block(), homeID)

	require.NoError(t, s.Clear(t.Context()))
	begin(t, s, "get it")
	getsPage(t, s, "home")
	store.down(session.ErrUnavailable)
	require.ErrorIs(t, s.Clear(t.Context()), session.ErrUnavailable)
	store.down(nil)
	require.NoError(t, finish(t, s, "get it", "here it is"))
	assert.Equal(t, whole, outline(t, s), "a Clear that failed ends no turn")

	begin(t, s, "get it")
	getsPage(t, s, "home")
	require.NoError(t, s.Clear(t.Context()))
	require.NoError(t, finish(t, s, "get it", "here it is"))
	assert.Equal(t, []string{"human: get it", "ai: here it is"}, outline(t, s))
}
