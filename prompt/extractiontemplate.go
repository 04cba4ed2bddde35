package prompt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The placeholders of an ExtractionTemplate, beside those of a SummaryTemplate for the
// messages and the limit.
const (
	// placeholderMessage is another name of placeholderMessages.
	placeholderMessage = "{message}"
	// placeholderNow stands for the time at which memories are extracted.
	placeholderNow = "{current_datetime}"
	// placeholderKnown stands for memories that are known already.
	placeholderKnown = "{known_memories}"
)

// ErrExtractionTemplate says that an extraction template lacks a placeholder.
var ErrExtractionTemplate = errors.New("prompt: extraction template lacks a placeholder")

// ExtractionTemplate is the prompt by which a model takes memories from a
// conversation. It is immutable. nil and the zero value are
// DefaultDiscreteTemplate.
type ExtractionTemplate struct {
	text string
}

// ExtractionData is what an ExtractionTemplate is filled with.
type ExtractionData struct {
	// Messages say when each was written, by whom, and what it says, oldest first.
	Messages []string
	// Known are the texts of memories that are known already.
	Known []string
	// Now is the time at which memories are extracted.
	Now time.Time
	// MaxTokens is the largest length of the answer.
	MaxTokens int
}

// NewExtractionTemplate makes a template of a text that has the placeholder
// {messages_joined}, or {message}, which means the same, at least once. It may have
// {current_datetime}, {known_memories} and {max_tokens}. Everything else, other
// braces too, stands for itself. Errors: ErrExtractionTemplate.
func NewExtractionTemplate(text string) (*ExtractionTemplate, error) {
	if !strings.Contains(text, placeholderMessages) && !strings.Contains(text, placeholderMessage) {
		return nil, fmt.Errorf("%w: %s", ErrExtractionTemplate, placeholderMessages)
	}
	return &ExtractionTemplate{text: text}, nil
}

// Format returns the prompt. Each message and each known memory is written as a JSON
// string, one a line: none of them can pass for another, or for a part of the
// template. A placeholder in one of them is data like the rest.
func (t *ExtractionTemplate) Format(e ExtractionData) string {
	text := DefaultDiscreteTemplate
	if t != nil && t.text != "" {
		text = t.text
	}
	messages := quotedLines(e.Messages)
	// A Replacer goes through the template once, and never through what it put in.
	return strings.NewReplacer(
		placeholderMessages, messages,
		placeholderMessage, messages,
		placeholderKnown, quotedLines(e.Known),
		placeholderNow, e.Now.UTC().Format(DateLayout),
		placeholderLimit, strconv.Itoa(e.MaxTokens),
	).Replace(text)
}

// DateLayout is how times stand in an extraction prompt: with the day of the week,
// by which "next Friday" is counted.
const DateLayout = "Monday, 2006-01-02T15:04:05Z07:00"

func quotedLines(texts []string) string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = quoted(text)
	}
	return strings.Join(lines, "\n")
}
