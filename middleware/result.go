package middleware

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxErrorBytes limits the text of the error of a failed call.
const maxErrorBytes = 1 << 10

// ResultOf returns the ToolCall.Result of a tool that returned data, texts or both, as in MCP and
// in other protocols whose results consist of parts; nil if there is nothing. Pass parts that are
// neither, such as images, as nothing, and those of MCP as PartTexts returns them.
//
// Data that only repeats texts is left out, as {"content": "[FILE] a.txt"} beside that text, and so
// are texts that only repeat data. What remains of both is one result of MCP. If data was decoded
// from JSON with floating point numbers that may have lost digits, and a text is the same JSON, the
// text is returned.
func ResultOf(data any, texts ...string) any {
	switch {
	case data == nil && len(texts) == 0:
		return nil
	case data == nil && len(texts) == 1:
		return texts[0]
	case data == nil:
		return texts
	case len(texts) == 0:
		return data
	}
	text, err := json.Marshal(data)
	switch given := canonicalJSON(text); {
	case err != nil || given == nil:
		return data
	case len(texts) == 1 && bytes.Equal(given, canonicalJSON([]byte(texts[0]))):
		if isRounded(data, 0) {
			return texts[0]
		}
		return data
	}
	return together(text, data, texts)
}

// together returns the result of a tool whose data and texts are not the same JSON.
func together(text json.RawMessage, data any, texts []string) any {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) == nil {
		all := len(fields)
		repeated := map[string]bool{strings.Join(texts, "\n"): true}
		for _, text := range texts {
			repeated[text] = true
		}
		for name, value := range fields {
			switch wrapped, isText := unquoted(value); {
			case isText && repeated[wrapped]:
				delete(fields, name)
			case all == 1 && isListOf(value, texts): // {"result": ["a", "b"]}
				return data
			}
		}
		if len(fields) == 0 {
			return ResultOf(nil, texts...)
		}
		if len(fields) < all {
			data = fields
		}
	}
	parts := make([]any, len(texts))
	for i, text := range texts {
		parts[i] = map[string]any{"type": "text", "text": text}
	}
	return map[string]any{"content": parts, "structuredContent": data}
}

// unquoted returns the value of a JSON string, or false for anything else.
func unquoted(value json.RawMessage) (text string, ok bool) {
	return text, len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil
}

// isListOf reports whether value is a list of which each text has one item.
func isListOf(value json.RawMessage, texts []string) bool {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || len(items) != len(texts) {
		return false
	}
	for i, item := range items {
		if text, isText := unquoted(item); isText && text == texts[i] {
			continue
		}
		if !bytes.Equal(canonicalJSON(item), canonicalJSON([]byte(texts[i]))) {
			return false
		}
	}
	return true
}

// link is a resource of MCP, and the text of one that is embedded.
type link struct {
	URI         string `json:"uri"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType"`
	Text        string `json:"text,omitempty"`
}

// PartTexts returns the texts for ResultOf of a part of an MCP result, given as JSON: a text, what a
// link says of a resource, as JSON, or that and the text of an embedded resource. Of an image, a
// sound, or what is no part of MCP it returns nothing.
func PartTexts(part []byte) []string {
	var p struct {
		Type string `json:"type"`
		link
		Resource link `json:"resource"`
	}
	if json.Unmarshal(part, &p) != nil {
		return nil
	}
	texts := []string(nil)
	switch p.Type {
	case "text":
		return []string{p.Text}
	case "resource_link":
		p.Resource, p.Resource.Text = p.link, ""
	case "resource":
		if p.Resource.Text != "" {
			texts = []string{p.Resource.Text}
		}
	}
	if p.Resource.Text = ""; p.Resource.URI != "" {
		p.Resource.MIMEType = cmp.Or(p.Resource.MIMEType, "application/octet-stream")
		text, _ := json.Marshal(p.Resource)
		texts = append([]string{string(text)}, texts...)
	}
	return texts
}

// FailureOf returns the ToolCall.Err of a tool that reports its failure as a result. The error has
// at most 1 KiB of the texts, joined by line breaks.
func FailureOf(texts ...string) error {
	text := strings.Join(texts, "\n")
	if len(text) > maxErrorBytes {
		text = text[:maxErrorBytes]
		for !utf8.ValidString(text) && len(text) > maxErrorBytes-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	if text == "" {
		text = "tool failed"
	}
	return errors.New(text)
}

// maxExact is the smallest integer from which not every integer is exact in floating point.
const maxExact = 1 << 53

// maxDepth is the depth that encoding/json reads. Only a cyclic value is deeper.
const maxDepth = 10_000

// isRounded reports whether a value contains numbers that may have lost digits.
func isRounded(value any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := value.(type) {
	case float64:
		return v >= maxExact || v <= -maxExact
	case []any:
		for _, e := range v {
			if isRounded(e, depth+1) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if isRounded(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// canonicalJSON returns JSON in its canonical form, in which equal values have equal bytes, or nil.
func canonicalJSON(text []byte) []byte {
	value := jsontext.Value(bytes.Clone(text))
	if value.Canonicalize() != nil {
		return nil
	}
	return value
}
