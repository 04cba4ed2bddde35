package document

import (
	"bytes"
	"errors"
	"iter"
)

// Part is a document within a text.
type Part struct {
	// Start and End are its offsets in the text, fences included.
	Start, End int
	// Inline is set for a document that begins in a line of words: "Found {…}".
	Inline bool

	found finding
}

// Read reads the document.
func (p Part) Read(vis Visitor, lim Limits) Result { return p.found.read(vis, lim.withDefaults()) }

// Parts yields the documents within a text that is not a document as a whole: those in Markdown fences, and
// JSON and Python literals at the start of a line or after words. It takes linear time.
func Parts(text []byte) iter.Seq[Part] {
	return parts(text, Limits{}.withDefaults().Nested, len(text), true)
}

// parts yields the documents that begin before an offset.
func parts(text []byte, nested, until int, inline bool) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		s := partScanner{text: text, nested: nested, inline: inline, budget: 2*len(text) + sniffBytes, block: noBlock}
		for at := 0; at < until && s.budget > 0; {
			end := lineEnd(text, at)
			p, ok := s.fenced(at, end)
			if !ok {
				p, ok = s.inLine(at, end)
			}
			if at = end; ok {
				if at = p.End; !yield(p) {
					return
				}
			}
		}
	}
}

// partScanner finds documents in a text.
type partScanner struct {
	text   []byte
	nested int
	inline bool
	budget int // bytes that may still be examined in vain
	fences int // lines up to here are in a fence without a document
	block  blockScalar
}

// lineEnd returns the offset after the line at an offset.
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// fenced finds a document in the fence that opens on a line.
func (s *partScanner) fenced(at, end int) (Part, bool) {
	if s.nested <= 0 || at < s.fences || !isFence(s.text[at:end]) {
		return Part{}, false
	}
	closing := end
	s.fences = end
	for line := range bytes.Lines(s.text[end:]) {
		if s.fences += len(line); isFence(line) {
			break
		}
		closing = s.fences
	}
	f := sniff(s.text[end:closing], s.nested-1)
	return Part{Start: at, End: s.fences, found: f}, f.format != FormatText && f.format != FormatEmpty
}

func isFence(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("```")) }

// inLine finds JSON or a Python literal that begins on a line.
func (s *partScanner) inLine(at, end int) (Part, bool) {
	line := s.text[at:end]
	if s.block.holds(line) { // a part of a text
		return Part{}, false
	}
	for i := at; ; i++ {
		n := bytes.IndexAny(s.text[i:end], "{[")
		if n < 0 || s.budget <= 0 {
			return Part{}, false
		}
		i += n
		before := bytes.TrimRight(s.text[at:i], " \t")
		inline := len(before) > 0
		if inline && (!s.inline || !opensObject(s.text[i:]) || isStatement(before, s.text[at:i])) {
			continue
		}
		if f, ok := s.documentAt(s.text[i:]); ok {
			return Part{Start: i, End: i + len(f.body), Inline: inline, found: f}, true
		}
	}
}

// isStatement reports whether the words before a bracket are those of a program, or of a search in
// its source code: "x = {", "print({", "main.go:12: {".
func isStatement(words, line []byte) bool {
	const longestPlace = 256
	switch last := words[len(words)-1]; {
	case bytes.IndexByte([]byte("([{,<+>&|"), last) >= 0, last == '=' && len(words) < len(line):
		return true
	case last == ':' && len(words) > 1 && isQuote(words[len(words)-2]):
		return true
	}
	place, rest, _ := bytes.Cut(words[:min(len(words), longestPlace)], []byte(":"))
	number, _, isPlace := bytes.Cut(rest, []byte(":"))
	return isPlace && bytes.ContainsAny(place, "./") && bytes.IndexByte(place, ' ') < 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// opensDocument reports whether a bracket is followed by text that occurs only in
// documents.
func opensDocument(text []byte) bool {
	inner := bytes.TrimLeft(text[1:min(len(text), 64)], jsonSpace+"{[")
	return len(inner) > 0 && isQuote(inner[0])
}

// opensObject reports whether brackets open a document that is an object or a list of some.
func opensObject(text []byte) bool {
	return opensDocument(text) && (text[0] == '{' || bytes.HasPrefix(bytes.TrimLeft(text[1:], jsonSpace), []byte("{")))
}

// documentAt finds the document that begins at a bracket, without the text after it.
func (s *partScanner) documentAt(text []byte) (finding, bool) {
	l := jsonLexer{text: text}
	err := l.skip(0)
	format, end := FormatJSON, l.pos
	if err != nil && opensDocument(text) {
		if errors.Is(err, ErrTruncated) {
			return finding{format: FormatJSON, body: text}, true // cut off
		}
		p := pythonReader{text: text}
		if p.value() == nil {
			return finding{format: FormatPython, body: text[:p.pos]}, true
		}
		end += p.pos
	}
	if err != nil || isFootnote(text, end) || end <= len("{}") {
		s.budget -= end
		return finding{}, false
	}
	for opensJSON(text[spaceEnd(text, l.pos):]) {
		if l.skip(0) != nil {
			s.budget -= l.pos - end
			break
		}
		format, end = FormatNDJSON, l.pos
	}
	return finding{format: format, body: text[:end]}, true
}
