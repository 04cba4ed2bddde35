package langchain

import (
	"context"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// Model wraps a model so that the prompt of every call shows the current block, and
// the tool calls among the messages are recorded, as in loops that run the model's
// native tool calls themselves. A result in a tool or function message is recorded
// once, at the next call of the model, however often it is sent.
//
// The last message of the user and the last text of the model update the recorder's
// focus (see middleware.Recorder.UpdateFocus). A chain or a text agent sends its whole
// prompt as one message of the user, which then is the focus, unless Memory or
// SessionMemory has seen the chain's input and the prompt contains it. Wrap such an
// agent with Agent, which uses the input instead.
//
// Options.Placement determines where the block goes. A prompt that already holds it,
// as the value of a template's variable, is not changed; an earlier block of this
// memory is replaced. The given messages are not modified, and options and streaming
// functions are passed on. An llms.ReasoningModel remains one.
func (w *WorkingMemory) Model(m llms.Model) llms.Model {
	if w.wraps(m) {
		return m
	}
	wrapped := &model{Model: m, wm: w, records: true}
	if reasoning, ok := m.(llms.ReasoningModel); ok {
		return &reasoningModel{model: wrapped, reasoning: reasoning}
	}
	return wrapped
}

// wraps reports whether m is wrapped already.
func (w *WorkingMemory) wraps(m llms.Model) bool {
	switch m := m.(type) {
	case *model:
		return m.wm == w
	case *reasoningModel:
		return m.wm == w
	}
	return false
}

type model struct {
	llms.Model
	wm *WorkingMemory
	// records is false if an agent's wrapper has already recorded the steps.
	records bool
}

type reasoningModel struct {
	*model
	reasoning llms.ReasoningModel
}

var (
	_ llms.Model          = (*model)(nil)
	_ llms.ReasoningModel = (*reasoningModel)(nil)
)

// SupportsReasoning calls the wrapped model's SupportsReasoning.
func (m *reasoningModel) SupportsReasoning() bool { return m.reasoning.SupportsReasoning() }

// GenerateContent records new tool results and calls the model with the block in the prompt.
func (m *model) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	if s, ok := m.wm.session(ctx); ok {
		if m.records {
			if ctx.Value(planningKey{}) != m.wm {
				for _, message := range s.lastMessages(messages) {
					s.updateFocus(message)
				}
				s.refresh(ctx)
			}
			found := context.WithValue(ctx, fromPromptKey{}, true)
			for _, c := range s.ledger.newInPrompt(toolCalls(messages)) {
				s.record(found, middleware.ToolCall{ID: c.id, Name: c.name, Arguments: c.args, Result: c.result})
			}
		}
		messages = m.wm.place(messages, s)
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}

// Call calls GenerateContent with a prompt of one text, as langchaingo's models do.
func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// toolCalls returns the finished tool calls of a prompt: each result with the name and
// arguments of the model's request.
func toolCalls(messages []llms.MessageContent) []observed {
	var (
		calls   []observed
		pending []llms.ToolCall // requested, not answered yet
		answers int             // results before the model's last message
	)
	for _, msg := range messages {
		if msg.Role == llms.ChatMessageTypeAI {
			answers = len(calls)
		}
		for _, part := range msg.Parts {
			switch part := part.(type) {
			case llms.ToolCall:
				if msg.Role == llms.ChatMessageTypeAI && part.FunctionCall != nil {
					pending = append(pending, part)
				}
			case llms.ToolCallResponse:
				call := observed{id: part.ToolCallID, name: part.Name, result: part.Content, orphan: true}
				if i := requestOf(part, pending); i >= 0 {
					call.orphan = false
					call.name = pending[i].FunctionCall.Name
					call.args = plainArguments(pending[i].FunctionCall.Arguments)
					pending = append(pending[:i:i], pending[i+1:]...)
				}
				calls = append(calls, call)
			}
		}
	}
	for i := answers; i < len(calls); i++ {
		calls[i].latest = true
	}
	return calls
}

// requestOf returns the index of the request that a result answers: the latest with the
// id of the result. A result without an id answers the first request with its name,
// without a name the first request. It returns -1 if there is no such request.
func requestOf(answer llms.ToolCallResponse, pending []llms.ToolCall) int {
	if answer.ToolCallID != "" {
		for i := len(pending) - 1; i >= 0; i-- {
			if pending[i].ID == answer.ToolCallID {
				return i
			}
		}
		return -1
	}
	for i, request := range pending {
		if answer.Name == "" || request.FunctionCall.Name == answer.Name {
			return i
		}
	}
	return -1
}
