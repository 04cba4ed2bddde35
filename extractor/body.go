package extractor

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
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

// wrapping is a document.Visitor that reads an object with one field, a text:
// {"content": "[FILE] a.txt\n[DIR] docs"}.
type wrapping struct {
	keys          *naming.Cache
	key           *naming.Key
	text          string
	depth, fields int
}

func (w *wrapping) Key(name []byte) document.Decision {
	w.key = w.keys.Key(name)
	if w.fields++; w.fields > 1 {
		return document.Stop
	}
	return document.Take
}

func (w *wrapping) Item() document.Decision { return document.Stop }
func (w *wrapping) Object()                 { w.depth++ }
func (w *wrapping) Array()                  { w.fields = 2 }
func (w *wrapping) End()                    {}

func (w *wrapping) Scalar(kind document.Kind, text []byte) {
	if kind == document.String && w.depth == 1 {
		w.text = string(text)
	}
}

// unwrapped returns the text of a result that is an object with nothing but one text. It returns
// other results as they are, but several texts as items of content of the Model Context Protocol.
func (e *extraction) unwrapped(result any) any {
	if texts, ok := result.([]string); ok {
		return contentOf(texts)
	}
	w := wrapping{keys: e.keys}
	if text, ok := result.(string); ok && !strings.HasPrefix(strings.TrimLeft(text, " \r\n"), "{") {
		return result
	}
	read := document.Read(result, &w, e.x.limits.document())
	if w.fields != 1 || read.Err != nil || read.Inline || w.key.Class != naming.ClassPlain || strings.Contains(w.text, reading.BlockTitle) || verdictOf(w.key, false) != unknown ||
		w.key.Snake != "content" && !vocabulary.TransportKeys.Has(w.key.Snake) {
		return result
	}
	return w.text
}

// contentOf returns texts as the content of a result; other lists of strings, without a space in them,
// may be lists of identifiers.
func contentOf(texts []string) any {
	if !slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsAny(text, " \n{") }) {
		return texts
	}
	type item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	items := make([]item, len(texts))
	for i, text := range texts {
		items[i] = item{"text", text}
	}
	return map[string]any{"content": items}
}
