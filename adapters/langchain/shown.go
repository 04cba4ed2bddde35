package langchain

import (
	"context"
	"slices"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// shownMessages returns the messages of a prompt as the model is to see them: see
// middleware.Options.Handles and Results. The given messages are not changed.
func (c conversation) shownMessages(ctx context.Context, messages []llms.MessageContent) []llms.MessageContent {
	if c.rec.Handles() == nil {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range messages {
		parts := slices.Clone(messages[i].Parts)
		for j, part := range parts {
			switch part := part.(type) {
			case llms.ToolCall:
				parts[j] = c.shownCall(part)
			case llms.ToolCallResponse:
				part.Content = c.rec.Show(ctx, part.Content)
				parts[j] = part
			}
		}
		messages[i].Parts = parts
	}
	return messages
}

func (c conversation) shownCall(call llms.ToolCall) llms.ToolCall {
	if call.FunctionCall != nil {
		f := *call.FunctionCall
		f.Arguments = c.rec.Handles().Encode(f.Arguments)
		call.FunctionCall = &f
	}
	return call
}

// shownHistory is like shownMessages for the messages of a stored session, which are replaced in
// the slice.
func (c conversation) shownHistory(ctx context.Context, messages []llms.ChatMessage) []llms.ChatMessage {
	if c.rec.Handles() == nil {
		return messages
	}
	for i, m := range messages {
		switch m := m.(type) {
		case llms.AIChatMessage:
			m.ToolCalls = slices.Clone(m.ToolCalls)
			for j := range m.ToolCalls {
				m.ToolCalls[j] = c.shownCall(m.ToolCalls[j])
			}
			messages[i] = m
		case llms.ToolChatMessage:
			m.Content = c.rec.Show(ctx, m.Content)
			messages[i] = m
		case llms.FunctionChatMessage:
			m.Content = c.rec.Show(ctx, m.Content)
			messages[i] = m
		}
	}
	return messages
}

// shownSteps is like shownMessages for the steps of an agent, whose logs have what the model
// wrote.
func (c conversation) shownSteps(ctx context.Context, steps []schema.AgentStep) []schema.AgentStep {
	if c.rec == nil || c.rec.Handles() == nil {
		return steps
	}
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Action.ToolInput = c.rec.Handles().Encode(steps[i].Action.ToolInput)
		steps[i].Observation = c.rec.Show(ctx, steps[i].Observation)
	}
	return steps
}
