package tiktoken

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	bpe "github.com/pkoukk/tiktoken-go"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Counter counts the tokens of one encoding. It is safe for concurrent use.
// Create one with New or ForModel; the zero value is not usable.
type Counter struct {
	encoding string
	load     func() (*bpe.Tiktoken, error)
}

var _ prompt.TokenCounter = (*Counter)(nil)

// UnknownError is returned for an encoding or a model that the package does not know.
type UnknownError struct {
	// What is "encoding" or "model".
	What string
	// Name is the unknown name.
	Name string
	// Known lists the known names; for models, their prefixes.
	Known []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("tiktoken: unknown %s %q; known: %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// New returns a counter for an encoding: o200k_base, cl100k_base, p50k_base or
// r50k_base. Any other name returns an *UnknownError.
func New(encoding string) (*Counter, error) {
	known := make([]string, len(encodings))
	for i, e := range encodings {
		if e.name == encoding {
			return &Counter{encoding: encoding, load: sync.OnceValues(e.load)}, nil
		}
		known[i] = e.name
	}
	return nil, &UnknownError{What: "encoding", Name: encoding, Known: known}
}

// ForModel returns a counter for the encoding of an OpenAI model, given by its
// name, such as gpt-4o, gpt-4o-mini-2024-07-18 or o3-mini. An unknown name
// returns an *UnknownError.
func ForModel(model string) (*Counter, error) {
	if encoding := encodingOf(model); encoding != "" {
		return New(encoding)
	}
	known := make([]string, len(models))
	for i, m := range models {
		known[i] = m.prefix
	}
	return nil, &UnknownError{What: "model", Name: model, Known: known}
}

// Encoding returns the name of the encoding.
func (c *Counter) Encoding() string { return c.encoding }

// Load loads the encoding, which otherwise happens at the first count. It returns
// an error only if the embedded encoding is damaged.
func (c *Counter) Load() error {
	_, err := c.load()
	return err
}

// CountTokens returns the number of tokens in a text. Special tokens such as
// <|endoftext|> count as ordinary text.
//
// The time is linear in the length of the text: texts longer than 32 KB, and runs
// of more than 512 bytes without a break, are counted in parts. For these the
// count may be off by 3 in 10,000; for all others it is exact. If Load fails, the
// count is that of prompt.Estimator.
func (c *Counter) CountTokens(text string) int {
	enc, err := c.load()
	if err != nil {
		return prompt.Estimator{}.CountTokens(text)
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // as the encoder does, so that sizes agree
	}
	n := 0
	for text != "" {
		part, long := cutPart(text)
		if long {
			count, size := countStart(enc, part)
			n += count
			text = text[size:]
			continue
		}
		n += len(enc.EncodeOrdinary(part))
		text = text[len(part):]
	}
	return n
}
