package handle

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// UnknownError is returned for arguments with a handle that was never given out. The tool must
// not be called.
type UnknownError struct {
	// Handle is the unknown handle.
	Handle string
	// Nearest are known handles that it may have been meant for, at most 5.
	Nearest []string
}

// Error returns a text for the model, which can correct its call.
func (e *UnknownError) Error() string {
	text := "unknown handle " + e.Handle + ": the tool was not called"
	if len(e.Nearest) > 0 {
		text += "; known handles are " + strings.Join(e.Nearest, ", ")
	}
	return text
}

// DecodeArguments returns arguments with ids in place of handles: of each string, or key of an
// object, that is a handle, and unless Options.WholeOnly is set, of those at the boundaries of
// words in a longer one. JSON in a string is read, too. The arguments may be JSON, any other text
// or a Go value, as for EncodeValue. They are not modified.
//
// A whole string in the form of a handle that the table does not know is an error, unless a
// result contained it as a literal, or accept, which may be nil, returns true for it. Errors:
// *UnknownError, and others for a value that is too deep or in which two keys would become one.
func (t *Table) DecodeArguments(arguments any, accept func(literal string) bool) (any, error) {
	if t == nil {
		return arguments, nil
	}
	return transform(arguments, 0, func(text string) (string, error) { return t.decodeArgument(text, accept, 0) })
}

// maxNested is how deep JSON in strings of JSON is read.
const maxNested = 4

// decodeArgument decodes a string, or JSON.
func (t *Table) decodeArgument(text string, accept func(string) bool, nested int) (string, error) {
	if !strings.Contains(text, "#") && !strings.Contains(text, `\u0023`) || len(text) > MaxTextBytes {
		return text, nil
	}
	if nested <= maxNested && isJSON(text) {
		return replaceStrings(text, func(s string) (string, error) { return t.decodeArgument(s, accept, nested+1) })
	}
	if !canReplaceIn(text) {
		return text, nil
	}
	whole := strings.TrimSpace(text)
	if handle, size := foldedHandle(whole); size > 0 && size == len(whole) {
		id, known := t.ID(handle)
		switch {
		case known:
			return strings.Replace(text, whole, id, 1), nil
		case handle == whole && !t.isLiteral(handle) && (accept == nil || !accept(handle)):
			return "", t.Unknown(handle)
		}
		return text, nil
	}
	if t.opts.WholeOnly {
		return text, nil
	}
	return t.Decode(text), nil
}

// isJSON reports whether a text is a JSON object, array or string.
func isJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && strings.IndexByte(`{["`, text[0]) >= 0 && json.Valid([]byte(text))
}

// replaceStrings replaces the strings of a JSON text, and leaves all else as it is.
func replaceStrings(text string, replace func(string) (string, error)) (string, error) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for text[end] != '"' { // the text is valid
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end++
		literal := text[i:end]
		value, err := jsontext.AppendUnquote(nil, literal)
		if err == nil {
			var with string
			if with, err = replace(string(value)); err != nil {
				return "", err
			}
			if with != string(value) {
				quoted, _ := jsontext.AppendQuote(nil, with) // of valid UTF-8
				b.WriteString(text[done:i])
				b.Write(quoted)
				done = end
			}
		}
		i = end - 1
	}
	return b.String() + text[done:], nil
}

// maxNearest is the number of handles that an UnknownError names.
const maxNearest = 5

// Unknown returns the error for a handle that the table does not know.
func (t *Table) Unknown(handle string) *UnknownError {
	return &UnknownError{Handle: handle, Nearest: t.nearest(handle)}
}

// nearest returns the known handles that a handle may have been meant for: the newest of its
// type, and then the newest of all.
func (t *Table) nearest(handle string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	wanted, _ := parse(handle)
	var same, others []string
	for _, e := range slices.Backward(t.known) {
		if n, _ := parse(e.handle); n.typ == wanted.typ {
			same = append(same, e.handle)
		} else {
			others = append(others, e.handle)
		}
		if len(same) == maxNearest {
			break
		}
	}
	all := append(same, others...)
	return all[:min(len(all), maxNearest)]
}
