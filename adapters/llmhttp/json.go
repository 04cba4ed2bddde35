package llmhttp

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// splice replaces a part of a text.
type splice struct {
	span
	text []byte
}

// splices are changes of a text that do not overlap.
type splices []splice

func (s *splices) add(at span, text ...[]byte) { *s = append(*s, splice{at, slices.Concat(text...)}) }

// insert inserts text at an offset, behind what was inserted there before.
func (s *splices) insert(offset int, text ...[]byte) { s.add(span{offset, offset}, text...) }

// apply returns the changed text, or nil if there are no changes.
func (s splices) apply(text []byte) []byte {
	if len(s) == 0 {
		return nil
	}
	slices.SortStableFunc(s, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	size := len(text)
	for i, e := range s {
		if i > 0 && e.start < s[i-1].end {
			return nil // two changes of one value, which is none of ours
		}
		size += len(e.text) - (e.end - e.start)
	}
	out, next := make([]byte, 0, size), 0
	for _, e := range s {
		out = append(append(out, text[next:e.start]...), e.text...)
		next = e.end
	}
	return append(out, text[next:]...)
}

// shifted returns a span of a part of a body as a span of the body.
func shifted(s span, by int) span { return span{s.start + by, s.end + by} }

// newDecoder returns a decoder of a text that is not ours.
func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
}

// fields iterates over the names and values of an object, to the first error.
func fields(object []byte) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		dec := newDecoder(object)
		if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
			return
		}
		for dec.PeekKind() != '}' {
			t, err := dec.ReadToken()
			if err != nil {
				return
			}
			name := t.String()
			value, err := skip(dec, 0)
			if err != nil || !yield(name, value) {
				return
			}
		}
	}
}

// object returns the values of an object's fields, the last of each name.
func object(raw []byte) map[string]span {
	all := make(map[string]span)
	for name, value := range fields(raw) {
		all[name] = value
	}
	return all
}

// within returns the fields of an object in a text, as spans of the text. An object that is not
// there has none.
func within(text []byte, at span) map[string]span {
	all := object(at.of(text))
	for name, value := range all {
		all[name] = shifted(value, at.start)
	}
	return all
}

// elementsIn returns the elements of a list in a text, as spans of the text. A list that is not
// there has none.
func elementsIn(text []byte, list span) []span {
	all := elements(list.of(text))
	for i := range all {
		all[i] = shifted(all[i], list.start)
	}
	return all
}

// isString reports whether a value in a text is a JSON string.
func isString(text []byte, at span) bool { return at.start < at.end && text[at.start] == '"' }

// present returns a value that may be missing or null, as a missing one.
func present(text []byte, at span) span {
	if string(at.of(text)) == "null" {
		return span{}
	}
	return at
}

// lookup returns the value of the first of an object's fields that has one of the names.
func lookup(object []byte, names ...string) (span, bool) {
	for name, value := range fields(object) {
		if slices.Contains(names, name) {
			return value, true
		}
	}
	return span{}, false
}

// markers are the names of fields that mark what a provider caches. They move as a conversation
// grows.
var markers = []string{"cache_control", "prompt_cache_breakpoint"}

// withoutMarkers returns a message without markers, in whichever part.
func withoutMarkers(message []byte) []byte {
	if !slices.ContainsFunc(markers, func(name string) bool { return bytes.Contains(message, []byte(name)) }) {
		return message
	}
	var s splices
	dec := newDecoder(message)
	for {
		before := int(dec.InputOffset()) // of a comma
		t, err := dec.ReadToken()
		if err != nil {
			break
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind != '{' || n%2 == 0 || t.Kind() != '"' || !slices.Contains(markers, t.String()) {
			continue
		}
		if dec.SkipValue() != nil {
			break
		}
		end := int(dec.InputOffset())
		if n == 1 { // the first field: the comma follows
			rest := bytes.TrimPrefix(bytes.TrimLeft(message[end:], " \t\r\n"), []byte(","))
			end = len(message) - len(rest)
		}
		s.add(span{before, end})
	}
	if cut := s.apply(message); cut != nil {
		return cut
	}
	return message
}

// elements returns the elements of a list.
func elements(list []byte) (all []span) {
	dec := newDecoder(list)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return nil
	}
	for dec.PeekKind() != ']' {
		value, err := skip(dec, 0)
		if err != nil {
			return nil
		}
		all = append(all, value)
	}
	return all
}

// quote returns a text as JSON. Bytes that are not valid UTF-8 become U+FFFD.
func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return quoted
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) (text string, err error) {
	err = json.Unmarshal(raw, &text, lenient)
	return text, err
}

// fieldOf returns a field with a JSON value and a comma, or "" if the value is empty.
func fieldOf(name, value string) string {
	if value == "" {
		return ""
	}
	return `"` + name + `":` + value + ","
}

// textPart returns a part with a text, as OpenAI and Anthropic have it.
func textPart(text string) []byte { return partOf(quote(text)) }

// partOf returns a part with a text that is JSON.
func partOf(quoted []byte) []byte {
	return slices.Concat([]byte(`{"type":"text","text":`), quoted, []byte("}"))
}
