package eino

import (
	"context"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// ModifyMessages records the calls in messages that are new, and returns the messages with the
// current block, and with handles and descriptions of stored results in the calls and the results.
// The input is not modified. The method is a react.MessageModifier. With handles it needs
// ToolMiddleware, which turns those in the model's calls back.
func (w *WorkingMemory) ModifyMessages(ctx context.Context, messages []*schema.Message) []*schema.Message {
	rec := w.recorder(ctx)
	if rec == nil {
		return messages
	}
	_ = rec.RecordHistory(ctx, historyOf(rec.Handles(), messages)) // the recorder reports failures to its OnCall and Logger
	rec.Prepare(ctx, lastSaid(messages, schema.Assistant), lastSaid(messages, schema.User))
	if rec.Handles() != nil {
		messages = shownMessages(ctx, rec, messages)
	}
	compared := w.opts.Placement == prompt.PlaceAppend
	return apply(messages, rec.Edits(outline(messages, compared), w.opts.Placement))
}

// withoutBlocks returns messages without the blocks in system messages.
func withoutBlocks(messages []*schema.Message) []*schema.Message {
	return apply(messages, prompt.Edits(outline(messages, false), "", prompt.PlaceSystem))
}

// apply applies edits to messages.
func apply(messages []*schema.Message, edits []prompt.Edit) []*schema.Message {
	return prompt.Apply(messages, edits, schema.SystemMessage, withBlock)
}

// historyOf returns the calls in messages, with ids in place of handles in their arguments, so that
// calls are the same in messages that have handles and in those that do not.
func historyOf(handles *handle.Table, messages []*schema.Message) *middleware.History {
	h := &middleware.History{View: view}
	for _, m := range messages {
		if m == nil {
			continue
		}
		switch m.Role {
		case schema.Assistant:
			calls := make([]middleware.ToolCall, len(m.ToolCalls))
			for i, c := range m.ToolCalls {
				calls[i] = middleware.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}
				if decoded, err := handles.DecodeArguments(c.Function.Arguments, acceptAll); err == nil {
					calls[i].Arguments = decoded
				}
			}
			h.AddRequests(calls...)
		case schema.Tool:
			if !isCanceled(m) && !isTransfer(m.ToolName) {
				h.AddResult(middleware.ToolCall{ID: m.ToolCallID, Name: m.ToolName, Result: resultOf(textsOf(m)...)})
			}
		}
	}
	return h
}

func acceptAll(string) bool { return true }

// lastSaid returns the last message of a role that has text.
func lastSaid(messages []*schema.Message, role schema.RoleType) prompt.Message {
	for _, m := range slices.Backward(messages) {
		if m == nil || m.Role != role {
			continue
		}
		if text := strings.Join(textsOf(m), "\n"); text != "" && !(role == schema.User && isRewritten(text)) {
			return prompt.Message{Role: string(role), Content: text}
		}
	}
	return prompt.Message{}
}

// isRewritten reports whether a text is a message of another agent, which Eino gives to an agent
// as one of the user.
func isRewritten(text string) bool {
	text, ok := strings.CutPrefix(text, "For context:")
	return ok && (text == "" || strings.HasPrefix(text, " ["))
}

// outline returns what prompt.Edits reads of messages. If messages are compared, those whose texts
// or calls differ have different contents.
func outline(messages []*schema.Message, compared bool) []prompt.Message {
	out := make([]prompt.Message, len(messages))
	for i, m := range messages {
		if m == nil {
			continue
		}
		out[i].Role = string(m.Role)
		if m.Role != schema.System && !compared {
			continue
		}
		texts := textsOf(m)
		if m.Role != schema.System {
			texts = append(texts, m.ToolCallID)
			for _, c := range m.ToolCalls {
				texts = append(texts, c.ID, c.Function.Name, c.Function.Arguments)
			}
		}
		out[i].Content = strings.Join(texts, "\n")
	}
	return out
}

// withBlock returns a copy of a system message whose texts are without blocks, and whose last
// text ends in block.
func withBlock(m *schema.Message, block string) *schema.Message {
	c := copyOf(m)
	texts := textFields(c)
	for i, text := range texts {
		if i < len(texts)-1 {
			*text = prompt.Remove(*text)
		} else {
			*text = prompt.InSystem(*text, block)
		}
	}
	return c
}

// copyOf returns a copy of a message whose textFields can be changed.
func copyOf(m *schema.Message) *schema.Message {
	c := *m
	c.UserInputMultiContent = slices.Clone(m.UserInputMultiContent)
	c.AssistantGenMultiContent = slices.Clone(m.AssistantGenMultiContent)
	c.MultiContent = slices.Clone(m.MultiContent)
	return &c
}

// textsOf returns the texts of a message.
func textsOf(m *schema.Message) []string {
	fields := textFields(m)
	texts := make([]string, len(fields))
	for i, text := range fields {
		texts[i] = *text
	}
	return texts
}

// textFields returns the texts of a message's parts, or its content if they have none.
func textFields(m *schema.Message) (texts []*string) {
	for i := range m.UserInputMultiContent {
		if p := &m.UserInputMultiContent[i]; p.Type == schema.ChatMessagePartTypeText {
			texts = append(texts, &p.Text)
		}
	}
	for i := range m.AssistantGenMultiContent {
		if p := &m.AssistantGenMultiContent[i]; p.Type == schema.ChatMessagePartTypeText {
			texts = append(texts, &p.Text)
		}
	}
	for i := range m.MultiContent {
		if p := &m.MultiContent[i]; p.Type == schema.ChatMessagePartTypeText {
			texts = append(texts, &p.Text)
		}
	}
	if len(texts) == 0 {
		texts = append(texts, &m.Content)
	}
	return texts
}
