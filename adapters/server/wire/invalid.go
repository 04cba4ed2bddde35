package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Invalid says that a request is not as it should be, and where.
type Invalid struct {
	// Fields has at least one, and at most MaxErrors.
	Fields []FieldError
}

// MaxErrors is how many mistakes of a request are told.
const MaxErrors = 100

// maxInput is how many bytes of what was sent are sent back.
const maxInput = 200

// Error implements error. It has nothing of what was sent but the names of fields.
func (e *Invalid) Error() string {
	if len(e.Fields) == 0 {
		return "wire: invalid"
	}
	first := e.Fields[0]
	text := fmt.Sprintf("wire: %s: %s", place(first.Loc), first.Msg)
	if more := len(e.Fields) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func place(loc []any) string {
	parts := make([]string, len(loc))
	for i, part := range loc {
		parts[i] = fmt.Sprint(part)
	}
	return strings.Join(parts, ".")
}

// Field makes a FieldError. A text of the input is cut to 200 bytes; loc begins with body,
// query, path or header.
func Field(kind, msg string, input any, loc ...any) FieldError {
	if text, ok := input.(string); ok {
		input = short(text)
	}
	return FieldError{Type: kind, Loc: loc, Msg: msg, Input: input}
}

// short cuts a text between two characters.
func short(text string) string {
	if len(text) <= maxInput {
		return text
	}
	cut := maxInput
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// wrong is a value that cannot be read: a FieldError whose place is not known yet.
type wrong struct{ kind, msg string }

func (w *wrong) Error() string { return w.msg }

// valueError is a mistake in what a value says, as pydantic names it.
func valueError(msg string, input any, loc ...any) FieldError {
	return Field("value_error", "Value error, "+msg, input, loc...)
}
