package document

import (
	"bytes"
	"errors"
	"regexp"
)

// signs are properties of the beginning of a text that begins with a bracket.
type signs struct {
	loose    bool // syntax that JSON does not have
	strict   bool // syntax that only JSON has: a key in double quotes
	wrapped  bool // a line break in a string
	another  bool // a second value after the first
	footnote bool // brackets around less than a document, followed by text: [1] See …
}

// scanBytes is how much of a text [scan] examines.
const scanBytes = 512

// quotedKey matches a key of JSON.
var quotedKey = regexp.MustCompile(`" ?:`)

// scan examines the first bytes of a text.
func scan(text []byte) (s signs) {
	text = text[:min(len(text), scanBytes)]
	end, err := jsonEnd(text)
	s.loose = err != nil && !errors.Is(err, ErrTruncated) || text[0] == '('
	s.wrapped = s.loose && end < len(text) && text[end] < ' '
	s.strict = quotedKey.Match(text[:end])
	if next := bytes.TrimLeft(text[end:], jsonSpace+","); err == nil && len(next) > 0 {
		s.another = next[0] == '{' || next[0] == '['
		s.footnote = !s.another && !bytes.ContainsAny(text[:end], `"{`)
	}
	return s
}
