package excerpt

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	// maxDepth is how many containers may be open at once, as in package jsontext.
	maxDepth = 10_000
	// pieceBytes is the length of the longest piece of a string or a number.
	pieceBytes = 4 << 10
)

// Ends of scanning besides errors of the reader.
var (
	errDone   = errors.New("nothing more is needed")
	errCut    = errors.New("is cut")
	errSyntax = errors.New("is broken")
	errDepth  = errors.New("is nested too deep")
)

// Kinds of tokens besides the punctuation of JSON.
const (
	keyText  = 'k'
	valText  = '"'
	wordText = '0' // a number, true, false or null
)

// token is a token of JSON, or a piece of one. It is valid until the next.
type token struct {
	kind       byte
	raw, plain []byte // as it is written, and what it means
	begin, end bool   // the first and the last piece of a string or word
}

// scanner reads tokens. After an error it reads no more: every method then returns zero.
type scanner struct {
	r    *bufio.Reader
	n    int64 // bytes consumed
	err  error
	open []byte // containers within the value of walk, as their closing brackets
	tok  token  // the one that is given
	rune [utf8.UTFMax]byte
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// window returns buffered bytes, none after an error.
func (s *scanner) window() []byte {
	if s.err != nil {
		return nil
	}
	w, err := window(s.r)
	if errors.Is(err, io.EOF) {
		err = errCut
	}
	s.err = err
	return w
}

// ahead returns the next n bytes, fewer at the end of the text.
func (s *scanner) ahead(n int) []byte {
	w, err := s.r.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.fail(err)
	}
	return w
}

func (s *scanner) discard(n int) {
	n, _ = s.r.Discard(n)
	s.n += int64(n)
}

// peek returns the next byte after white space.
func (s *scanner) peek() byte {
	for {
		w := s.window()
		for i, c := range w {
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				s.discard(i)
				return c
			}
		}
		if len(w) == 0 {
			return 0
		}
		s.discard(len(w))
	}
}

// take consumes a byte of punctuation. It fails on any other.
func (s *scanner) take(c byte, give func(*token)) {
	if s.peek() != c {
		s.fail(errSyntax)
		return
	}
	s.discard(1)
	if give != nil {
		s.tok = token{kind: c, raw: asciiBytes[c : c+1]}
		give(&s.tok)
	}
}

// more reports whether another element or member of a container follows, whose first or
// last one was read. It consumes the comma, or the bracket at the end.
func (s *scanner) more(first bool, end byte, give func(*token)) bool {
	switch c := s.peek(); {
	case s.err != nil:
		return false
	case c == end:
		s.take(end, give)
		return false
	case !first:
		s.take(',', give)
	}
	return s.err == nil
}

// walk reads a value and gives its tokens, without white space. give may be nil.
func (s *scanner) walk(give func(*token)) {
	s.open = s.open[:0]
	for s.err == nil {
		first := false
		switch c := s.peek(); c {
		case '{', '[':
			s.take(c, give)
			s.open, first = append(s.open, c+2), true // the closing bracket
			if len(s.open) > maxDepth {
				s.fail(errDepth)
			}
		case '"':
			s.text(valText, give)
		default:
			s.word(give)
		}
		for len(s.open) > 0 && !s.more(first, s.open[len(s.open)-1], give) && s.err == nil {
			s.open, first = s.open[:len(s.open)-1], false
		}
		if len(s.open) == 0 {
			return
		}
		if s.open[len(s.open)-1] == '}' {
			s.key(give)
		}
	}
}

// key reads the key of a member and the colon.
func (s *scanner) key(give func(*token)) {
	if s.peek() != '"' {
		s.fail(errSyntax)
		return
	}
	s.text(keyText, give)
	s.take(':', give)
}

// text reads a string.
func (s *scanner) text(kind byte, give func(*token)) {
	t := &s.tok
	*t = token{kind: kind, raw: asciiBytes['"' : '"'+1], begin: true}
	for s.err == nil {
		s.discard(len(t.raw))
		if give != nil {
			give(t)
		}
		if t.end {
			return
		}
		*t = token{kind: kind}
		w := s.window()
		w = w[:min(len(w), pieceBytes)]
		n := 0
		for n < len(w) && !special[w[n]] {
			n++
		}
		switch {
		case n > 0:
			if n == len(w) {
				n -= incomplete(w)
			}
			t.raw, t.plain = w[:n], w[:n]
		case len(w) == 0:
			return
		case w[0] == '"':
			t.raw, t.end = w[:1], true
		case w[0] == '\\':
			t.raw, t.plain = s.escape()
		default:
			s.fail(errSyntax)
		}
	}
}

// asciiBytes holds each byte of punctuation at its own index.
var asciiBytes = func() (set [utf8.RuneSelf]byte) {
	for c := range set {
		set[c] = byte(c)
	}
	return set
}()

// special holds the bytes that end a run of plain ones in a string.
var special = func() (set [256]bool) {
	for c := range ' ' {
		set[c] = true
	}
	set['"'], set['\\'] = true, true
	return set
}()

// incomplete returns the length of a rune at the end of a text of which a part is missing,
// 0 if that is the whole text.
func incomplete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n < len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// word reads a number, true, false or null. Of numbers only the characters are checked.
func (s *scanner) word(give func(*token)) {
	t := &s.tok
	*t = token{kind: wordText, begin: true}
	s.peek()
	for {
		w := s.window()
		if len(w) == 0 && (t.begin || !errors.Is(s.err, errCut)) {
			return
		}
		w = w[:min(len(w), pieceBytes)]
		n := 0
		for n < len(w) && isWordByte(w[n]) {
			n++
		}
		t.raw, t.plain, t.end = w[:n], w[:n], n < len(w) || len(w) == 0
		if t.begin && !s.isWord(t.raw, t.end) {
			s.fail(errSyntax)
			return
		}
		if s.discard(n); give != nil {
			give(t)
		}
		if t.end {
			return
		}
		t.begin = false
	}
}

// isWord reports whether a piece can begin a word.
func (s *scanner) isWord(piece []byte, whole bool) bool {
	switch {
	case len(piece) == 0:
		return false
	case piece[0] == '-' || '0' <= piece[0] && piece[0] <= '9':
		return true
	case !whole && len(piece) < len("false"): // at the end of a chunk
		more := s.ahead(len("false") + 1)
		n := 0
		for n < len(more) && isWordByte(more[n]) {
			n++
		}
		piece = more[:n]
	}
	return string(piece) == "true" || string(piece) == "false" || string(piece) == "null"
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}
