package langchain

import (
	"hash/maphash"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// updateFocus lets the recorder hear a message, unless it has just heard it: prompts
// repeat the whole conversation.
func (s conversation) updateFocus(m prompt.Message) {
	if m.Content = prompt.Remove(m.Content); m.Content == "" {
		return
	}
	l := s.ledger
	said := maphash.Comparable(l.seed, m)
	l.mu.Lock()
	defer l.mu.Unlock() // also while the recorder hears it, so that both go by the same message
	if l.heard[m.Role] == said {
		return
	}
	if l.heard == nil {
		l.heard = make(map[string]uint64)
	}
	l.heard[m.Role] = said
	if m.Role == "user" {
		l.input = ""
	}
	s.rec.UpdateFocus(m)
}

// hearInput lets the recorder hear a chain's input, of which the chain makes a prompt.
func (s conversation) hearInput(text string) {
	s.updateFocus(prompt.Message{Role: "user", Content: text})
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	s.ledger.input = text
}

// news are the last messages of a prompt, but not the prompt itself where a chain
// made it of an input that was heard.
func (s conversation) news(messages []llms.MessageContent) []prompt.Message {
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

// planningKey marks the context of a Plan, whose input the recorder has heard:
// what text agents send as the user's message is their whole prompt.
type planningKey struct{}

// promptMessages are the last messages of a prompt that hold text of the user and of the
// model.
func promptMessages(messages []llms.MessageContent) []prompt.Message {
	var last []prompt.Message
	for _, of := range [...]struct {
		chat llms.ChatMessageType
		role string
	}{{llms.ChatMessageTypeAI, "assistant"}, {llms.ChatMessageTypeHuman, "user"}} {
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role != of.chat {
				continue
			}
			if text := textIn(messages[i].Parts); text != "" {
				last = append(last, prompt.Message{Role: of.role, Content: text})
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
