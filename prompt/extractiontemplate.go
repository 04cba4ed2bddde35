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
	// placeholderNow is replaced by the time of extraction.
	placeholderNow = "{current_datetime}"
	// placeholderKnown is replaced by the memories that are already known.
	placeholderKnown = "{known_memories}"
)

// ErrExtractionTemplate is returned for an extraction template without a required
// placeholder.
var ErrExtractionTemplate = errors.New("prompt: extraction template lacks a placeholder")

// ExtractionTemplate is a prompt for extracting memories from a conversation. It is
// immutable. nil and the zero value are DefaultDiscreteTemplate.
type ExtractionTemplate struct {
	text string
}

// ExtractionData is the data for an ExtractionTemplate.
type ExtractionData struct {
	// Messages are the messages, oldest first, each with its time and author.
	Messages []string
	// Known are the texts of memories that are already known.
	Known []string
	// Now is the time at which memories are extracted.
	Now time.Time
	// MaxTokens is the largest length of the answer.
	MaxTokens int
}

// NewExtractionTemplate returns a template with a text that has the placeholder
// {messages_joined}, or its synonym {message}, at least once. It may have
// {current_datetime}, {known_memories} and {max_tokens}. Everything else is literal,
// including other braces. Errors: ErrExtractionTemplate.
func NewExtractionTemplate(text string) (*ExtractionTemplate, error) {
	if !strings.Contains(text, placeholderMessages) && !strings.Contains(text, placeholderMessage) {
		return nil, fmt.Errorf("%w: %s", ErrExtractionTemplate, placeholderMessages)
	}
	return &ExtractionTemplate{text: text}, nil
}

// Format returns the prompt. Each message and each known memory is written as a JSON
// string on a line of its own, so that none can imitate another, or a part of the
// template. A placeholder in one of them is not replaced.
func (t *ExtractionTemplate) Format(e ExtractionData) string {
	text := DefaultDiscreteTemplate
	if t != nil && t.text != "" {
		text = t.text
	}
	messages := quotedLines(e.Messages)
	// A Replacer never replaces within a replacement.
	return strings.NewReplacer(
		placeholderMessages, messages,
		placeholderMessage, messages,
		placeholderKnown, quotedLines(e.Known),
		placeholderNow, e.Now.UTC().Format(DateLayout),
		placeholderLimit, strconv.Itoa(e.MaxTokens),
	).Replace(text)
}

// DateLayout is the layout of times in an extraction prompt. It has the day of the week,
// which is needed to resolve "next Friday".
const DateLayout = "Monday, 2006-01-02T15:04:05Z07:00"

func quotedLines(texts []string) string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = quoted(text)
	}
	return strings.Join(lines, "\n")
}
