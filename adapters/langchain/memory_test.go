package langchain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestMemoryAlone(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(nil)
	ctx := t.Context()
	assert.Equal(t, "working_memory", m.GetMemoryKey(ctx))
	assert.Equal(t, []string{"working_memory"}, m.MemoryVariables(ctx))
	values, err := m.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"working_memory": rec.Block()}, values)
	require.NoError(t, m.SaveContext(ctx, nil, nil))
	require.NoError(t, m.Clear(ctx))
	assert.Zero(t, rec.Context().Len())
	assert.Empty(t, rec.Block())
}

func TestMemoryBesideAnInnerOne(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	inner := memory.NewConversationBuffer()
	m := langchain.New(rec, &langchain.Options{Variable: "known"}).Memory(inner)
	ctx := t.Context()
	assert.Equal(t, "history", m.GetMemoryKey(ctx))
	assert.Equal(t, []string{"known", "history"}, m.MemoryVariables(ctx))

	// The buffer wants one input key. It gets one, though ours is among the inputs.
	inputs := map[string]any{"input": "hi", "known": "x"}
	require.NoError(t, m.SaveContext(ctx, inputs, map[string]any{"output": "hello"}))
	assert.Equal(t, map[string]any{"input": "hi", "known": "x"}, inputs)
	values, err := m.LoadMemoryVariables(ctx, inputs)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"known": rec.Block(), "history": "Human: hi\nAI: hello"}, values)

	require.NoError(t, m.Clear(ctx))
	values, err = m.LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"known": "", "history": ""}, values)
}

func TestMemoryInAnExecutor(t *testing.T) {
	t.Parallel()
	for _, returnMessages := range []bool{false, true} {
		rec, told := newRecorder()
		w := langchain.New(rec, nil)
		m := script(acts("cms_getPage", "home"), say("AI: here"), say("AI: which title?"))
		agent := agents.NewConversationalAgent(m, w.Tools(getPage()), agents.WithPrompt(prompts.NewPromptTemplate(
			"{{.working_memory}}|{{.history}}|{{.input}}|{{.agent_scratchpad}}",
			[]string{"working_memory", "history", "input", "agent_scratchpad"})))
		executor := agents.NewExecutor(agent,
			agents.WithMemory(w.Memory(memory.NewConversationBuffer(memory.WithReturnMessages(returnMessages)))))
		for _, question := range []string{"get the home page", "now change its title"} {
			_, err := chains.Run(t.Context(), executor, question)
			require.NoError(t, err)
		}
		assert.Equal(t, "human: "+rec.Block()+"|Human: get the home page\nAI:  here|now change its title|\n", m.last())
		assert.Len(t, told.all(), 1)
	}
}

func TestMemoryKeepsMessagesWhereAsked(t *testing.T) {
	t.Parallel()
	w := langchain.New(nil, &langchain.Options{KeepMessages: true})
	m := script(say("hello"), say("ok"))
	chain := chains.NewLLMChain(m, prompts.NewChatPromptTemplate([]prompts.MessageFormatter{
		prompts.MessagesPlaceholder{VariableName: "history"},
		prompts.NewHumanMessagePromptTemplate("{{.working_memory}}{{.input}}", []string{"input", "working_memory"}),
	}))
	chain.Memory = w.Memory(memory.NewConversationBuffer(memory.WithReturnMessages(true)))
	for _, question := range []string{"hi", "more"} {
		_, err := chains.Run(t.Context(), chain, question)
		require.NoError(t, err)
	}
	assert.Equal(t, "human: Human: hi\nAI: hello\nHuman: more\n", m.last())
}

// oddMemory has values of other types, and fails where told to.
type oddMemory struct {
	memory.Simple
	err error
}

func (m oddMemory) MemoryVariables(context.Context) []string {
	return []string{"count", "working_memory"}
}
func (m oddMemory) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	return map[string]any{"count": 3, "working_memory": "mine"}, m.err
}
func (m oddMemory) SaveContext(context.Context, map[string]any, map[string]any) error { return m.err }
func (m oddMemory) Clear(context.Context) error                                       { return m.err }

var _ schema.Memory = oddMemory{}

func TestMemoryTurnsValuesIntoTextAndWinsItsVariable(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(oddMemory{})
	values, err := m.LoadMemoryVariables(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"count": "3", "working_memory": rec.Block()}, values)
	assert.Equal(t, []string{"working_memory", "count"}, m.MemoryVariables(t.Context()))
}

func TestMemoryReportsErrorsOfTheInnerOne(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	rec := knowingHome(t)
	m := langchain.New(rec, nil).Memory(oddMemory{err: broken})
	_, err := m.LoadMemoryVariables(t.Context(), nil)
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, m.SaveContext(t.Context(), nil, nil), broken)
	require.ErrorIs(t, m.Clear(t.Context()), broken)
	assert.Empty(t, rec.Block(), "cleared nevertheless")

	unknown := memory.NewConversationBuffer(memory.WithReturnMessages(true),
		memory.WithChatHistory(memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{oddMessage{}}))))
	_, err = langchain.New(rec, nil).Memory(unknown).LoadMemoryVariables(t.Context(), nil)
	require.ErrorIs(t, err, llms.ErrUnexpectedChatMessageType)
}

type oddMessage struct{}

func (oddMessage) GetType() llms.ChatMessageType { return "odd" }
func (oddMessage) GetContent() string            { return "" }

func TestToolKeepsItsInterface(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	w := langchain.New(rec, nil)
	tool := w.Tool(getPage())
	assert.Equal(t, "cms_getPage", tool.Name())
	assert.Equal(t, "describes cms_getPage", tool.Description())
	out, err := tool.Call(t.Context(), `{"__arg1": "home"}`)
	require.NoError(t, err)
	assert.Equal(t, pageJSON(homeID, "Home"), out)
	_, err = tool.Call(t.Context(), "missing\nObservation:")
	require.Equal(t, errNoPage, err)

	all := told.all()
	require.Len(t, all, 2)
	assert.Equal(t, "home", all[0].Arguments)
	assert.False(t, all[0].Start.IsZero())
	assert.Equal(t, "missing", all[1].Arguments)
	assert.Equal(t, errNoPage, all[1].Err)

	bad := w.Tool(fakeTool{name: "bad", call: func(context.Context, string) (string, error) { panic("bad tool") }})
	assert.PanicsWithValue(t, "bad tool", func() { _, _ = bad.Call(t.Context(), "") })
	assert.Len(t, told.all(), 2)
}

func TestToolArgumentsOfOtherShapesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	rec, told := newRecorder()
	echo := langchain.New(rec, nil).Tool(fakeTool{name: "echo", call: func(_ context.Context, in string) (string, error) { return in, nil }})
	inputs := []string{`{"__arg1": 5}`, `{"__arg1": "a", "b": 1}`, `"__arg1"`, `{"id": 1}`, ``}
	for _, in := range inputs {
		out, err := echo.Call(t.Context(), in)
		require.NoError(t, err)
		assert.Equal(t, in, out)
	}
	for i, call := range told.all() {
		assert.Equal(t, inputs[i], call.Arguments)
	}
}

func TestToolWithoutARecorder(t *testing.T) {
	t.Parallel()
	out, err := langchain.New(nil, nil).Tool(getPage()).Call(t.Context(), "home")
	require.NoError(t, err)
	assert.Equal(t, pageJSON(homeID, "Home"), out)
}

func TestRecorderOfTheContextWins(t *testing.T) {
	t.Parallel()
	own, ownTold := newRecorder()
	carried, carriedTold := newRecorder()
	w := langchain.New(own, nil)
	ctx := middleware.WithRecorder(t.Context(), carried)
	_, err := w.Tool(getPage()).Call(ctx, "home")
	require.NoError(t, err)
	assert.Empty(t, ownTold.all())
	assert.Len(t, carriedTold.all(), 1)
	values, err := w.Memory(nil).LoadMemoryVariables(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, carried.Block(), values["working_memory"])
}
