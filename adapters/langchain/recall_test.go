package langchain_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// remembering recalls one fact, and knows what it was asked.
type remembering struct {
	mu    sync.Mutex
	asked []string
}

func (r *remembering) recall(_ context.Context, said string) ([]items.Item, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, said)
	return []items.Item{{Type: items.TypeFact, Text: "Anna likes the home page."}}, nil
}

func (r *remembering) recorder() *middleware.Recorder {
	return recorderWith(&middleware.Options{Recall: r.recall})
}

const fact = `  - fact: "Anna likes the home page."`

func TestEachStepOfAnAgentShowsWhatWasRecalledOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for _, wrapModel := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s model=%v", kind.name, wrapModel), func(t *testing.T) {
				t.Parallel()
				m := script(kind.get(1, "home"), kind.get(2, "about"), kind.answer("Done."))
				known := &remembering{}
				w := langchain.New(known.recorder(), nil)
				var model llms.Model = m
				if wrapModel {
					model = w.Model(model)
				}
				executor := agents.NewExecutor(w.Agent(kind.make(model, []tools.Tool{getPage()})))
				_, err := chains.Run(t.Context(), executor, "Which page does she like?")
				require.NoError(t, err)
				assert.Equal(t, []string{"Which page does she like?"}, known.asked)
				require.Len(t, m.prompts, 3)
				for _, sent := range m.prompts {
					assert.Equal(t, 1, strings.Count(textOf(sent), fact))
				}
				assert.Contains(t, m.last(), aboutID)
			})
		}
	}
}

func TestAChainsInputIsRecalledAndNotItsPrompt(t *testing.T) {
	t.Parallel()
	known := &remembering{}
	w := langchain.New(known.recorder(), nil)
	m := script(say("The home page."), say("The home page."))
	chain := chains.NewLLMChain(w.Model(m), prompts.NewPromptTemplate(
		"{{.working_memory}}\n\n{{.history}}Question: {{.input}}", []string{"working_memory", "history", "input"}))
	chain.Memory = w.Memory(lcmemory.NewConversationBuffer())
	for _, said := range []string{"Which one?", "Sure?"} {
		_, err := chains.Run(t.Context(), chain, said)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(m.last(), fact))
	}
	for _, said := range []string{"Hi.", "Sure? Hi."} {
		sent(t, w, human(said))
	}
	assert.Equal(t, []string{"Which one?", "Sure?", "Hi.", "Sure? Hi."}, known.asked)
}
