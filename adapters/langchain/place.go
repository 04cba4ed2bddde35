package langchain

import (
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// place returns messages that show the session's block once. The given messages are not
// changed.
func (w *WorkingMemory) place(messages []llms.MessageContent, s conversation) []llms.MessageContent {
	block := s.rec.Block()
	guided := prompt.WithGuidance(block)
	for _, shown := range s.ledger.blocks(guided) {
		if at, ok := find(messages, shown); ok {
			if shown == guided {
				return messages
			}
			return at.edit(messages, func(text string) string { return strings.Replace(text, shown, guided, 1) })
		}
	}
	if block != "" { // the application may have put it there
		if _, ok := find(messages, block); ok {
			return messages
		}
	}
	messages = withoutBlocks(messages)
	switch {
	case w.opts.SingleMessage && len(messages) == 1:
		if block == "" {
			return messages
		}
		return editText(messages, 0, func(text string) string { return guided + "\n\n" + text })
	case w.opts.Placement == prompt.PlaceAppend:
		return s.ledger.place(messages, s.rec)
	case block == "":
		return messages
	}
	return insert(messages, block, w.opts.Placement)
}

// withoutBlocks returns messages without the blocks in system messages. It removes
// blocks that an application placed itself; place handles the known ones.
func withoutBlocks(messages []llms.MessageContent) []llms.MessageContent {
	out := make([]llms.MessageContent, 0, len(messages)+1)
	for _, msg := range messages {
		if msg.Role == llms.ChatMessageTypeSystem && len(msg.Parts) > 0 {
			msg.Parts = removeBlocks(msg.Parts)
			if len(msg.Parts) == 0 {
				continue
			}
		}
		out = append(out, msg)
	}
	return out
}

// removeBlocks returns parts without blocks, and without texts that were nothing else.
func removeBlocks(parts []llms.ContentPart) []llms.ContentPart {
	out := make([]llms.ContentPart, 0, len(parts))
	for _, part := range parts {
		text, _ := textOf(part)
		switch rest := prompt.Remove(text); {
		case rest == text:
			out = append(out, part)
		case rest != "":
			out = append(out, withText(part, prompt.Remove))
		}
	}
	return out
}

// position is a text part of a prompt.
type position struct{ message, part int }

// find returns the position of the first part that contains text in the messages that
// templates write: those of the system and of the user.
func find(messages []llms.MessageContent, text string) (position, bool) {
	for i, msg := range messages {
		if msg.Role != llms.ChatMessageTypeSystem && msg.Role != llms.ChatMessageTypeHuman {
			continue
		}
		for j, part := range msg.Parts {
			if t, ok := textOf(part); ok && strings.Contains(t, text) {
				return position{i, j}, true
			}
		}
	}
	return position{}, false
}

// edit returns messages with the text at a position changed.
func (p position) edit(messages []llms.MessageContent, change func(string) string) []llms.MessageContent {
	messages = slices.Clone(messages)
	parts := slices.Clone(messages[p.message].Parts)
	parts[p.part] = withText(parts[p.part], change)
	messages[p.message].Parts = parts
	return messages
}

// editText returns messages with the first text of a message changed. A message without
// text gets one as its first part, because some providers read only that.
func editText(messages []llms.MessageContent, i int, change func(string) string) []llms.MessageContent {
	for j, part := range messages[i].Parts {
		if _, ok := textOf(part); ok {
			return position{i, j}.edit(messages, change)
		}
	}
	messages = slices.Clone(messages)
	messages[i].Parts = slices.Insert(slices.Clone(messages[i].Parts), 0, llms.ContentPart(llms.TextPart(change(""))))
	return messages
}

// insert places the block as prompt.Place does: it applies what Place does to an outline
// of the messages.
func insert(messages []llms.MessageContent, block string, at prompt.Placement) []llms.MessageContent {
	outline := outline(messages)
	placed := prompt.Place(outline, block, at)
	for i, msg := range placed {
		switch {
		case len(placed) > len(outline) && (i == len(outline) || msg != outline[i]):
			return slices.Insert(slices.Clone(messages), i, llms.TextParts(llms.ChatMessageTypeSystem, msg.Content))
		case msg != outline[i]:
			return editText(messages, i, func(text string) string { return prompt.InSystem(text, block) })
		}
	}
	return messages
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
