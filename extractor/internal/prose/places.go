package prose

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readPlace yields the file that a line points into, and reports whether nothing else on the
// line is of interest: a frame of a stack trace, what a compiler or a search says about a
// position, a line of a comparison, or source code.
//
//	File "src/cart.py", line 31, in total
//	at total (src/cart.js:31:5)
//	src/cart.ts(31,5): error
//	+++ b/src/cart.go
func (r *reader) readPlace(l *line) bool {
	text := bytes.TrimSpace(l.text[:min(len(l.text), window)])
	if r.readComparison(text) {
		return true
	}
	head, rest := nextPart(text)
	path, _ := cutPlace(head)
	isFrame := vocabulary.FrameWords.HasBytes(head)
	if isFrame && path == nil {
		path = lastPlace(rest)
	}
	switch code := isCode(text); {
	case path != nil && !(isFrame && isLibrary(text)):
		r.emit(Mention{ID: path, Type: r.pathType(path)})
		r.quoting = isFrame && string(head) == "File"
		return true
	case r.quoting && l.indented: // the line of source code that a frame points to
		r.quoting = false
		return true
	default:
		r.quoting = isFrame && path != nil
		return code || path != nil
	}
}

// nextPart returns the first word of a text, and what is behind it.
func nextPart(text []byte) (word, rest []byte) {
	word, next := nextWord(text, 0)
	return word, bytes.TrimLeft(text[next:], space)
}

// lastPlace returns the path of the last position in a frame of a stack trace, or nil.
func lastPlace(text []byte) (path []byte) {
	if quoted, ok := marked(text); ok && isPath(quoted) { // File "src/cart.py", line 31
		return quoted
	}
	for word := range bytes.FieldsSeq(text) {
		if place, _ := cutPlace(word[bytes.LastIndexByte(word, '(')+1:]); place != nil {
			path = place
		}
	}
	return path
}

// cutPlace splits a word at the position behind a path: src/main.go:42:7, src/main.ts(42,7). The path
// is nil if there is no position.
func cutPlace(word []byte) (path, position []byte) {
	for i := 1; i+1 < len(word); i++ {
		behind := bytes.TrimLeft(word[i+1:], "0123456789")
		isPosition := word[i] == ':' || word[i] == '(' && len(behind) > 1 && behind[0] == ',' && '0' <= behind[1] && behind[1] <= '9'
		if isPosition && len(behind) < len(word)-i-1 {
			if path = bytes.TrimPrefix(trimPunctuation(word[:i]), []byte("file://")); isPath(path) {
				return path, word[i:]
			}
			return nil, nil
		}
	}
	return nil, nil
}

// isLibrary reports whether a frame of a stack trace is in code that others wrote.
func isLibrary(frame []byte) bool {
	for _, mark := range vocabulary.LibraryPaths {
		if bytes.Contains(frame, []byte(mark)) {
			return true
		}
	}
	return false
}

// readComparison yields the file of a line at the head of a comparison, and reports whether the line
// belongs to one: the changed lines are source code.
func (r *reader) readComparison(text []byte) bool {
	if bytes.HasPrefix(text, []byte("@@")) {
		r.hunk = true
		return true
	}
	head, rest := nextPart(text)
	switch string(head) {
	case "diff":
		r.hunk = false
		return bytes.HasPrefix(rest, []byte("--git ")) && r.addCompared(lastField(rest))
	case "---", "+++":
		path, _, _ := bytes.Cut(rest, []byte("\t"))
		if path = bytes.TrimSpace(path); isPath(path) || bytes.HasPrefix(path, []byte("b/")) {
			r.hunk = false
			return r.addCompared(path)
		}
	case "index":
		return bytes.Contains(firstWord(rest), []byte(".."))
	}
	return r.hunk
}

// addCompared yields one of two compared files, and returns true.
func (r *reader) addCompared(path []byte) bool {
	if len(path) > 2 && path[1] == '/' && (path[0] == 'a' || path[0] == 'b') {
		path = path[2:]
	}
	if string(path) != "/dev/null" && len(path) > 1 {
		r.emit(Mention{ID: path, Type: r.pathType(path)})
	}
	return true
}

// readVerdict yields the test that a line judges, and reports whether it judges one. One that fails
// is a record; one that passes is a candidate.
//
//	FAILED tests/test_cart.py::test_total - assert 3 == 4
//	--- FAIL: TestTotal/empty (0.00s)
//	test cart::tests::total ... ok
func (r *reader) readVerdict(l *line) bool {
	words := bytes.Fields(l.text[:min(len(l.text), window)])
	if len(words) > 0 && string(words[0]) == "---" {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	failed, ok := verdict(words[0])
	if !ok {
		failed, ok = verdict(words[len(words)-1])
	}
	i := slices.IndexFunc(words, isTestName)
	if !ok || i < 0 {
		return false
	}
	r.emit(Mention{ID: bytes.Trim(words[i], "()<>,;:"), Type: "test", Sure: failed})
	return true
}

// verdict returns whether a word says that a test failed, and whether it is a verdict at all.
func verdict(word []byte) (failed, ok bool) {
	lower := bytes.ToLower(bytes.Trim(word[:min(len(word), 32)], "[]():.,!*"))
	failed = vocabulary.FailWords.HasBytes(lower)
	return failed, failed || vocabulary.PassWords.HasBytes(lower)
}

// isTestName reports whether a word is the name of a test: tests/test_cart.py::test_total,
// cart::tests::total, TestTotal/empty, test_total.
func isTestName(word []byte) bool {
	first, behind, ok := bytes.Cut(word, []byte("::"))
	return len(word) <= maxLoose && (ok && len(first) > 0 && len(behind) > 0 ||
		shape.IsVariant(word, "Test", "Benchmark", "Fuzz", "Example") || bytes.HasPrefix(word, []byte("test_")) && !isPath(word))
}
