package langchain

import (
	"context"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// Model wraps a model so that every call's prompt shows the current block, and
// the tool calls among its messages are recorded: those of loops that run the
// model's native tool calls themselves. Recorded are the results that come back
// in tool and function messages, when the model is next called; what was sent
// again is not recorded again. Of the rest, the recorder hears the last message
// of the user and the model's last text (see middleware.Recorder.UpdateFocus): for a
// chain or a text agent, whose whole prompt is one message, that is all of it, unless
// Memory or a Session has heard the chain's input, which the prompt has in it. Wrap
// such an agent with Agent, whose input is heard instead.
//
// The block goes where Options.Placement says. A prompt that holds it already,
// as the value of a template's variable, is left as it is; one that holds an
// earlier block of this memory has it replaced. Messages given are not changed;
// options and streaming functions reach the model as they are. An
// llms.ReasoningModel stays one.
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
	// records is false where an agent's wrapper has recorded the steps already.
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

// SupportsReasoning says what the wrapped model says.
func (m *reasoningModel) SupportsReasoning() bool { return m.reasoning.SupportsReasoning() }

// GenerateContent records new tool results and asks the model with the block in the prompt.
func (m *model) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	if s, ok := m.wm.session(ctx); ok {
		if m.records {
			if ctx.Value(planningKey{}) != m.wm {
				for _, message := range s.news(messages) {
					s.hear(message)
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

// Call asks the model with a prompt of text, by GenerateContent, as
// langchaingo's models do.
func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// toolCalls finds the finished tool calls of a prompt: each result, with the
// name and arguments that the model's request for it had.
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

// requestOf finds the request that a result answers: by its id, the latest of
// that id; where there is none by its name, else the first one waiting. -1 means none.
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
