package document

import (
	"bytes"
	"errors"
)

// maxStarts is the number of positions in a text that are tried as the start of a
// document.
const maxStarts = 8

// fenced finds a document in a Markdown fence.
func fenced(text []byte, nested int) (finding, bool) {
	fence := []byte("```")
	if nested <= 0 || !bytes.Contains(text, fence) {
		return finding{}, false
	}
	start, end, tried := -1, 0, 0
	for line := range bytes.Lines(text) {
		at := end
		end += len(line)
		isFence := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), fence)
		if !isFence && end == len(text) { // cut off
			at = end
		}
		switch {
		case start < 0 && isFence && tried < maxStarts:
			start = end
		case start >= 0 && (isFence || at == end):
			if f := sniff(text[start:at], nested-1); f.format != FormatText && f.format != FormatEmpty {
				return f, true
			}
			start, tried = -1, tried+1
		}
	}
	return finding{}, false
}

// embedded finds JSON or a Python literal in prose, at the start of a line or
// anywhere.
func embedded(text []byte, atLine bool) (finding, bool) {
	tried := 0
	for i := 0; i < len(text) && tried < maxStarts; i++ {
		n := bytes.IndexAny(text[i:min(len(text), sniffBytes)], "{[")
		if n < 0 {
			break
		}
		i += n
		rest := text[i:]
		if atLine && !startsLine(text, i) || !atLine && !opensDocument(rest) {
			continue
		}
		tried++
		if f, ok := documentAt(rest); ok && !(atLine && inBlockScalar(text, i)) {
			return f, true
		}
	}
	return finding{}, false
}

// inBlockScalar reports whether a line is in a block scalar of YAML, "body: |" or
// "body: >-" and indented lines below it: then it is a part of a text.
func inBlockScalar(text []byte, at int) bool {
	block := -1 // the indent of the key
	for line := range bytes.Lines(text[:at+1]) {
		body := bytes.TrimSpace(line)
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		if len(body) > 0 && indent <= block {
			block = -1
		}
		head := bytes.TrimRight(body, "+-123456789")
		if block < 0 && (bytes.HasSuffix(head, []byte(": |")) || bytes.HasSuffix(head, []byte(": >"))) {
			block = indent
		}
	}
	return block >= 0
}

// opensDocument reports whether a bracket is followed by text that occurs only in
// documents.
func opensDocument(text []byte) bool {
	inner := bytes.TrimLeft(text[1:min(len(text), 64)], jsonSpace+"{[")
	return len(inner) > 0 && (inner[0] == '"' || inner[0] == '\'')
}

// documentAt finds the document that begins at a bracket, without the text after it.
func documentAt(text []byte) (finding, bool) {
	signs := scan(text)
	if signs.loose {
		p := pythonReader{text: text}
		if err := p.value(); err != nil || !opensDocument(text) {
			return finding{}, false
		}
		return finding{format: FormatPython, body: text[:p.pos]}, true
	}
	end, err := jsonEnd(text)
	switch {
	case errors.Is(err, ErrTruncated) && opensDocument(text):
		return finding{format: FormatJSON, body: text}, true // cut off
	case err != nil || signs.footnote && !opensDocument(text) || end <= len("{}"):
		return finding{}, false
	}
	format := FormatJSON
	for {
		next := bytes.TrimLeft(text[end:], jsonSpace)
		n, err := jsonEnd(next)
		if err != nil || next[0] != '{' && next[0] != '[' {
			return finding{format: format, body: text[:end]}, true
		}
		format, end = FormatNDJSON, len(text)-len(next)+n
	}
}
