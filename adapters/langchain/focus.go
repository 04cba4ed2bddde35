package langchain

import (
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// planningKey is the key of the recorder in the context of an agent's Plan, which has updated
// the recorder: text agents send their whole prompt as the user's message.
type planningKey struct{}

// updateInput updates the focus with a chain's input, from which the chain makes a prompt.
func (c conversation) updateInput(text string) {
	c.rec.UpdateFocus(prompt.Message{Role: "user", Content: text})
	c.progress.setInput(text)
}

// lastMessages returns the last message of the model and the last of the user in a prompt that
// have text. It returns none for a prompt that a chain made from an input that the focus has.
func (c conversation) lastMessages(messages []llms.MessageContent) []prompt.Message {
	var last []prompt.Message
	fromInput := false
	for _, role := range [...]llms.ChatMessageType{llms.ChatMessageTypeAI, llms.ChatMessageTypeHuman} {
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role != role {
				continue
			}
			if text := textIn(messages[i].Parts); text != "" {
				last = append(last, prompt.Message{Role: roleOf(role), Content: text})
				fromInput = role == llms.ChatMessageTypeHuman && c.progress.isInput(text)
				break
			}
		}
	}
	if fromInput && len(messages) == 1 {
		return nil
	}
	return last
}
