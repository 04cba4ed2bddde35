package langchain_test

import (
	"context"
	"errors"
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
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestSessionIsAMemoryForChains(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	m := script(say("hello"), say("three"))
	for _, question := range []string{"hi", "how many?"} { // each in a process of its own
		chain := chains.NewLLMChain(m, prompts.NewPromptTemplate("{{.history}}|{{.working_memory}}|{{.input}}", []string{"history", "working_memory", "input"}))
		chain.Memory = newSession(t, newManager(t, store, nil), nil)
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

// functionsExecutor is an agent in a process of its own.
func functionsExecutor(s *langchain.SessionMemory, model llms.Model, ts ...tools.Tool) *agents.Executor {
	agent := agents.NewOpenAIFunctionsAgent(model, ts, agents.NewOpenAIOption().WithExtraMessages([]prompts.MessageFormatter{s.History()}))
	return agents.NewExecutor(s.WorkingMemory().Agent(agent), agents.WithMemory(s))
}

func TestAgentContinuesInAnotherProcess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	first := newSession(t, newManager(t, store, nil), nil)
	_, err := chains.Run(ctx, functionsExecutor(first, script(calls("c1 cms_getPage home"), say("Here it is.")), getPage()), "get the home page")
	require.NoError(t, err)

	second := newSession(t, newManager(t, store, nil), nil)
	m := script(say("It is Home."))
	_, err = chains.Run(ctx, functionsExecutor(second, m, getPage()), "what is its title?")
	require.NoError(t, err)
	prompt := m.prompts[0]
	require.Len(t, prompt, 6, "system, the turn before, the question")
	assert.Contains(t, textOf(prompt[:1]), homeID, "the block")
	assert.Equal(t, []llms.ChatMessageType{"system", "human", "ai", "tool", "ai", "human"}, rolesOf(prompt))
	call, ok := prompt[2].Parts[0].(llms.ToolCall)
	require.True(t, ok)
	assert.Equal(t, llms.ToolCallResponse{ToolCallID: call.ID, Content: pageJSON(homeID, "Home")}, prompt[3].Parts[0])
	assert.JSONEq(t, `{"__arg1":"home"}`, call.FunctionCall.Arguments)

	values, err := second.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, strings.Join([]string{
		"Human: get the home page", "AI: ", `cms_getPage({"__arg1":"home"})`, "tool: " + pageJSON(homeID, "Home"),
		"AI: Here it is.", "Human: what is its title?", "AI: It is Home.",
	}, "\n"), values["history"])
}

func rolesOf(messages []llms.MessageContent) []llms.ChatMessageType {
	roles := make([]llms.ChatMessageType, len(messages))
	for i, m := range messages {
		roles[i] = m.Role
	}
	return roles
}

func TestTurnsKeepApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSession(t, newManager(t, nil, nil), nil)
	// A turn that failed, one that saves, and a call of the program between turns.
	_, err := s.LoadMemoryVariables(ctx, map[string]any{"input": "failed"})
	require.NoError(t, err)
	inputs := map[string]any{"input": "a"}
	_, err = s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	require.NoError(t, s.SaveContext(ctx, inputs, map[string]any{"output": "b", "intermediateSteps": []schema.AgentStep{}}))
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	assert.Equal(t, []llms.ChatMessage{userSays("a"), modelSays("b")}, messagesOf(t, s))
	assert.Contains(t, s.Recorder().Block(), homeID, "which is remembered all the same")

	// What the program loads without an input is no turn, and ends one that failed.
	_, err = s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	_, err = s.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	assert.Len(t, messagesOf(t, s), 2)

	// What is saved is another turn than the one that was begun.
	_, err = s.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	_, err = s.WorkingMemory().Tool(getPage()).Call(ctx, "about")
	require.NoError(t, err)
	require.NoError(t, s.SaveContext(ctx, map[string]any{"input": "c"}, map[string]any{"output": "d"}))
	messages := messagesOf(t, s)
	require.Len(t, messages, 7)
	assert.Equal(t, []llms.ChatMessage{userSays("c"), modelSays("d")}, messages[5:])
}

func TestCallsAreKeptAsMessagesOfAnyForm(t *testing.T) {
	t.Parallel()
	circle := map[string]any{}
	circle["self"] = circle
	for name, tc := range map[string]struct {
		call            middleware.ToolCall
		args, result    string
		id              string
		resultIsTooLong bool
	}{
		"text":      {call: middleware.ToolCall{Name: "get", Arguments: "home", Result: "x"}, args: `{"__arg1":"home"}`, result: "x"},
		"bytes":     {call: middleware.ToolCall{ID: "c1", Name: "get", Arguments: []byte(`{"a":1}`), Result: []byte("x")}, args: `{"a":1}`, result: "x", id: "c1"},
		"values":    {call: middleware.ToolCall{Name: "get", Arguments: map[string]int{"a": 1}, Result: []int{1}}, args: `{"a":1}`, result: "[1]"},
		"nothing":   {call: middleware.ToolCall{Name: "get"}, args: `{"__arg1":""}`},
		"no JSON":   {call: middleware.ToolCall{Name: "get", Arguments: "{a", Result: func() {}}, args: `{"__arg1":"{a"}`, result: "(func())"},
		"a circle":  {call: middleware.ToolCall{Name: "get", Result: circle}, args: `{"__arg1":""}`, result: "(map[string]interface {})"},
		"an error":  {call: middleware.ToolCall{Name: "get", Arguments: `[1]`, Result: "x", Err: errors.New("no \xff")}, args: `{"__arg1":"[1]"}`, result: "error: no \uFFFD"},
		"no UTF-8":  {call: middleware.ToolCall{ID: "c\xff", Name: "get\xff", Arguments: "\xff", Result: "\xff"}, args: "{\"__arg1\":\"\uFFFD\"}", result: "\uFFFD", id: "c\uFFFD"},
		"an item":   {call: middleware.ToolCall{Name: "get", Result: queue.ContextItem{ID: "i", Content: "x"}}, args: `{"__arg1":""}`, result: "x"},
		"its place": {call: middleware.ToolCall{Name: "get", Result: &queue.ContextItem{ID: "i", Content: "x"}}, args: `{"__arg1":""}`, result: "x"},
		"no item":   {call: middleware.ToolCall{Name: "get", Result: (*queue.ContextItem)(nil)}, args: `{"__arg1":""}`},
		"very long": {call: middleware.ToolCall{Name: "get", Result: strings.Repeat("\x01", 2<<20)}, args: `{"__arg1":""}`, resultIsTooLong: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, newManager(t, nil, nil), nil)
			_, err := s.LoadMemoryVariables(t.Context(), map[string]any{"input": "a"})
			require.NoError(t, err)
			require.NoError(t, s.Recorder().Record(t.Context(), tc.call))
			messages := messagesOf(t, s)
			require.Len(t, messages, 3)
			call := messages[1].(llms.AIChatMessage).ToolCalls[0]
			assert.JSONEq(t, tc.args, call.FunctionCall.Arguments)
			result := messages[2].(llms.ToolChatMessage)
			assert.Equal(t, call.ID, result.ID)
			if tc.id != "" {
				assert.Equal(t, tc.id, call.ID)
			}
			if tc.resultIsTooLong {
				assert.True(t, strings.HasSuffix(result.Content, "…"))
				return
			}
			assert.Equal(t, tc.result, result.Content)
		})
	}
}

func TestLoopThatKeepsItsHistoryStoresCallsOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSession(t, newManager(t, nil, nil), nil)
	_, err := s.LoadMemoryVariables(ctx, map[string]any{"input": "a"})
	require.NoError(t, err)
	for _, m := range []llms.ChatMessage{userSays("a"), callsFor("1"), resultOf("1", pageJSON(homeID, "Home"))} {
		require.NoError(t, s.AddMessage(ctx, m))
	}
	_, err = s.WorkingMemory().Model(script(say("done"))).GenerateContent(ctx, contentOf(messagesOf(t, s)))
	require.NoError(t, err)
	assert.Contains(t, s.Recorder().Block(), homeID)
	assert.Len(t, messagesOf(t, s), 3)
}

func TestSessionsOfAServerShareAnAgent(t *testing.T) {
	t.Parallel()
	m := newManager(t, nil, nil)
	w := langchain.New(nil, nil)
	agent := w.Agent(agents.NewOpenAIFunctionsAgent(&sessionModel{}, []tools.Tool{echoPage()}))
	for _, user := range []string{"anna0001", "bert0002"} {
		s, err := langchain.NewSessionMemory(m, session.Key{UserID: user, SessionID: "s1"}, &langchain.SessionMemoryOptions{WorkingMemory: w})
		require.NoError(t, err)
		ctx := middleware.WithRecorder(t.Context(), s.Recorder())
		_, err = chains.Run(ctx, agents.NewExecutor(agent, agents.WithMemory(s)), user)
		require.NoError(t, err)
		messages := messagesOf(t, s)
		require.Len(t, messages, 4)
		assert.Contains(t, messages[2].GetContent(), "page-of-"+user)
		block := s.Recorder().Block()
		assert.Contains(t, block, "page-of-"+user)
		assert.Equal(t, 1, strings.Count(block, "page-of-"))
	}
}

func TestTurnGoesOnWhileItIsSummarised(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := newManager(t, nil, &session.Options{Window: 300})
	s := newSession(t, m, nil)
	long := fakeTool{name: "cms_getPage", call: func(_ context.Context, input string) (string, error) {
		return pageJSON("page-of-"+input, strings.Repeat(input+" ", 20)), nil
	}}
	model := script(calls("c1 cms_getPage home1"), calls("c2 cms_getPage home2"), calls("c3 cms_getPage home3"), calls("c4 cms_getPage home4"), say("All four."))
	_, err := chains.Run(ctx, functionsExecutor(s, model, long), "get them all")
	require.NoError(t, err)

	messages := messagesOf(t, s)
	assert.Equal(t, llms.ChatMessageTypeSystem, messages[0].GetType())
	for _, id := range []string{"page-of-home1", "page-of-home2"} {
		assert.Contains(t, messages[0].GetContent(), id)
	}
	assert.Equal(t, modelSays("All four."), messages[len(messages)-1])
	stored, err := m.Load(ctx, conversationKey, nil)
	require.NoError(t, err)
	assert.Len(t, messages, 1+len(stored.Messages), "none of them is a result without its call")
	assert.Less(t, len(stored.Messages), 10)
}

func TestBlockIsWhatIsStoredNow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memstore.New(nil)
	other := newSession(t, newManager(t, store, nil), nil)
	s := newSession(t, newManager(t, store, nil), nil)
	meanwhile := fakeTool{name: "cms_getPage", call: func(ctx context.Context, input string) (string, error) {
		_, err := other.WorkingMemory().Tool(getPage()).Call(ctx, "about") // in another process
		return pageJSON(homeID, "Home"), err
	}}
	m := script(calls("c1 cms_getPage home"), say("done"))
	_, err := chains.Run(ctx, functionsExecutor(s, m, meanwhile), "get the home page")
	require.NoError(t, err)
	assert.Contains(t, m.last(), aboutID)
	assert.Contains(t, m.last(), homeID)
}
