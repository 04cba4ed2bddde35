package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Invalid is the error of a request with invalid values.
type Invalid struct {
	// Fields has 1 to MaxErrors mistakes.
	Fields []FieldError
}

// MaxErrors is the maximum number of mistakes reported for a request.
const MaxErrors = 100

// maxInput is the maximum number of bytes of a value that a mistake repeats.
const maxInput = 200

// Error implements error. Of the request, the text has only the names of fields.
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

// Field returns a FieldError. If input is a string, it is cut to 200 bytes. loc begins with
// body, query, path or header.
func Field(kind, msg string, input any, loc ...any) FieldError {
	if text, ok := input.(string); ok {
		input = short(text)
	}
	return FieldError{Type: kind, Loc: loc, Msg: msg, Input: input}
}

// short cuts a text to maxInput bytes without splitting a character.
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

// wrong is a FieldError whose place is not known yet.
type wrong struct{ kind, msg string }

func (w *wrong) Error() string { return w.msg }

// valueError returns a FieldError that pydantic calls a value_error.
func valueError(msg string, input any, loc ...any) FieldError {
	return Field("value_error", "Value error, "+msg, input, loc...)
}
