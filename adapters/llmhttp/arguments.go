package llmhttp

import (
	"bytes"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	// maxWord is the length from which a word is passed on before its end. It is longer than
	// any handle.
	maxWord = 128
	// maxTail is what remains of such a word: the longest beginning of a handle without its
	// number, and of an escape before it.
	maxTail = 40
	// maxCall is the size of the longest arguments in which handles are decoded, in bytes.
	maxCall = 16 << 20
)

// arguments decodes the arguments of a call while they arrive. It holds back the word at the end,
// which may be the beginning of a handle.
type arguments struct {
	// decode decodes a text, as Recorder.DecodeArguments does.
	decode func(text string) (string, error)
	// isText is true for arguments that are not JSON.
	isText bool

	all      []byte // what has arrived
	depth    int    // of JSON
	inString bool
	escape   []byte // the beginning of an escape in a string of JSON
	word     []byte // what is held back, without escapes
	raw      []byte // and as it has arrived
	isRest   bool   // the beginning of the word was passed on
	previous byte   // before the word; outside at the beginning of a string
	isNested bool   // the string is JSON, as far as one can tell

	out []byte
}

// outside marks the ends of a string. The byte occurs in no valid text.
const outside = 0xff

// write decodes a piece of the arguments. Errors: that of decode for all arguments, once they are
// complete; their end is then not returned.
func (a *arguments) write(piece string) (decoded []byte, err error) {
	a.out = nil
	for i := 0; i < len(piece); i++ {
		if len(a.all) == 0 && !a.isText && !isSpace(piece[i]) {
			a.isText = strings.IndexByte(`{["`, piece[i]) < 0
		}
		if len(a.all) < maxCall {
			a.all = append(a.all, piece[i])
		}
		switch {
		case a.isText:
			a.addToString(piece[i:i+1], piece[i])
		case a.inString:
			a.readString(piece[i : i+1])
		default:
			if err := a.readJSON(piece[i]); err != nil {
				return nil, err
			}
		}
	}
	return a.out, nil
}

// newArguments returns empty arguments, to be written as they arrive.
func newArguments(isText bool, decode func(string) (string, error)) arguments {
	return arguments{isText: isText, decode: decode, previous: outside}
}

// close ends the arguments, once, and returns what was held back. Errors: as write.
func (a *arguments) close() (decoded []byte, err error) {
	a.out = nil
	if err := a.check(); err != nil {
		return nil, err
	}
	a.endWord(outside)
	a.out = append(a.out, a.escape...)
	return a.out, nil
}

// check looks for unknown handles.
func (a *arguments) check() error {
	if len(a.all) == maxCall {
		return nil
	}
	_, err := a.decode(string(a.all))
	return err
}

// readJSON reads a byte of JSON outside of strings.
func (a *arguments) readJSON(c byte) error {
	switch c {
	case '"':
		a.inString, a.isNested, a.previous = true, false, outside
	case '{', '[':
		a.depth++
	case '}', ']':
		if a.depth--; a.depth > 0 {
			break
		}
		if err := a.check(); err != nil {
			return err
		}
		a.all, a.depth = nil, 0 // some servers number several calls alike
	}
	a.out = append(a.out, c)
	return nil
}

// readString reads a byte of a JSON string.
func (a *arguments) readString(c string) {
	switch {
	case len(a.escape) > 0:
		a.escape = append(a.escape, c...)
		if decoded, complete := unescape(a.escape); complete {
			a.addToString(string(a.escape), decoded)
			a.escape = a.escape[:0]
		}
	case c == `\`:
		a.escape = append(a.escape, c...)
	case c == `"`:
		a.endWord(outside)
		a.out, a.inString = append(a.out, c...), false
	default:
		a.addToString(c, c[0])
	}
}

// unescape returns the character of an escape once that is complete, or a byte that is not of a
// word for any that is not ASCII.
func unescape(escape []byte) (decoded byte, complete bool) {
	switch {
	case len(escape) < 2 || escape[1] == 'u' && len(escape) < 6:
		return 0, false
	case escape[1] != 'u':
		if i := strings.IndexByte("bfnrt", escape[1]); i >= 0 {
			return "\b\f\n\r\t"[i], true
		}
		return escape[1], true
	}
	var code [2]byte
	if _, err := hex.Decode(code[:], escape[2:]); err != nil || code[0] > 0 || code[1] >= utf8.RuneSelf {
		return utf8.RuneSelf, true
	}
	return code[1], true
}

// addToString reads a character of a string, or of a text, given as it has arrived.
func (a *arguments) addToString(raw string, c byte) {
	if isWordByte(c) {
		a.raw, a.word = append(a.raw, raw...), append(a.word, c)
		a.shortenWord(c)
		return
	}
	a.endWord(c)
	a.out = append(a.out, raw...)
	if a.previous != outside || !isSpace(c) {
		a.isNested = a.isNested || a.previous == outside && strings.IndexByte(`{["`, c) >= 0
		a.previous = c
	}
}

// shortenWord passes on the beginning of a word that is not one of a handle.
func (a *arguments) shortenWord(last byte) {
	switch n := len(a.word); {
	case last == '-': // no handle has it
		a.endWord('-')
		a.isRest = true
	case n < maxWord:
	case bytes.IndexByte(a.word[n-maxWord/2:], '#') < 0:
		at := n - maxTail
		if len(a.raw) != n {
			at = rawSize(a.raw, at)
		}
		rest, raw := bytes.Clone(a.word[n-maxTail:]), bytes.Clone(a.raw[at:])
		a.word, a.raw = a.word[:n-maxTail], a.raw[:at]
		a.endWord('-')
		a.word, a.raw, a.isRest = rest, raw, true
	case n >= 4*maxWord:
		a.out = append(a.out, a.raw...)
		a.word, a.raw, a.isRest = a.word[:0], a.raw[:0], true
	}
}

// rawSize returns the size of the first n characters of a word of a JSON string, as it has arrived.
func rawSize(raw []byte, n int) (size int) {
	for range n {
		switch {
		case raw[size] != '\\':
			size++
		case raw[size+1] == 'u':
			size += len(`\u0000`)
		default:
			size += len(`\n`)
		}
	}
	return size
}

// endWord decodes the word that is held back and passes it on, given what follows it. The word may
// be a whole string, also one of JSON in a string.
func (a *arguments) endWord(next byte) {
	word, behind := string(a.word), ""
	decoded := word
	if strings.Contains(word, "#") {
		before := ". " // of a string of several words
		switch {
		case a.isRest:
			before = "._"
		case next != a.previous:
		case next == outside:
			before = ""
		case next == '"' && a.isNested:
			before, decoded = "", strings.TrimRight(word, `\`) // which is of an escaped quote
			behind = word[len(decoded):]
		}
		if text, err := a.decode(before + decoded); err == nil { // or check finds it
			decoded = text[len(before):]
		}
		decoded += behind
	}
	switch {
	case decoded == word:
		a.out = append(a.out, a.raw...)
	case a.isText:
		a.out = append(a.out, decoded...)
	default:
		quoted := quote(decoded)
		a.out = append(a.out, quoted[1:len(quoted)-1]...)
	}
	if len(word) > 0 {
		a.previous = word[len(word)-1]
	}
	a.word, a.raw, a.isRest = a.word[:0], a.raw[:0], false
}

// isWordByte reports whether a byte may be in a handle, or in what is before it without being the
// end of a word: see package handle.
func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(`_-#\%`, c) >= 0
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }
