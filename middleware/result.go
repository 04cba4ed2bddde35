package middleware

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxErrorBytes limits the text of the error of a failed call.
const maxErrorBytes = 1 << 10

// ResultOf returns the ToolCall.Result of a tool that returned data, texts or both, as in MCP and
// in other protocols whose results consist of parts: the data, or else the text or texts, or
// nil if there is nothing. Pass parts that are not text, such as images, as nothing.
//
// If data was decoded from JSON with floating point numbers that may have lost digits, and a
// single text is the same JSON, the text is returned.
func ResultOf(data any, texts ...string) any {
	switch {
	case data != nil && len(texts) == 1 && isRounded(data, 0) && isJSONOf(texts[0], data):
		return texts[0]
	case data != nil:
		return data
	case len(texts) == 0:
		return nil
	case len(texts) == 1:
		return texts[0]
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

// isJSONOf reports whether text is the JSON encoding of value.
func isJSONOf(text string, value any) bool {
	var other any
	if json.Unmarshal([]byte(text), &other) != nil {
		return false
	}
	a, errA := json.Marshal(value)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
