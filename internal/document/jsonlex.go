package document

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonSpace is JSON's white space.
const jsonSpace = " \t\r\n"

// jsonDepth is the maximum depth of delivered and of skipped JSON: more than real
// documents have, and little enough for the stack.
const jsonDepth = 10_000

// jsonLexer reads the tokens of a JSON text in memory. Its errors are [ErrTruncated],
// [ErrDepth] and [*SyntaxError].
type jsonLexer struct {
	text []byte
	pos  int
	buf  []byte // scratch of unquote
}

// peek skips white space and returns the next byte, or 0 at the end.
func (l *jsonLexer) peek() byte {
	l.pos = spaceEnd(l.text, l.pos)
	if l.pos < len(l.text) {
		return l.text[l.pos]
	}
	return 0
}

// spaceEnd returns the end of the white space at i, if any.
func spaceEnd(text []byte, i int) int {
	if i < len(text) && text[i] <= ' ' {
		return indentEnd(text, i)
	}
	return i
}

// indentEnd is spaceEnd for a position with white space, usually that of an indented
// line.
func indentEnd(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		for i++; i < len(text) && text[i] == ' '; {
			i++
		}
	}
	return i
}

// fail returns the error for unexpected text at i.
func (l *jsonLexer) fail(i int) error {
	l.pos = i
	if i >= len(l.text) {
		return ErrTruncated
	}
	return &SyntaxError{Format: FormatJSON, Offset: int64(i)}
}

// next moves to the next value of a container that ends with end, behind its key in an
// object. more is false at the end of the container.
func (l *jsonLexer) next(end byte, first bool) (key []byte, plain, more bool, err error) {
	text, i := l.text, spaceEnd(l.text, l.pos)
	if i < len(text) && text[i] == end {
		l.pos = i + 1
		return nil, false, false, nil
	}
	if !first {
		if i >= len(text) || text[i] != ',' {
			return nil, false, false, l.fail(i)
		}
		i = spaceEnd(text, i+1)
	}
	if end == ']' {
		if l.pos = i; i >= len(text) || text[i] == ']' {
			return nil, false, false, l.fail(i)
		}
		return nil, false, true, nil
	}
	if i >= len(text) || text[i] != '"' {
		return nil, false, false, l.fail(i)
	}
	keyEnd, plain, ok := literalEnd(text, i)
	if !ok {
		return nil, false, false, l.fail(keyEnd)
	}
	colon := spaceEnd(text, keyEnd)
	if colon >= len(text) || text[colon] != ':' {
		return nil, false, false, l.fail(colon)
	}
	l.pos = colon + 1
	return text[i:keyEnd], plain, true, nil
}

// skip skips the next value, in so many skipped containers. It checks the grammar and keeps
// nothing.
func (l *jsonLexer) skip(depth int) error {
	c := l.peek()
	if c != '{' && c != '[' {
		_, _, err := l.token(c)
		return err
	}
	if depth == jsonDepth {
		l.pos = len(l.text)
		return ErrDepth
	}
	l.pos++
	return l.skipRest(c+2, true, depth+1) // in ASCII, the closing bracket
}

// skipRest skips the rest of a container.
func (l *jsonLexer) skipRest(end byte, first bool, depth int) error {
	_, _, more, err := l.next(end, first)
	for err == nil && more {
		if err = l.skip(depth); err == nil {
			_, _, more, err = l.next(end, false)
		}
	}
	return err
}

// token reads the scalar that begins with c and returns its source text. plain reports whether it is
// ASCII without escapes.
func (l *jsonLexer) token(c byte) (raw []byte, plain bool, err error) {
	start, ok := l.pos, true
	plain = true
	switch c {
	case '"':
		l.pos, plain, ok = literalEnd(l.text, start)
	case 't', 'f', 'n':
		l.pos, ok = wordEnd(l.text, start, jsonWords[c])
	default:
		l.pos, _, ok = numberEnd(l.text, start)
	}
	if !ok {
		err = l.fail(l.pos)
	}
	return l.text[start:l.pos], plain, err
}

// jsonWords are JSON's words by their first letter.
var jsonWords = map[byte]string{'t': "true", 'f': "false", 'n': "null"}

// wordEnd returns the end of a word at i, or the position at which the text differs.
func wordEnd(text []byte, i int, word string) (end int, ok bool) {
	for n := range len(word) {
		if i+n >= len(text) || text[i+n] != word[n] {
			return i + n, false
		}
	}
	return i + len(word), true
}

// literalEnd returns the end of the string literal at i, or the position at which it
// is malformed.
func literalEnd(text []byte, i int) (end int, plain, ok bool) {
	plain = true
	for i++; i < len(text); {
		if i+8 <= len(text) { // strings are most of JSON
			n := ordinary(binary.LittleEndian.Uint64(text[i:]))
			if i += n; n == 8 {
				continue
			}
		}
		switch c := text[i]; {
		case c == '"':
			return i + 1, plain, true
		case c == '\\':
			n := escapeLen(text[i:])
			if n == 0 {
				return i, false, false
			}
			i, plain = i+n, false
		case c < ' ':
			return i, false, false
		case c < utf8.RuneSelf:
			i++
		default:
			for plain = false; i < len(text) && text[i] >= utf8.RuneSelf; {
				i++
			}
		}
	}
	return len(text), false, false
}

// ordinary returns how many of eight bytes of a string literal, from the lowest, are
// unescaped ASCII.
func ordinary(x uint64) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	// The lowest high bit that is set belongs to the first byte beyond ASCII, below a
	// space, or equal to a quote or backslash.
	stop := (x | (x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs
	return bits.TrailingZeros64(stop) / 8
}

// escapeLen returns the length of the escape at the start of text, or 0 if it is
// invalid.
func escapeLen(text []byte) int {
	if len(text) < 2 {
		return 2 // cut off
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if digits := text[2:min(len(text), 6)]; len(bytes.Trim(digits, "0123456789abcdefABCDEF")) > 0 {
			return 0
		}
		return 6
	}
	return 0
}

// unquote returns the text of a string literal. It is valid until the next call.
func (l *jsonLexer) unquote(literal []byte, plain bool) []byte {
	inner := literal[1 : len(literal)-1]
	if plain || bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	// The error is only about invalid UTF-8, which is replaced.
	l.buf, _ = jsontext.AppendUnquote(l.buf[:0], literal)
	return l.buf
}
