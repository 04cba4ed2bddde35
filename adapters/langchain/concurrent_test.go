package langchain_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// echoPage returns a page whose id and name are the session's alone.
func echoPage() tools.Tool {
	return fakeTool{name: "cms_getPage", call: func(_ context.Context, input string) (string, error) {
		return pageJSON("page-of-"+input, "Page of "+input), nil
	}}
}

// sessionModel asks for the session's page, which the question names, and
// reports every block it is shown that speaks of another session.
type sessionModel struct{ strangers atomic.Int64 }

func (m *sessionModel) GenerateContent(
	_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var session string
	answered := false
	for _, msg := range messages {
		text := textOf([]llms.MessageContent{msg})
		switch msg.Role {
		case llms.ChatMessageTypeHuman:
			session = strings.TrimSpace(strings.TrimPrefix(text, "human: "))
		case llms.ChatMessageTypeTool:
			answered = true
		}
	}
	for _, word := range strings.Fields(textOf(messages)) {
		if strings.HasPrefix(word, "(page-of-") && word != "(page-of-"+session+")" {
			m.strangers.Add(1)
		}
	}
	choice := &llms.ContentChoice{Content: "done"}
	if !answered {
		choice = calls("c1 cms_getPage " + session)(nil)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

func (m *sessionModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// TestSessionsShareEverythingButTheirEntities runs many sessions at once through
// one set of wrapped tools, agent, model and memory.
func TestSessionsShareEverythingButTheirEntities(t *testing.T) {
	t.Parallel()
	const sessions, runs = 50, 3
	model := &sessionModel{}
	w := langchain.New(nil, nil)
	agent := w.Agent(agents.NewOpenAIFunctionsAgent(w.Model(model), w.Tools(echoPage())))
	executor := agents.NewExecutor(agent, agents.WithMemory(w.Memory(nil)))

	recorders := make([]*middleware.Recorder, sessions)
	lists := make([]*recorded, sessions)
	var wg sync.WaitGroup
	for i := range sessions {
		recorders[i], lists[i] = newRecorder()
		for range runs {
			wg.Go(func() {
				ctx := middleware.WithRecorder(t.Context(), recorders[i])
				_, err := chains.Run(ctx, executor, fmt.Sprintf("session%04d", i))
				assert.NoError(t, err)
			})
		}
	}
	wg.Wait()
	assert.Zero(t, model.strangers.Load())
	for i, rec := range recorders {
		require.Len(t, lists[i].all(), runs)
		entities := rec.Context().Recent(10)
		require.Len(t, entities, 1)
		assert.Equal(t, fmt.Sprintf("page-of-session%04d", i), entities[0].ID)
	}
}
