package wire

import (
	"fmt"
	"net/url"
	"unicode/utf8"
)

// Query reads the parameters of a URL and notes what is wrong with them. Those that nobody
// asks for are passed over; of one that is given more than once the last counts, but for
// All. It is not safe for concurrent use.
type Query struct {
	values url.Values
	found  []FieldError
}

// maxTextBytes is how long a text may be: as long as an id.
const maxTextBytes = 1 << 10

// NewQuery reads values.
func NewQuery(values url.Values) *Query { return &Query{values: values} }

func (q *Query) last(name string) (string, bool) {
	values := q.values[name]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// String returns a text, empty where it is not given or wrong.
func (q *Query) String(name string) string {
	if text := q.OptString(name); text != nil {
		return *text
	}
	return ""
}

// OptString returns a text, nil where it is not given, is no UTF-8, or has more than
// 1 KiB. One that is given may be empty.
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

// Int returns an integer from least to most, def where it is not given or wrong.
func (q *Query) Int(name string, def, least, most int64) int64 {
	if n := q.OptInt(name, least, most); n != nil {
		return *n
	}
	return def
}

// OptInt returns an integer from least to most, nil where it is not given or wrong.
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

// within says that a number is not from least to most.
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

// Bool returns a boolean, def where it is not given or wrong.
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

// Err returns an *Invalid if something was wrong.
func (q *Query) Err() error {
	if len(q.found) == 0 {
		return nil
	}
	return &Invalid{Fields: q.found}
}
