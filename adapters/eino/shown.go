package eino

import (
	"context"
	"slices"

	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// shownMessages returns messages with handles in place of ids in their calls and results, and with
// what replaces stored results.
func shownMessages(ctx context.Context, rec *middleware.Recorder, messages []*schema.Message) []*schema.Message {
	shown := slices.Clone(messages)
	for i, m := range messages {
		switch {
		case m == nil:
		case m.Role == schema.Assistant && len(m.ToolCalls) > 0:
			arguments := argumentsOf(m)
			for i := range arguments {
				arguments[i] = rec.EncodeResult(arguments[i])
			}
			shown[i] = withCalls(m, arguments)
		case m.Role == schema.Tool:
			stub, stored := rec.Stub(ctx, resultOf(textsOf(m)...))
			shown[i] = shownResult(m, newShower(stub, stored, rec.Handles().Encode))
		}
	}
	return shown
}

// shownResult returns a copy of the message of a tool with the texts that the model is to see.
func shownResult(m *schema.Message, show shower) *schema.Message {
	c := copyOf(m)
	for _, text := range textFields(c) {
		shown, ok := show(*text)
		if !ok {
			shown = ""
		}
		*text = shown
	}
	c.UserInputMultiContent = slices.DeleteFunc(c.UserInputMultiContent, func(p schema.MessageInputPart) bool {
		return p.Type == schema.ChatMessagePartTypeText && p.Text == ""
	})
	return c
}

// argumentsOf returns the arguments of the calls in an answer, which may be nil.
func argumentsOf(answer *schema.Message) (arguments []any) {
	if answer == nil {
		return nil
	}
	for _, call := range answer.ToolCalls {
		arguments = append(arguments, call.Function.Arguments)
	}
	return arguments
}

// withCalls returns a copy of an answer whose calls have other arguments.
func withCalls(answer *schema.Message, arguments []any) *schema.Message {
	if len(arguments) == 0 {
		return answer
	}
	c := *answer
	c.ToolCalls = slices.Clone(answer.ToolCalls)
	for i := range c.ToolCalls {
		c.ToolCalls[i].Function.Arguments = textOf(arguments[i])
	}
	return &c
}
