// Package scripted provides a language model for tests, with answers that the tests define.
package scripted

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
)

// Model answers with the results of a function and records its prompts. It is safe for
// concurrent use.
type Model struct {
	Answer func(call int, prompt string) (string, error)

	mu      sync.Mutex
	Prompts []string
}

// Generate implements longterm.LanguageModel.
func (s *Model) Generate(_ context.Context, prompt string, _ int) (string, error) {
	s.mu.Lock()
	s.Prompts = append(s.Prompts, prompt)
	call := len(s.Prompts)
	s.mu.Unlock()
	return s.Answer(call, prompt)
}

// Answers returns a model that gives the answers in order and then repeats the last one.
func Answers(texts ...string) *Model {
	return &Model{Answer: func(call int, _ string) (string, error) { return texts[min(call, len(texts))-1], nil }}
}

// EchoMessages answers with a memory of each message in the prompt.
func EchoMessages(_ int, asked string) (string, error) {
	_, messages, _ := strings.Cut(asked, "Messages:\n")
	var memories []map[string]string
	for text := range strings.SplitSeq(messages, "\n") {
		var said string
		if json.Unmarshal([]byte(text), &said) == nil {
			if _, after, ok := strings.Cut(said, "user: "); ok {
				said = after
			}
			memories = append(memories, map[string]string{"text": "heard " + said})
		}
	}
	answer, err := json.Marshal(map[string]any{"memories": memories})
	return string(answer), err
}
