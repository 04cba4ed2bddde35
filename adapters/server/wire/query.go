package wire

import (
	"fmt"
	"net/url"
	"unicode/utf8"
)

// Query reads the parameters of a URL and collects their mistakes. If a parameter is given more
// than once, the last value counts, except for All. A Query is not safe for concurrent use.
type Query struct {
	values url.Values
	found  []FieldError
}

// maxTextBytes is the maximum length of a text, which is that of an id.
const maxTextBytes = 1 << 10

// NewQuery returns a Query of values.
func NewQuery(values url.Values) *Query { return &Query{values: values} }

func (q *Query) last(name string) (string, bool) {
	values := q.values[name]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// String returns a text, or "" if it is missing or invalid.
func (q *Query) String(name string) string {
	if text := q.OptString(name); text != nil {
		return *text
	}
	return ""
}

// OptString returns a text, which may be empty, or nil if it is missing or invalid. Texts are
// UTF-8 and have at most 1 KiB.
func (q *Query) OptString(name string) *string {
	text, ok := q.last(name)
	switch {
	case !ok:
		return nil
	case !utf8.ValidString(text):
		q.recordMistake(notUnicode(), "", name)
		return nil
	case len(text) > maxTextBytes:
		q.recordMistake(&wrong{"string_too_long", fmt.Sprintf("String should have at most %d bytes", maxTextBytes)}, text, name)
		return nil
	}
	return &text
}

// Int returns an integer from least to most, or def if it is missing or invalid.
func (q *Query) Int(name string, def, least, most int64) int64 {
	if n := q.OptInt(name, least, most); n != nil {
		return *n
	}
	return def
}

// OptInt returns an integer from least to most, or nil if it is missing or invalid.
func (q *Query) OptInt(name string, least, most int64) *int64 {
	text, ok := q.last(name)
	if !ok {
		return nil
	}
	var n Int
	if err := n.parse(text, &wrong{"int_parsing", "Input should be a valid integer, unable to parse string as an integer"}); err != nil {
		q.recordMistake(err, text, name)
		return nil
	}
	if w := within(int64(n), least, most); w != nil {
		q.recordMistake(w, text, name)
		return nil
	}
	return (*int64)(&n)
}

// within checks that a number is from least to most.
func within(n, least, most int64) *wrong {
	switch {
	case n < least:
		return &wrong{"greater_than_equal", fmt.Sprintf("Input should be greater than or equal to %d", least)}
	case n > most:
		return &wrong{"less_than_equal", fmt.Sprintf("Input should be less than or equal to %d", most)}
	default:
		return nil
	}
}

// Bool returns a boolean, or def if it is missing or invalid.
func (q *Query) Bool(name string, def bool) bool {
	text, ok := q.last(name)
	if !ok {
		return def
	}
	var b Bool
	if err := b.parse(text); err != nil {
		q.recordMistake(err, text, name)
		return def
	}
	return bool(b)
}

// All returns all values of a parameter.
func (q *Query) All(name string) []string { return q.values[name] }

func (q *Query) recordMistake(err error, input, name string) {
	if w, ok := err.(*wrong); ok && len(q.found) < MaxErrors {
		q.found = append(q.found, Field(w.kind, w.msg, input, "query", name))
	}
}

// Err returns an *Invalid with the mistakes of all parameters read so far, or nil.
func (q *Query) Err() error {
	if len(q.found) == 0 {
		return nil
	}
	return &Invalid{Fields: q.found}
}
