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
// Make it with New or ForModel; the zero value is not usable.
type Counter struct {
	encoding string
	load     func() (*bpe.Tiktoken, error)
}

var _ prompt.TokenCounter = (*Counter)(nil)

// UnknownError says that there is no encoding, or no model, of a name.
type UnknownError struct {
	// What is "encoding" or "model".
	What string
	// Name is the name that is not known.
	Name string
	// Known are the names that are; of models, their beginnings.
	Known []string
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("tiktoken: unknown %s %q; known: %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// New makes a counter of an encoding: o200k_base, cl100k_base, p50k_base or
// r50k_base. Another name gives an *UnknownError.
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

// ForModel makes a counter of the encoding that a model of OpenAI uses, by its
// name or the beginning of it: gpt-4o, gpt-4o-mini-2024-07-18, o3-mini. Another
// name gives an *UnknownError.
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

// Load loads the encoding, which otherwise happens at the first count. It fails
// only where the program carries a damaged encoding.
func (c *Counter) Load() error {
	_, err := c.load()
	return err
}

// CountTokens returns the number of tokens of a text, 0 for "". Special tokens
// such as <|endoftext|> are counted as the ordinary text they are.
//
// The work grows with the length of the text and nothing else: texts of more
// than 32 KB, and runs of more than 512 bytes without a break, are counted in
// parts. For them the count may be off by 3 in 10,000; for others it is exact.
// Where Load fails, the count is prompt.Estimator's.
func (c *Counter) CountTokens(text string) int {
	enc, err := c.load()
	if err != nil {
		return prompt.Estimator{}.CountTokens(text)
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // as the encoder does it; sizes must agree with its
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
