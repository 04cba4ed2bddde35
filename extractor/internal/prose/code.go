package prose

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// toggleFence reports whether a line is a fence of Markdown, and notes whether what
// follows is source code.
func (r *reader) toggleFence(text []byte) bool {
	trimmed := bytes.TrimSpace(text[:min(len(text), window)])
	if !bytes.HasPrefix(trimmed, []byte("```")) && !bytes.HasPrefix(trimmed, []byte("~~~")) {
		return false
	}
	if r.fenced {
		r.fenced, r.code = false, false
		return true
	}
	r.fenced, r.code = true, vocabulary.CodeLanguages.HasBytes(bytes.ToLower(firstWord(trimmed[3:])))
	return true
}

// isNumbered reports whether a text is lines of a file that an editor has numbered.
func isNumbered(text []byte) bool {
	lines, numbered := 0, 0
	for line := range bytes.Lines(text) {
		if len(lineNumber(line)) > 0 {
			numbered++
		}
		if lines++; lines == sampleRows {
			break
		}
	}
	return 10*numbered > 9*lines
}

// lineNumber returns what an editor puts in front of a line, "    12→", or nothing.
func lineNumber(line []byte) []byte {
	digits := bytes.TrimLeft(line, " ")
	rest := bytes.TrimLeft(digits, "0123456789")
	for _, mark := range [...]string{"→", "\t", " | "} {
		if behind, ok := bytes.CutPrefix(rest, []byte(mark)); ok && len(rest) < len(digits) && (mark == "→" || len(digits) < len(line)) {
			return line[:len(line)-len(behind)]
		}
	}
	return nil
}

// isCode reports whether a line is source code, a frame of a stack trace or
// mathematics.
func isCode(text []byte) bool {
	text = bytes.TrimSpace(text[:min(len(text), window)])
	if len(text) < 4 {
		return false
	}
	word, _ := nextWord(text, 0)
	switch last := text[len(text)-1]; {
	case string(word) == "at" && (bytes.HasSuffix(text, []byte(")")) && bytes.IndexByte(text, '(') > 0 || bytes.Count(text, []byte(":")) >= 2):
		return true
	case bytes.HasPrefix(text, []byte(`File "`)) && bytes.Contains(text, []byte(", line ")), bytes.HasPrefix(text, []byte("goroutine ")):
		return true
	case bytes.HasPrefix(text, []byte("//")), bytes.HasPrefix(text, []byte("#include")), bytes.HasPrefix(text, []byte(`\`)), bytes.HasPrefix(text, []byte("$$")):
		return true
	case string(word) == "INSERT": // data
		return false
	case vocabulary.CodeWords.HasBytes(word):
		return bytes.ContainsAny(text, "(){}=;:\"'") && !bytes.Contains(text, []byte(": ")) || last == ';'
	case last == ';' && bytes.ContainsAny(text, "(){}=") || last == '{' && bytes.ContainsAny(text, "()="):
		return true
	case bytes.Contains(text, []byte("+0x")) && bytes.Contains(text, []byte(".go:")):
		return true
	}
	return isAssignment(text)
}

// isAssignment reports whether a line assigns a call or an expression to a variable: x
// = foo(bar[1]).
func isAssignment(text []byte) bool {
	left, right, ok := bytes.Cut(text, []byte(" = "))
	if !ok || len(left) > 64 || bytes.IndexByte(bytes.TrimSpace(left), ' ') >= 0 {
		return false
	}
	i := bytes.IndexAny(right, "([{")
	return i > 0 && right[i-1] != ' ' || i == 0
}

// readCode yields the UUIDs on a line of source code or of a stack trace as candidates.
func (r *reader) readCode(l *line) {
	for start := 0; start < len(l.text) && !r.stopped; {
		word, next := nextWord(l.text, start)
		if len(word) == 0 {
			return
		}
		if id := trimPunctuation(word); shape.IsUUID(id) {
			r.emit(Mention{ID: id, Type: l.heading})
		}
		start = next
	}
}
