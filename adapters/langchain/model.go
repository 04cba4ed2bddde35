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
//
// With middleware.Options.Handles or Results, the model sees tool calls and results with handles,
// and descriptions of large results, and the answer's calls have ids in place of handles, so that
// the messages of the program have ids. If a handle is unknown, the model is asked again, at most
// twice, and streams each of its answers; then the error wraps a *handle.UnknownError. What the
// model streams has handles.
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
	if c, ok := m.wm.conversation(ctx); ok {
		if m.records {
			_ = c.rec.RecordHistory(context.WithValue(ctx, fromPromptKey{}, true), historyOf(messages)) // as in Agent
			if ctx.Value(planningKey{}) != c.rec {
				c.rec.Prepare(ctx, c.lastMessages(messages)...)
			}
		}
		messages = c.place(c.shownMessages(ctx, messages), &m.wm.opts)
		return c.generate(ctx, m.Model, messages, options)
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}

// Call calls GenerateContent with a prompt of one text, as langchaingo's models do.
func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// historyOf returns the tool calls of a prompt.
func historyOf(messages []llms.MessageContent) *middleware.History {
	h := &middleware.History{View: "langchain model"}
	for _, msg := range messages {
		var requests, results []middleware.ToolCall
		for _, part := range msg.Parts {
			switch part := part.(type) {
			case llms.ToolCall:
				if call := part.FunctionCall; call != nil {
					requests = append(requests, middleware.ToolCall{ID: part.ID, Name: call.Name, Arguments: plainArguments(call.Arguments)})
				}
			case llms.ToolCallResponse:
				results = append(results, middleware.ToolCall{ID: part.ToolCallID, Name: part.Name, Result: part.Content})
			}
		}
		if msg.Role == llms.ChatMessageTypeAI {
			h.AddRequests(requests...)
		}
		for _, result := range results {
			h.AddResult(result)
		}
	}
	return h
}
