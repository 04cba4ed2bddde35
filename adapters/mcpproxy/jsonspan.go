package mcpproxy

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// span is a part of a JSON text, by its offsets in bytes. The zero span is an absent part.
type span struct{ from, to int }

func (s span) isPresent() bool { return s.to > 0 }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

// whole is the span of a whole text.
func whole(text []byte) span { return span{0, len(text)} }

// members returns the values of an object's members, in the order of names. Of a name that occurs
// twice the last value counts, as in most parsers. It returns false for anything but an object.
func members(text []byte, object span, names ...string) ([]span, bool) {
	values := make([]span, len(names))
	ok := visit(text, object, '{', func(name string, value span) {
		if i := slices.Index(names, name); i >= 0 {
			values[i] = value
		}
	})
	return values, ok
}

// elements returns the elements of an array, or false for anything else.
func elements(text []byte, array span) (all []span, ok bool) {
	ok = visit(text, array, '[', func(_ string, element span) { all = append(all, element) })
	return all, ok
}

// lenient accepts what JavaScript's parser accepts.
var lenient = jsontext.AllowDuplicateNames(true)

// visit calls f for each member or element of a value, and reports whether the span is a value of
// the kind and nothing else.
func visit(text []byte, at span, kind jsontext.Kind, f func(name string, value span)) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(at.of(text)), lenient, jsontext.AllowInvalidUTF8(true))
	if begin, err := dec.ReadToken(); err != nil || begin.Kind() != kind {
		return false
	}
	for k := dec.PeekKind(); k != '}' && k != ']'; k = dec.PeekKind() {
		name := ""
		if kind == '{' {
			token, err := dec.ReadToken()
			if err != nil {
				return false
			}
			name = token.String()
		}
		value, err := dec.ReadValue()
		if err != nil {
			return false
		}
		end := at.from + int(dec.InputOffset())
		f(name, span{end - len(value), end})
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	_, err := dec.ReadToken()
	return errors.Is(err, io.EOF)
}

// stringOf returns the value of a JSON string, or false for anything else.
func stringOf(text []byte, at span) (string, bool) {
	raw := at.of(text)
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	value, err := jsontext.AppendUnquote(nil, raw)
	return string(value), err == nil
}

// quoted returns a JSON string. Invalid UTF-8 is replaced.
func quoted(value string) []byte {
	raw, _ := jsontext.AppendQuote(nil, value) // the error reports invalid UTF-8
	return raw
}

// edit replaces a part of a text.
type edit struct {
	at   span
	with []byte
}

// apply returns a text with edits, which do not overlap. The text is not modified.
func apply(text []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at.from - b.at.from })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.at.from]...), e.with...)
		done = e.at.to
	}
	return append(out, text[done:]...)
}

// appended returns the edit that adds a part at the end of an object or array.
func appended(text []byte, container span, part []byte) edit {
	at := container.to - 1
	if !isEmpty(text, container) {
		part = append([]byte{','}, part...)
	}
	return edit{span{at, at}, part}
}

// prepended returns the edit that adds a part at the beginning of an object or array.
func prepended(text []byte, container span, part []byte) edit {
	at := container.from + 1
	if !isEmpty(text, container) {
		part = append(slices.Clip(part), ',')
	}
	return edit{span{at, at}, part}
}

// joined joins parts of an object or array.
func joined(parts [][]byte) []byte { return bytes.Join(parts, []byte{','}) }

func isEmpty(text []byte, container span) bool {
	return len(bytes.TrimSpace(text[container.from+1:container.to-1])) == 0
}

// removed returns the edit that removes a member of an object, given its value.
func removed(text []byte, object, value span) edit {
	name := bytes.LastIndexByte(text[object.from:value.from], ':') + object.from
	open := openingQuote(text[object.from:name]) + object.from
	if rest := bytes.TrimLeft(text[value.to:object.to], " \t\r\n"); rest[0] == ',' {
		return edit{at: span{open, object.to - len(rest) + 1}}
	}
	if before := bytes.TrimRight(text[object.from:open], " \t\r\n"); before[len(before)-1] == ',' {
		open = object.from + len(before) - 1
	}
	return edit{at: span{open, value.to}}
}

// openingQuote returns the offset of the string at the end of a text.
func openingQuote(text []byte) int {
	end := bytes.LastIndexByte(text, '"')
	for i := end - 1; i >= 0; i-- {
		if text[i] != '"' {
			continue
		}
		escapes := len(text[:i]) - len(bytes.TrimRight(text[:i], `\`))
		if escapes%2 == 0 {
			return i
		}
	}
	return 0
}
