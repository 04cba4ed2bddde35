package document

import (
	"bytes"
	"encoding"
	"encoding/json"
	"math"
	"reflect"
)

// Read reads a tool result: a Go value, or a text in any format given as a string,
// *string, []byte, json.RawMessage or error. A nil value is empty. If a method of the
// value panics, its output is left out.
func Read(v any, vis Visitor, lim Limits) Result {
	switch v := v.(type) {
	case nil:
		return Result{Format: FormatEmpty}
	case string:
		return ReadText(view(v), vis, lim)
	case *string:
		if v != nil {
			return ReadText(view(*v), vis, lim)
		}
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

// ReadText reads a text in the format that [Sniff] detects, ignoring prose and fences
// around a document.
func ReadText(text []byte, vis Visitor, lim Limits) Result {
	lim = lim.withDefaults()
	found := sniff(text, lim)
	read := found.read(vis, lim)
	read.Inline = found.inline
	return read
}

// read reads the document.
func (f *finding) read(vis Visitor, lim Limits) Result {
	text := f.body
	switch f.format {
	case FormatEmpty:
		return Result{Format: FormatEmpty}
	case FormatJSON:
		return JSON(text, vis, lim)
	case FormatNDJSON:
		return NDJSON(text, vis, lim)
	case FormatPython:
		return Python(text, vis, lim)
	case FormatXML:
		return XML(text, vis, lim)
	case FormatMarkdown:
		return MarkdownTable(text, vis, lim)
	case FormatTable:
		if text[0] == '<' {
			return HTMLTable(text, vis, lim)
		}
		if _, ok := gridFormat(text); ok {
			return MarkdownTable(text, vis, lim)
		}
		if !isColumns(text) {
			return Aligned(text, vis, lim)
		}
		return Columns(text, vis, lim)
	case FormatCSV, FormatTSV:
		return CSV(text, delimiterOf(text), vis, lim)
	case FormatKeyValue:
		return KeyValue(text, vis, lim)
	case FormatYAML:
		return yamlOrLines(text, vis, lim)
	default:
		return Text(text, vis, lim)
	}
}

// Text delivers a text as one string. Tags of HTML are removed.
func Text(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	text = bytes.TrimSpace(e.input(text, math.MaxInt))
	if isHTML(text) {
		text = stripTags(text)
	}
	e.vis.Scalar(String, valid(text))
	return e.result(FormatText)
}

// yamlOrLines reads YAML, to the last line within its bound, or lines if the text is not
// YAML.
func yamlOrLines(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	head := e.input(text, yamlBytes)
	if e.clipped {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	docs, err := parseYAML(head, e.interrupted)
	switch {
	case len(docs) > 0 && isCollection(docs[0]):
		return e.yaml(len(head), docs, err)
	case surveyLines(text).isKeyValue():
		return KeyValue(text, vis, lim)
	default:
		return Text(text, vis, lim)
	}
}
