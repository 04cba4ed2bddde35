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
	for range maxStarts {
		at := lineWith(text, fence)
		if at < 0 {
			return finding{}, false
		}
		content := text[at:]
		content = content[len(firstLine(content)):]
		end := lineWith(content, fence)
		if end < 0 {
			end = len(content) // cut off
		}
		if f := sniff(content[:end], nested); f.format != FormatText && f.format != FormatEmpty {
			return f, true
		}
		text = content[end:]
		text = text[len(firstLine(text)):]
	}
	return finding{}, false
}

// lineWith returns the start of the next line that begins with mark, or -1.
func lineWith(text, mark []byte) int {
	for i := 0; i < len(text); {
		n := bytes.Index(text[i:], mark)
		if n < 0 {
			return -1
		}
		if i += n; startsLine(text, i) {
			return i
		}
		i += len(mark)
	}
	return -1
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
		if atLine && inBlockScalar(text, i) {
			continue
		}
		if f, ok := documentAt(rest); ok {
			return f, true
		}
	}
	return finding{}, false
}

// inBlockScalar reports whether a line is in a block scalar of YAML, "body: |" and indented
// lines below it: then it is a part of a text.
func inBlockScalar(text []byte, at int) bool {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	indent := at - start
	for before := text[:start]; indent > 0 && len(before) > 0; {
		before = before[:len(before)-1]
		start = bytes.LastIndexByte(before, '\n') + 1
		line := before[start:]
		before = before[:start]
		if n := len(line) - len(bytes.TrimLeft(line, " \t")); n < len(line) && n < indent {
			head := bytes.TrimRight(line, " \t\r+-123456789")
			if bytes.HasSuffix(head, []byte(": |")) || bytes.HasSuffix(head, []byte(": >")) {
				return true
			}
			indent = n
		}
	}
	return false
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
