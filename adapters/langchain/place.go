package langchain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// place returns messages that show the current block once. The given messages are not
// changed.
func (c conversation) place(messages []llms.MessageContent, opts *Options) []llms.MessageContent {
	current := c.rec.Block()
	block := prompt.WithGuidance(current)
	for _, shown := range c.progress.blocks(block) {
		if i, j, ok := find(messages, shown); ok {
			if shown == block {
				return messages
			}
			messages = slices.Clone(messages)
			messages[i] = editPart(messages[i], j, func(text string) string { return strings.Replace(text, shown, block, 1) })
			return messages
		}
	}
	if block != "" { // the application may have put it there
		if _, _, ok := find(messages, current); ok {
			return messages
		}
	}
	if opts.SingleMessage && len(messages) == 1 && block != "" {
		m := withoutBlocks(messages[0])
		return []llms.MessageContent{editText(m, func(text string) string { return block + "\n\n" + text })}
	}
	edits := c.rec.Edits(outlineOf(messages, opts.Placement), opts.Placement)
	return prompt.Apply(messages, edits, systemMessageOf, extend)
}

// find returns the indexes of the first message and part that contain text, among the messages
// that templates write: those of the system and of the user.
func find(messages []llms.MessageContent, text string) (message, part int, ok bool) {
	for i, msg := range messages {
		if msg.Role != llms.ChatMessageTypeSystem && msg.Role != llms.ChatMessageTypeHuman {
			continue
		}
		for j, part := range msg.Parts {
			if t, ok := textOf(part); ok && strings.Contains(t, text) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// outlineOf returns what Recorder.Edits reads of messages at a placement.
func outlineOf(messages []llms.MessageContent, at prompt.Placement) []prompt.Message {
	out := make([]prompt.Message, len(messages))
	for i, msg := range messages {
		out[i].Role = roleOf(msg.Role)
		others := at == prompt.PlaceAppend // which compares the messages
		if msg.Role == llms.ChatMessageTypeSystem {
			out[i].Content = textIn(msg.Parts)
			others = slices.ContainsFunc(msg.Parts, func(part llms.ContentPart) bool { _, ok := textOf(part); return !ok })
		}
		if others {
			out[i].Content += "\n\n" + encode(msg)
		}
	}
	return out
}

// encode returns a message as text. Markers for a provider's cache are not content: they move as
// a conversation grows.
func encode(m llms.MessageContent) string {
	var b strings.Builder
	b.WriteString(string(m.Role))
	for _, part := range m.Parts {
		if cached, ok := part.(llms.CachedContent); ok {
			part = cached.ContentPart
		}
		if call, ok := part.(llms.ToolCall); ok { // which has a pointer
			fmt.Fprintf(&b, "\n%s %v", call.ID, call.FunctionCall)
			continue
		}
		fmt.Fprintf(&b, "\n%T %v", part, part)
	}
	return b.String()
}

func systemMessageOf(text string) llms.MessageContent {
	return llms.TextParts(llms.ChatMessageTypeSystem, text)
}

// extend returns a system message whose only block, if any, is behind its first text: some
// providers read only that.
func extend(m llms.MessageContent, block string) llms.MessageContent {
	m = withoutBlocks(m)
	if block == "" {
		return m
	}
	return editText(m, func(text string) string { return prompt.InSystem(text, block) })
}

// withoutBlocks returns a message without the blocks in it if it is a system message, and
// without texts that were nothing else.
func withoutBlocks(m llms.MessageContent) llms.MessageContent {
	if m.Role != llms.ChatMessageTypeSystem {
		return m
	}
	parts := make([]llms.ContentPart, 0, len(m.Parts))
	for _, part := range m.Parts {
		text, _ := textOf(part)
		switch rest := prompt.Remove(text); {
		case rest == text:
			parts = append(parts, part)
		case rest != "":
			parts = append(parts, withText(part, prompt.Remove))
		}
	}
	m.Parts = parts
	return m
}

// editText returns a message with its first text changed. A message without text gets one as
// its first part.
func editText(m llms.MessageContent, change func(string) string) llms.MessageContent {
	for i, part := range m.Parts {
		if _, ok := textOf(part); ok {
			return editPart(m, i, change)
		}
	}
	m.Parts = slices.Insert(slices.Clone(m.Parts), 0, llms.ContentPart(llms.TextPart(change(""))))
	return m
}

// editPart returns a message with the text of a part changed.
func editPart(m llms.MessageContent, i int, change func(string) string) llms.MessageContent {
	m.Parts = slices.Clone(m.Parts)
	m.Parts[i] = withText(m.Parts[i], change)
	return m
}

func roleOf(t llms.ChatMessageType) string {
	switch t {
	case llms.ChatMessageTypeSystem:
		return "system"
	case llms.ChatMessageTypeAI:
		return "assistant"
	case llms.ChatMessageTypeTool, llms.ChatMessageTypeFunction:
		return "tool"
	default:
		return "user"
	}
}

// textIn returns the texts of parts.
func textIn(parts []llms.ContentPart) string {
	var texts []string
	for _, part := range parts {
		if text, ok := textOf(part); ok && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// textOf returns the text of a part, which may be marked for a provider's cache.
func textOf(part llms.ContentPart) (string, bool) {
	switch part := part.(type) {
	case llms.TextContent:
		return part.Text, true
	case llms.CachedContent:
		return textOf(part.ContentPart)
	}
	return "", false
}

func withText(part llms.ContentPart, change func(string) string) llms.ContentPart {
	switch part := part.(type) {
	case llms.TextContent:
		part.Text = change(part.Text)
		return part
	case llms.CachedContent:
		part.ContentPart = withText(part.ContentPart, change)
		return part
	}
	return part
}
