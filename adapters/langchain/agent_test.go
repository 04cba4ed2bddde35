package langchain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

func TestAgentKeepsItsInterface(t *testing.T) {
	t.Parallel()
	w := langchain.New(knowingHome(t), nil)
	m := script(say("Final Answer: ok"), say("Final Answer: ok"))
	inner := agents.NewOneShotAgent(m, []tools.Tool{getPage()})
	chain := inner.Chain
	a := w.Agent(inner)
	assert.Same(t, a, w.Agent(a))
	assert.Equal(t, inner.GetOutputKeys(), a.GetOutputKeys())
	assert.Equal(t, inner.GetInputKeys(), a.GetInputKeys())
	require.Len(t, a.GetTools(), 1)
	assert.Equal(t, "cms_getPage", a.GetTools()[0].Name())
	assert.Equal(t, "describes cms_getPage", a.GetTools()[0].Description())

	inputs := map[string]string{"input": "x"}
	_, _, err := a.Plan(t.Context(), nil, inputs)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"input": "x"}, inputs)
	assert.Same(t, chain, inner.Chain)
	assert.Contains(t, m.last(), homeID)
	_, _, err = inner.Plan(t.Context(), nil, inputs)
	require.NoError(t, err)
	assert.NotContains(t, m.last(), homeID)
}

// TestAgentPromptNamesTheVariable has prompts that cannot be formatted without it.
func TestAgentPromptNamesTheVariable(t *testing.T) {
	t.Parallel()
	for _, rec := range []bool{true, false} {
		w := langchain.New(nil, nil)
		want := "human: K()H()x\n"
		if rec {
			r := knowingHome(t)
			w = langchain.New(r, nil)
			want = "human: K(" + guided(r) + ")H()x\n"
		}
		m := script(say("AI: ok"))
		agent := w.Agent(agents.NewConversationalAgent(m, []tools.Tool{getPage()}, agents.WithPrompt(prompts.NewPromptTemplate(
			"K({{.working_memory}})H({{.history}}){{.input}}{{.agent_scratchpad}}",
			[]string{"input", "history", "agent_scratchpad", "working_memory"},
		))))
		assert.Equal(t, []string{"input", "history"}, agent.GetInputKeys())
		_, err := chains.Call(t.Context(), agents.NewExecutor(agent), map[string]any{"input": "x", "history": ""})
		require.NoError(t, err)
		assert.Equal(t, want, m.last())
	}
}

// customAgent is an agent of a type that langchaingo does not know.
type customAgent struct{ inputs map[string]string }

func (a *customAgent) Plan(
	_ context.Context, _ []schema.AgentStep, inputs map[string]string, _ ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	a.inputs = inputs
	return nil, &schema.AgentFinish{ReturnValues: map[string]any{"output": "ok"}}, nil
}
func (a *customAgent) GetInputKeys() []string  { return []string{"input"} }
func (a *customAgent) GetOutputKeys() []string { return []string{"output"} }
func (a *customAgent) GetTools() []tools.Tool  { return nil }

func TestAgentOfUnknownTypeGetsTheVariable(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	inner := &customAgent{}
	agent := langchain.New(rec, &langchain.Options{Variable: "known"}).Agent(inner)
	_, err := chains.Run(t.Context(), agents.NewExecutor(agent), "x")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"input": "x", "known": guided(rec)}, inner.inputs)
	_, _, err = agent.Plan(t.Context(), nil, nil)
	require.NoError(t, err)
}

// otherChain is a chain of another type than langchaingo's own.
type otherChain struct{ chains.Chain }

func TestAgentWithAChainOfUnknownTypeIsNotChanged(t *testing.T) {
	t.Parallel()
	m := script(say("Final Answer: ok"))
	inner := agents.NewOneShotAgent(m, nil)
	inner.Chain = otherChain{inner.Chain}
	_, err := chains.Run(t.Context(), agents.NewExecutor(langchain.New(knowingHome(t), nil).Agent(inner)), "x")
	require.NoError(t, err)
	assert.NotContains(t, m.last(), homeID)
}
