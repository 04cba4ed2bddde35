package extractor

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// bodyOf returns a result without the head of an answer over HTTP that succeeded: HTTP/1.1 204 No
// Content.
func bodyOf(result any) any {
	text, _ := result.(string)
	version, rest, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(version, "HTTP/") || !strings.HasPrefix(rest, "2") {
		return result
	}
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	status, headers, _ := strings.Cut(head, "\n")
	if len(status) > maxStatusLine {
		return result
	}
	for line := range strings.Lines(headers) {
		if name, _, isHeader := strings.Cut(line, ":"); !isHeader || strings.ContainsAny(name, " \t") {
			return result
		}
	}
	return body
}

// maxStatusLine is the length of the longest first line of an answer over HTTP.
const maxStatusLine = 64

// maxWrapperHead is how far into an object its first value begins, if that is all of it.
const maxWrapperHead = 64

// unwrapped returns the text of a result that is an object with nothing but one text,
// {"content": "[FILE] a.txt\n[DIR] docs"}. It returns other results as they are, but several texts as
// items of content of the Model Context Protocol.
func unwrapped(result any) any {
	var fields map[string]any
	switch r := result.(type) {
	case []string:
		return contentOf(r)
	case json.RawMessage:
		return unwrapped([]byte(r))
	case map[string]any:
		fields = r
	default:
		_, head, _ := bytes.Cut(reading.HeadOf(result, maxWrapperHead), []byte(`"`))
		name, value, _ := bytes.Cut(head, []byte(`"`))
		if !isWrapper(string(name)) || !bytes.HasPrefix(bytes.TrimLeft(value, ": \t\r\n"), []byte(`"`)) {
			return result
		}
		_ = json.Unmarshal(reading.HeadOf(result, math.MaxInt), &fields) // else there is no field
	}
	for name, value := range fields {
		if text, ok := value.(string); ok && len(fields) == 1 && isWrapper(name) && !strings.Contains(text, reading.BlockTitle) {
			return text
		}
	}
	return result
}

// isWrapper reports whether a field may hold a whole result as a text.
func isWrapper(name string) bool {
	return strings.EqualFold(name, "content") || vocabulary.TransportKeys.Has(strings.ToLower(name))
}

// contentOf returns texts as the content of a result; other lists of strings, without a space in them,
// may be lists of identifiers.
func contentOf(texts []string) any {
	if !slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsAny(text, " \n{") }) {
		return texts
	}
	items := make([]map[string]string, len(texts))
	for i, text := range texts {
		items[i] = map[string]string{"type": "text", "text": text}
	}
	return map[string]any{"content": items}
}
