package langchain_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
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

// sessionModel calls the tool with the name of the session, and then answers. It counts the
// pages of other sessions that it is shown.
type sessionModel struct{ strangers atomic.Int64 }

type sessionName struct{} // the key of the name in a context

func (m *sessionModel) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, _ ...llms.CallOption,
) (*llms.ContentResponse, error) {
	name := ctx.Value(sessionName{}).(string)
	for _, word := range strings.Fields(textOf(messages)) {
		if strings.HasPrefix(word, "(page-of-") && word != "(page-of-"+name+")" {
			m.strangers.Add(1)
		}
	}
	answer := say("done")
	if messages[len(messages)-1].Role != llms.ChatMessageTypeTool {
		answer = calls("c1 cms_getPage " + name)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{answer(messages)}}, nil
}

func (m *sessionModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// Many sessions use one set of wrapped tools, agent, model and memory at once.
func TestSessionsShareEverythingButTheirEntities(t *testing.T) {
	t.Parallel()
	const sessions, runs = 50, 3
	model := &sessionModel{}
	w := langchain.New(nil, nil)
	agent := w.Agent(agents.NewOpenAIFunctionsAgent(w.Model(model), w.Tools(echoPage())))
	executor := agents.NewExecutor(agent, agents.WithMemory(w.Memory(nil)))
	var wg sync.WaitGroup
	for i := range sessions {
		name := fmt.Sprintf("session%04d", i)
		wg.Go(func() {
			rec, told := newRecorder()
			ctx := context.WithValue(middleware.WithRecorder(t.Context(), rec), sessionName{}, name)
			var running sync.WaitGroup
			for range runs {
				running.Go(func() {
					_, err := chains.Run(ctx, executor, "look")
					assert.NoError(t, err)
				})
			}
			running.Wait()
			assert.Len(t, told.all(), runs)
			assert.Equal(t, "[WORKING MEMORY]\npages:\n  - \"Page of "+name+"\" (page-of-"+name+")", rec.Block())
		})
	}
	wg.Wait()
	assert.Zero(t, model.strangers.Load())
}
