package prose

import (
	"bytes"
	"regexp"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// toggleFence reports whether a line is a fence of Markdown, and notes whether source code
// follows.
func (r *reader) toggleFence(text []byte) bool {
	trimmed := bytes.TrimSpace(text[:min(len(text), window)])
	if !bytes.HasPrefix(trimmed, []byte("```")) && !bytes.HasPrefix(trimmed, []byte("~~~")) {
		return false
	}
	r.fenced = !r.fenced
	r.code = r.fenced && vocabulary.CodeLanguages.HasBytes(bytes.ToLower(firstWord(trimmed[3:])))
	return true
}

// isNumbered reports whether a text is a file with line numbers.
func isNumbered(text []byte) bool {
	lines, numbered := 0, 0
	for line := range bytes.Lines(text) {
		lines++
		numbered += min(1, len(lineNumber(line)))
	}
	return 10*numbered > 9*lines
}

// numbering matches a line number in front of a line: "    12→".
var numbering = regexp.MustCompile(`^(?: *\d+→| +\d+(?:\t| \| ))`)

// lineNumber returns the number in front of a line, or nil.
func lineNumber(line []byte) []byte { return numbering.Find(line) }

// IsSource reports whether a text is source code, with or without line numbers: most of its first lines
// are statements, comments, or indented below them.
func IsSource(text []byte) bool {
	const enough, most = 3, 200
	lines, statements, below := 0, 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line[len(lineNumber(line)):], " \t\r\n")
		if len(line) == 0 {
			continue
		}
		switch indented := line[0] == ' ' || line[0] == '\t'; {
		case isStatement(bytes.TrimSpace(line)):
			statements++
		case indented && statements > 0:
			below++
		}
		if lines++; lines == most {
			break
		}
	}
	return statements >= enough && 4*statements > lines && 10*(statements+below) >= 7*lines
}

// isStatement reports whether a line is a statement or a comment of a program. Frames of a stack
// trace and matches of a search, which begin with a place, are not.
func isStatement(line []byte) bool {
	word := firstWord(line)
	isPlace := string(word) == "at" || bytes.ContainsAny(word, ":") && bytes.ContainsAny(word, "./")
	return !isPlace && (line[0] == '@' || line[0] == '}' || isCode(line))
}

// isCode reports whether a line is source code, a frame of a stack trace or
// mathematics.
func isCode(text []byte) bool {
	text = bytes.TrimSpace(text[:min(len(text), window)])
	if len(text) == 0 {
		return false
	}
	for _, mark := range [...]string{"//", "/*", `"""`, `\`} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	word, last := firstWord(text), text[len(text)-1]
	switch {
	case bytes.Contains(text, []byte("(0x")): // a call with addresses
		return true
	case string(word) == "INSERT": // data
		return false
	case vocabulary.CodeWords.HasBytes(word):
		return bytes.ContainsAny(text, "(){}=;:\"'") && !bytes.Contains(text, []byte(": ")) || last == ';'
	case last == ';' && bytes.ContainsAny(text, "(){}=") || last == '{' && bytes.ContainsAny(text, "()="):
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
