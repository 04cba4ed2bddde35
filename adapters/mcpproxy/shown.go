package mcpproxy

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// shown returns the answer to a recorded call as the client is to see it: with handles in place of
// ids, or with a description of a stored result in place of its texts and its structured content.
// Other contents and members stay as they are.
func shown(m *message, running *middleware.RunningCall) []byte {
	found, list, ok := contentOf(m)
	if !ok {
		return m.text
	}
	var edits []edit
	if stub, stored := running.Stub(); stored {
		contents := [][]byte{textContent(stub)}
		for _, c := range list {
			if !textOf(m.text, c).isPresent() {
				contents = append(contents, c.of(m.text))
			}
		}
		all := append([]byte{'['}, joined(contents)...)
		edits = append(edits, edit{found.content, append(all, ']')})
		if found.structured.isPresent() {
			edits = append(edits, removed(m.text, m.result, found.structured))
		}
		return apply(m.text, edits)
	}
	for _, c := range list {
		at := textOf(m.text, c)
		if text, ok := stringOf(m.text, at); ok {
			if with, _ := running.Shown(text).(string); with != text {
				edits = append(edits, edit{at, quoted(with)})
			}
		}
	}
	if given := json.RawMessage(found.structured.of(m.text)); len(given) > 0 {
		if with, ok := running.Shown(given).(json.RawMessage); ok && !bytes.Equal(with, given) {
			edits = append(edits, edit{found.structured, with})
		}
	}
	return apply(m.text, edits)
}

// resultParts are the parts of a tool's result that are changed.
type resultParts struct{ content, structured span }

// contentOf returns the parts of a tool's result and its contents, or false for an error.
func contentOf(m *message) (found resultParts, list []span, ok bool) {
	parts, _ := members(m.text, m.result, "content", "structuredContent")
	found = resultParts{parts[0], parts[1]}
	list, ok = elements(m.text, found.content)
	return found, list, ok
}

// textOf returns the string with the text of a content, of an embedded resource too, if it has one.
func textOf(text []byte, content span) span {
	found, _ := members(text, content, "type", "text", "resource")
	switch kind, _ := stringOf(text, found[0]); {
	case kind == "text":
		return found[1]
	case kind == "resource":
		of, _ := members(text, found[2], "text")
		return of[0]
	}
	return span{}
}

// withBlock returns an answer to a recorded call with the block among its contents.
func (r *relay) withBlock(ctx context.Context, text []byte) []byte {
	m, _ := parse(text)
	found, _, ok := contentOf(&m)
	if r.opts.ResultBlock == BlockNowhere || !ok {
		return text
	}
	block := r.recorder.Prepare(ctx)
	if block == "" {
		return text
	}
	add := appended
	if r.opts.ResultBlock == BlockBefore {
		add = prepended
	}
	return apply(text, []edit{add(text, found.content, textContent(prompt.WithGuidance(block)))})
}

// textContent returns the content of a text.
func textContent(text string) []byte {
	return append(append([]byte(`{"type":"text","text":`), quoted(text)...), '}')
}
