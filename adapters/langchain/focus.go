package langchain

import (
	"hash/maphash"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// updateFocus passes a message to the recorder's UpdateFocus, unless it is the last one
// of its role that was passed: prompts repeat the whole conversation.
func (s conversation) updateFocus(m prompt.Message) {
	if m.Content = prompt.Remove(m.Content); m.Content == "" {
		return
	}
	l := s.ledger
	digest := maphash.Comparable(l.seed, m)
	l.mu.Lock()
	defer l.mu.Unlock() // during UpdateFocus too, so that ledger and recorder agree
	if l.focused[m.Role] == digest {
		return
	}
	if l.focused == nil {
		l.focused = make(map[string]uint64)
	}
	l.focused[m.Role] = digest
	if m.Role == "user" {
		l.input = ""
	}
	s.rec.UpdateFocus(m)
}

// updateInput updates the focus with a chain's input, from which the chain makes a prompt.
func (s conversation) updateInput(text string) {
	s.updateFocus(prompt.Message{Role: "user", Content: text})
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.input = text
}

// lastMessages returns the last messages of a prompt. It returns none for a prompt that a
// chain made from an input that the focus already has.
func (s conversation) lastMessages(messages []llms.MessageContent) []prompt.Message {
	last := promptMessages(messages)
	if len(messages) != 1 || len(last) != 1 {
		return last
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	if s.ledger.input != "" && strings.Contains(last[0].Content, s.ledger.input) {
		return nil
	}
	return last
}

// planningKey marks the context of a Plan, which has updated the focus: text agents
// send their whole prompt as the user's message.
type planningKey struct{}

// promptMessages returns the last message of the model and the last of the user in a
// prompt that have text.
func promptMessages(messages []llms.MessageContent) []prompt.Message {
	var last []prompt.Message
	for _, sender := range [...]struct {
		chat llms.ChatMessageType
		role string
	}{{llms.ChatMessageTypeAI, "assistant"}, {llms.ChatMessageTypeHuman, "user"}} {
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role != sender.chat {
				continue
			}
			if text := textIn(messages[i].Parts); text != "" {
				last = append(last, prompt.Message{Role: sender.role, Content: text})
				break
			}
		}
	}
	return last
}

func textIn(parts []llms.ContentPart) string {
	var texts []string
	for _, part := range parts {
		if text, ok := textOf(part); ok && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
