package genkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestAdapter(t *testing.T) {
	t.Parallel()
	adaptertest.Run(t, adaptertest.Harness{
		New: newSuiteAgent, Streams: true, Suspends: true, FailureEndsTurn: true,
	})
}

// suiteAgent is an agent of the conformance suite: a program that calls Generate in each turn.
type suiteAgent struct {
	adaptertest.Setup
	g      *gk.Genkit
	memory *genkit.WorkingMemory
	tools  []ai.ToolRef

	mu       sync.Mutex
	messages []*ai.Message
	stopped  *ai.ModelResponse // of an interrupted turn
}

func newSuiteAgent(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
	a := &suiteAgent{Setup: s, g: gk.Init(tb.Context()), memory: genkit.New(s.Recorder, nil)}
	gk.DefineModelAction(a.g, model, capable, a.answer)
	if s.ResultTools {
		a.tools = a.memory.ResultTools()
	}
	for _, tool := range s.Tools {
		a.tools = append(a.tools, gk.DefineTool(a.g, tool.Name, "Works on a page.",
			func(tc *ai.ToolContext, in pageInput) (any, error) {
				arguments, err := json.Marshal(in)
				if err != nil {
					return nil, err
				}
				parts, err := tool.Run(tc.Context, string(arguments))
				if errors.Is(err, adaptertest.ErrSuspend) {
					err = tc.Interrupt(nil)
				}
				text := strings.Join(parts, "")
				if json.Valid([]byte(text)) {
					return json.RawMessage(text), err
				}
				return text, err
			}))
	}
	return a
}

// answer is the model.
func (a *suiteAgent) answer(ctx context.Context, request *ai.ModelRequest, _ any, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	var out adaptertest.Request
	for _, m := range request.Messages {
		if m.Role == ai.RoleSystem {
			out.System += m.Text()
			continue
		}
		role := string(m.Role)
		if m.Role == ai.RoleModel {
			role = "assistant"
		}
		out.Messages = append(out.Messages, prompt.Message{Role: role, Content: contentOf(m)})
	}
	reply, err := a.Model(ctx, out)
	if err != nil {
		return nil, err
	}
	m := ai.NewModelTextMessage(reply.Text)
	if len(reply.Calls) > 0 {
		m.Content = nil
	}
	for _, c := range reply.Calls {
		m.Content = append(m.Content, ai.NewToolRequestPart(&ai.ToolRequest{Ref: c.ID, Name: c.Name, Input: json.RawMessage(c.Arguments)}))
	}
	if stream != nil {
		for _, p := range m.Content {
			if err := stream(ctx, &ai.ModelResponseChunk{Role: ai.RoleModel, Content: []*ai.Part{p}}); err != nil {
				return nil, err
			}
		}
	}
	return &ai.ModelResponse{Request: request, Message: m, FinishReason: ai.FinishReasonStop}, nil
}

// contentOf returns the texts of a message, and the calls and results in it.
func contentOf(m *ai.Message) string {
	text := m.Text()
	for _, p := range m.Content {
		switch {
		case p.IsToolRequest():
			input, _ := json.Marshal(p.ToolRequest.Input)
			text += string(input)
		case p.IsToolResponse():
			output, _ := json.Marshal(p.ToolResponse.Output)
			text += string(output)
		}
	}
	return text
}

func (a *suiteAgent) Say(ctx context.Context, text string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.History {
		a.messages = nil
	}
	a.messages = append(a.messages, ai.NewUserTextMessage(text))
	return a.generate(ctx)
}

func (a *suiteAgent) Resume(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var restarts []*ai.Part
	for _, p := range a.stopped.Interrupts() {
		tool := gk.LookupTool(a.g, p.ToolRequest.Name)
		restarts = append(restarts, tool.Restart(p, nil))
	}
	return a.generate(ctx, ai.WithToolRestarts(restarts...))
}

func (a *suiteAgent) generate(ctx context.Context, opts ...ai.GenerateOption) (string, error) {
	opts = append(opts, ai.WithModelName(model), ai.WithSystem(a.System), ai.WithMessages(a.messages...),
		ai.WithTools(a.tools...), ai.WithMaxTurns(20), ai.WithUse(a.memory, a.keep()))
	if a.Stream {
		opts = append(opts, ai.WithStreaming(func(context.Context, *ai.ModelResponseChunk) error { return nil }))
	}
	response, err := gk.Generate(ctx, a.g, opts...)
	if err != nil {
		return "", err
	}
	a.setMessages(response.History())
	a.stopped = response
	return response.Text(), nil
}

// keep returns a middleware that keeps the messages of a turn that fails.
func (a *suiteAgent) keep() ai.Middleware {
	return ai.MiddlewareFunc(func(context.Context) (*ai.Hooks, error) {
		return &ai.Hooks{WrapGenerate: func(ctx context.Context, p *ai.GenerateParams, next ai.GenerateNext) (*ai.ModelResponse, error) {
			a.setMessages(p.Request.Messages)
			return next(ctx, p)
		}}, nil
	})
}

func (a *suiteAgent) setMessages(messages []*ai.Message) {
	a.messages = slices.DeleteFunc(slices.Clone(messages), func(m *ai.Message) bool { return m.Role == ai.RoleSystem })
}
