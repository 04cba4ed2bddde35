package document

import (
	"bytes"
	"encoding"
	"encoding/json"
	"math"
	"reflect"
)

// Read reads a tool result: a Go value, or a text in any format given as a string,
// []byte, json.RawMessage or error. A nil value is empty. If a method of the
// value panics, its output is left out.
func Read(v any, vis Visitor, lim Limits) Result {
	switch v := v.(type) {
	case nil:
		return Result{Format: FormatEmpty}
	case []byte:
		return ReadText(v, vis, lim)
	case json.RawMessage:
		return ReadText(v, vis, lim)
	case json.Marshaler, encoding.TextMarshaler:
		return Value(v, vis, lim)
	case error:
		text, _, err := encode(v)
		if err != nil {
			return Result{Format: FormatText, Err: err}
		}
		return ReadText(text, vis, lim)
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.String {
		return ReadText(view(rv.String()), vis, lim)
	}
	return Value(v, vis, lim)
}

// ReadText reads a text in the format that [Sniff] detects. [Parts] yields the documents within a text
// that is not a document as a whole.
func ReadText(text []byte, vis Visitor, lim Limits) Result {
	lim = lim.withDefaults()
	found := sniff(text[:min(len(text)-1, lim.Bytes)+1], lim.Nested)
	if found.format == FormatEmpty {
		return Result{Format: FormatEmpty}
	}
	return found.read(vis, lim)
}

// readers are the readers of the formats that have only one.
var readers = map[Format]func(text []byte, vis Visitor, lim Limits) Result{
	FormatJSON: JSON, FormatNDJSON: NDJSON, FormatPython: Python, FormatXML: XML,
	FormatYAML: yamlOrLines, FormatKeyValue: KeyValue, FormatText: Text,
}

// Text delivers a text as one string. Tags of HTML are removed.
func Text(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	text = bytes.TrimSpace(e.input(text, math.MaxInt))
	if IsHTML(text) {
		text = stripTags(text)
	}
	e.vis.Scalar(String, valid(text))
	return e.result(FormatText)
}
