package prose

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// readPlace yields the file that a line points to, and reports whether nothing else on the
// line is of interest: the line is a frame of a stack trace, a message of a compiler or a match of
// a search with a position, a line of a diff, or source code.
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
	path := cutPlace(head)
	isFrame := vocabulary.FrameWords.HasBytes(head)
	if isFrame && path == nil {
		path = lastPlace(rest)
	}
	if path != nil && !(isFrame && isLibrary(text)) {
		r.emit(Mention{ID: path, Type: r.pathType(path)})
	}
	isQuoted := r.quoting && l.indented // the line of source code that a frame points to
	r.quoting = path != nil && string(head) == "File"
	return path != nil || isQuoted || isCode(text)
}

// nextPart returns the first word of a text, and the rest.
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
		if place := cutPlace(word[bytes.LastIndexByte(word, '(')+1:]); place != nil {
			path = place
		}
	}
	return path
}

// position matches the end of a place, after the path: src/main.go:42:7, src/main.ts(42,7).
var position = regexp.MustCompile(`:\d|\(\d+,\d`)

// cutPlace returns the path in front of a position, or nil.
func cutPlace(word []byte) []byte {
	at := position.FindIndex(word)
	if at == nil {
		return nil
	}
	if path := bytes.TrimPrefix(trimPunctuation(word[:at[0]]), []byte("file://")); isPath(path) {
		return path
	}
	return nil
}

// isLibrary reports whether a frame of a stack trace is in code of a library.
func isLibrary(frame []byte) bool {
	return slices.ContainsFunc(vocabulary.LibraryPaths, func(mark string) bool { return bytes.Contains(frame, []byte(mark)) })
}

// readComparison yields the file in a header line of a diff, and reports whether the line
// belongs to a diff: the changed lines are source code.
func (r *reader) readComparison(text []byte) bool {
	head, rest := nextPart(text)
	path, _, _ := bytes.Cut(rest, []byte("\t"))
	if bytes.HasPrefix(rest, []byte("--git ")) {
		path = lastField(rest)
	}
	isSide := bytes.HasPrefix(path, []byte("a/")) || bytes.HasPrefix(path, []byte("b/"))
	switch string(head) {
	case "@@":
		r.hunk = true
	case "index":
		return r.hunk || bytes.Contains(firstWord(rest), []byte(".."))
	case "diff", "---", "+++":
		if bytes.IndexByte(path, ' ') >= 0 || !isSide && !isPath(path) && string(path) != "/dev/null" {
			return r.hunk
		}
		r.hunk = false
		if isSide {
			path = path[len("a/"):]
		}
		if string(path) != "/dev/null" {
			r.emit(Mention{ID: path, Type: r.pathType(path)})
		}
		return true
	}
	return r.hunk
}

// readVerdict yields the test whose result is on a line, and reports whether there is one. A test that fails
// is a record; a test that passes is a candidate.
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

// verdict reports whether a word means that a test failed, and whether it is a verdict at all.
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
