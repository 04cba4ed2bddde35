package prose

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// toggleFence reports whether a line is a fence of Markdown, and notes whether what
// follows is source code.
func (r *reader) toggleFence(text []byte) bool {
	trimmed := bytes.TrimSpace(text[:min(len(text), window)])
	if !bytes.HasPrefix(trimmed, []byte("```")) && !bytes.HasPrefix(trimmed, []byte("~~~")) {
		return false
	}
	r.fenced = !r.fenced
	r.code = r.fenced && vocabulary.CodeLanguages.HasBytes(bytes.ToLower(firstWord(trimmed[3:])))
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
	word := firstWord(text)
	if len(word) == 0 {
		return false
	}
	switch last := text[len(text)-1]; {
	case string(word) == "at" && (last == ')' || bytes.Count(text, []byte(":")) >= 2), bytes.HasPrefix(text, []byte("//")), bytes.HasPrefix(text, []byte(`\`)),
		bytes.Contains(text, []byte("(0x")) || bytes.Contains(text, []byte("{0x")): // a call with addresses
		return true
	case string(word) == "INSERT": // data
		return false
	case vocabulary.CodeWords.HasBytes(word):
		return bytes.ContainsAny(text, "(){}=;:\"'") && !bytes.Contains(text, []byte(": ")) || last == ';'
	case last == ';' && bytes.ContainsAny(text, "(){}=") || last == '{' && bytes.ContainsAny(text, "()="),
		bytes.Contains(text, []byte("+0x")) && bytes.Contains(text, []byte(".go:")):
		return true
	}
	return isAssignment(text)
}

// isAssignment reports whether a line assigns a call or an expression to a variable: x
// = foo(bar[1]).
func isAssignment(text []byte) bool {
	left, right, _ := bytes.Cut(text, []byte(" = "))
	i := bytes.IndexAny(right, "([{")
	return bytes.IndexByte(bytes.TrimSpace(left), ' ') < 0 && (i == 0 || i > 0 && right[i-1] != ' ')
}
