package prose

import (
	"bytes"

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
	if old, renamed, ok := bytes.Cut(text, []byte(" -> ")); ok && isPath(lastField(old)) && isPath(renamed) && bytes.IndexByte(renamed, ' ') < 0 {
		r.emit(Mention{ID: renamed, Type: r.pathType(renamed), Sure: vocabulary.FileNouns.Has(r.topic.Noun)})
		return true
	}
	head, rest := nextPart(text)
	path, _ := cutPlace(head)
	isFrame := vocabulary.FrameWords.HasBytes(head) || bytes.Contains(rest, []byte(" +0x")) || bytes.HasPrefix(rest, []byte("+0x"))
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

// readVerdict yields the tests that a line judges, and reports whether it judges any. One that fails
// is a record of the type test; one that passes is a candidate.
//
//	FAILED tests/test_cart.py::test_total - assert 3 == 4
//	--- FAIL: TestTotal/empty (0.00s)
//	test cart::tests::total ... ok
func (r *reader) readVerdict(l *line) bool {
	text := bytes.TrimSpace(l.text[:min(len(l.text), window)])
	head, rest := nextPart(text)
	if string(head) == "---" || string(head) == "===" || string(head) == "not" {
		head, rest = nextPart(rest)
	}
	failed, ok := verdict(head)
	if !ok {
		if failed, ok = lastVerdict(text); !ok {
			return r.readRerun(text)
		}
		rest = text
	}
	if string(firstWord(text)) == "not" {
		failed = true
	}
	name := testName(rest)
	if name == nil {
		return false
	}
	m := Mention{ID: name, Type: "test", Sure: failed}
	if !isTestName(name, true) {
		m.Type = "file"
		_, after, _ := bytes.Cut(rest, []byte(" > "))
		m.Label = nameText(after)
	}
	r.emit(m)
	return true
}

// readRerun reads a command that runs one test again, named by the remark behind it:
// "rspec ./spec/cart_spec.rb:41 # Cart sums up".
func (r *reader) readRerun(text []byte) bool {
	command, remark, ok := bytes.Cut(text, []byte(" # "))
	id := lastField(command)
	if path, _ := cutPlace(id); !ok || path == nil || len(bytes.Fields(command)) != 2 {
		return false
	}
	r.emit(Mention{ID: id, Type: "test", Label: nameText(remark), Sure: true})
	return true
}

// verdict returns whether a word says that a test failed, and whether it is a verdict at all.
func verdict(word []byte) (failed, ok bool) {
	lower := bytes.ToLower(bytes.Trim(word[:min(len(word), 32)], "[]():.,!*"))
	failed = vocabulary.FailWords.HasBytes(lower)
	return failed, failed || vocabulary.PassWords.HasBytes(lower)
}

// lastVerdict returns the verdict at the end of a line, before a share or a time in brackets.
func lastVerdict(text []byte) (failed, ok bool) {
	if i := bytes.LastIndexByte(text, '['); i > 0 && text[len(text)-1] == ']' {
		text = bytes.TrimSpace(text[:i])
	}
	return verdict(lastField(text))
}

// testName returns the longest name of a test among the first words of a text, or the file that it
// begins with. It is nil if there is none.
func testName(text []byte) (name []byte) {
	const words = 12
	isTimed := bytes.HasSuffix(text, []byte("s]")) // Failed Shop.CartTests.Sums [12 ms]
	n := 0
	for word := range bytes.FieldsSeq(text) {
		word = bytes.Trim(word, "()<>,;")
		if i := bytes.LastIndexByte(word, ':'); i > 0 && (i == len(word)-1 || shape.IsDigits(word[i+1:])) {
			word = word[:i]
		}
		switch {
		case len(word) > maxLoose:
		case isTestName(word, isTimed && n == 0):
			if len(word) > len(name) {
				name = word
			}
		case n == 0 && isPath(word) && bytes.IndexByte(word[bytes.LastIndexByte(word, '/')+1:], '.') > 0:
			name = word
		}
		if n++; n == words {
			break
		}
	}
	return name
}

// isTestName reports whether a word is the name of a test: tests/test_cart.py::test_total,
// cart::tests::total, TestTotal/empty, shop.CartTest.total, test_total. With timed set any
// name of three parts is one.
func isTestName(word []byte, timed bool) bool {
	if i := bytes.Index(word, []byte("::")); i >= 0 {
		return i > 0 && i+2 < len(word)
	}
	if shape.IsVariant(word, "Test", "Benchmark", "Fuzz", "Example") || bytes.HasPrefix(word, []byte("test_")) && !isPath(word) {
		return true
	}
	parts := bytes.Split(word, []byte("."))
	if len(parts) < 2 || isPath(word) || bytes.ContainsAny(word, "/=") {
		return false
	}
	isTest := timed && len(parts) > 2
	for _, part := range parts {
		if len(part) == 0 || !shape.IsLetter(part[0]) && part[0] != '_' {
			return false
		}
		isTest = isTest || bytes.HasSuffix(part, []byte("Test")) || bytes.HasSuffix(part, []byte("Tests")) ||
			bytes.HasSuffix(part, []byte("Spec")) || shape.IsVariant(part, "Test") || bytes.HasPrefix(part, []byte("test_"))
	}
	return isTest
}
