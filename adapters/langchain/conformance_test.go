package langchain_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestAdapter(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]adaptertest.Harness{
		"executor":                 {New: newExecutor(false), NoIDs: true, FailureEndsTurn: true},
		"executor, also its model": {New: newExecutor(true), NoIDs: true, FailureEndsTurn: true},
		"loop":                     {New: newLoop(false), MessagesOnly: true},
		"loop, also its tools":     {New: newLoop(true), NoIDs: true},
	} {
		h.Streams, h.Suspends = true, true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adaptertest.Run(t, h)
		})
	}
}

// suiteModel is a model of the suite.
type suiteModel struct{ adaptertest.Setup }

func (m suiteModel) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var request adaptertest.Request
	var system []string
	for _, msg := range messages {
		var text string
		for _, part := range msg.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				text += part.Text
			case llms.ToolCall:
				text += "\n" + part.FunctionCall.Arguments
			case llms.ToolCallResponse:
				text += part.Content
			}
		}
		if msg.Role == llms.ChatMessageTypeSystem {
			system = append(system, text)
			continue
		}
		role := map[llms.ChatMessageType]string{"human": "user", "ai": "assistant", "tool": "tool"}[msg.Role]
		request.Messages = append(request.Messages, prompt.Message{Role: role, Content: text})
	}
	request.System = strings.Join(system, "\n")
	reply, err := m.Model(ctx, request)
	if err != nil {
		return nil, err
	}
	choice := &llms.ContentChoice{Content: reply.Text}
	for _, c := range reply.Calls {
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
	}
	return scripted(choice).GenerateContent(ctx, messages, options...)
}

// scripted returns a model that answers once, maybe in a stream.
func scripted(choice *llms.ContentChoice) *scriptedModel {
	return script(func([]llms.MessageContent) *llms.ContentChoice { return choice })
}

func (m suiteModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func suiteTools(w *langchain.WorkingMemory, s adaptertest.Setup) (all []tools.Tool) {
	if s.ResultTools {
		all = w.ResultTools()
	}
	for _, tool := range s.Tools {
		all = append(all, fakeTool{name: tool.Name, call: func(ctx context.Context, input string) (string, error) {
			parts, err := tool.Run(ctx, input)
			if errors.Is(err, adaptertest.ErrSuspend) {
				err = middleware.ErrSuspended
			}
			return strings.Join(parts, ""), err
		}})
	}
	return all
}

func discard(context.Context, []byte) error { return nil }

// suiteExecutor is an executor of the functions agent, and its agent.
type suiteExecutor struct {
	agents.Agent
	adaptertest.Setup

	mu      sync.Mutex
	history []llms.ChatMessage
	steps   []schema.AgentStep // of the turn
}

func newExecutor(wrapModel bool) func(testing.TB, adaptertest.Setup) adaptertest.Agent {
	return func(_ testing.TB, s adaptertest.Setup) adaptertest.Agent {
		w := langchain.New(s.Recorder, nil)
		e := &suiteExecutor{Setup: s}
		var model llms.Model = suiteModel{s}
		if wrapModel {
			model = w.Model(model)
		}
		openAI := agents.NewOpenAIOption()
		e.Agent = w.Agent(agents.NewOpenAIFunctionsAgent(model, suiteTools(w, s),
			openAI.WithSystemMessage(s.System), openAI.WithExtraMessages([]prompts.MessageFormatter{e})))
		return e
	}
}

func (e *suiteExecutor) Say(ctx context.Context, text string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var options []chains.ChainCallOption
	if e.Stream {
		options = append(options, chains.WithStreamingFunc(discard))
	}
	answer, err := chains.Run(ctx, agents.NewExecutor(e), text, options...)
	if e.History {
		e.history = append(e.history, userSays(text))
		for _, step := range e.steps {
			call := llms.ToolCall{ID: step.Action.ToolID, FunctionCall: &llms.FunctionCall{Name: step.Action.Tool, Arguments: step.Action.ToolInput}}
			e.history = append(e.history, llms.AIChatMessage{ToolCalls: []llms.ToolCall{call}}, resultOf(step.Action.ToolID, step.Observation))
		}
		if err == nil {
			e.history = append(e.history, modelSays(answer))
		}
	}
	return answer, err
}

// Plan implements agents.Agent.
func (e *suiteExecutor) Plan(
	ctx context.Context, steps []schema.AgentStep, inputs map[string]string, options ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	e.steps = steps
	return e.Agent.Plan(ctx, steps, inputs, options...)
}

// FormatMessages implements prompts.MessageFormatter, for the messages of earlier turns.
func (e *suiteExecutor) FormatMessages(map[string]any) ([]llms.ChatMessage, error) {
	return e.history, nil
}

// GetInputVariables implements prompts.MessageFormatter.
func (e *suiteExecutor) GetInputVariables() []string { return nil }

// suiteLoop is a loop of a program's own.
type suiteLoop struct {
	adaptertest.Setup
	model llms.Model
	tools []tools.Tool

	mu       sync.Mutex
	messages []llms.MessageContent
}

func newLoop(wrapTools bool) func(testing.TB, adaptertest.Setup) adaptertest.Agent {
	return func(_ testing.TB, s adaptertest.Setup) adaptertest.Agent {
		w := langchain.New(s.Recorder, nil)
		l := &suiteLoop{Setup: s, model: w.Model(suiteModel{s}), tools: suiteTools(w, s)}
		if wrapTools {
			l.tools = w.Tools(l.tools...)
		}
		return l
	}
}

func (l *suiteLoop) Say(ctx context.Context, text string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.History || l.messages == nil {
		l.messages = messages{system(l.System)}
	}
	l.messages = append(l.messages, human(text))
	return l.run(ctx)
}

// Resume implements adaptertest.Resumer.
func (l *suiteLoop) Resume(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.runTools(ctx); err != nil {
		return "", err
	}
	return l.run(ctx)
}

func (l *suiteLoop) run(ctx context.Context) (string, error) {
	var options []llms.CallOption
	if l.Stream {
		options = append(options, llms.WithStreamingFunc(discard))
	}
	for {
		response, err := l.model.GenerateContent(ctx, l.messages, options...)
		if err != nil {
			return "", err
		}
		choice := response.Choices[0]
		answer := llms.TextParts(llms.ChatMessageTypeAI, choice.Content)
		for _, call := range choice.ToolCalls {
			answer.Parts = append(answer.Parts, call)
		}
		l.messages = append(l.messages, answer)
		if len(choice.ToolCalls) == 0 {
			return choice.Content, nil
		}
		if err := l.runTools(ctx); err != nil {
			return "", err
		}
	}
}

// runTools runs the calls of the last message.
func (l *suiteLoop) runTools(ctx context.Context) error {
	for _, part := range l.messages[len(l.messages)-1].Parts {
		call, ok := part.(llms.ToolCall)
		if !ok {
			continue
		}
		for _, tool := range l.tools {
			if tool.Name() != call.FunctionCall.Name {
				continue
			}
			result, err := tool.Call(ctx, call.FunctionCall.Arguments)
			if errors.Is(err, middleware.ErrSuspended) {
				return err
			}
			if err != nil {
				result = "error: " + err.Error()
			}
			l.messages = append(l.messages, answers(call.ID, tool.Name(), result))
		}
	}
	return nil
}
