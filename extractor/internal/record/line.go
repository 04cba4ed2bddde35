package record

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// clean returns a text as AppendLine gives it, in scratch memory if need be.
func (o *Object) clean(text []byte) []byte {
	if isCleanLine(text) {
		return text
	}
	start := len(o.scratch.text)
	o.scratch.text = AppendLine(o.scratch.text, text)
	return o.scratch.text[start:]
}

// join joins texts.
func (s *Scratch) join(before []byte, mark string, after []byte) []byte {
	start := len(s.text)
	s.text = append(append(append(s.text, before...), mark...), after...)
	return s.text[start:]
}

// AppendLine appends a text as one line, with white space folded and control
// characters removed.
func AppendLine(b, text []byte) []byte {
	if isCleanLine(text) {
		return append(b, text...)
	}
	start, space := len(b), false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.IsSpace(r):
			space = len(b) > start
		case unicode.IsControl(r):
		default:
			if space {
				b = append(b, ' ')
				space = false
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// isCleanLine reports whether cleaning would leave an ASCII text unchanged.
func isCleanLine(text []byte) bool {
	prev := byte(' ')
	for _, c := range text {
		if c < 0x20 || c >= 0x7f || c == ' ' && prev == ' ' {
			return false
		}
		prev = c
	}
	return prev != ' '
}

// IsLine reports whether a text is valid UTF-8 without control characters.
func IsLine(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) {
			return false
		}
		i += size
	}
	return true
}

// Cut cuts a text at a rune boundary to at most n bytes, ending in "…".
func Cut(text []byte, n int) []byte {
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(bytes.Clone(text[:n]), "…"...)
}

// MaxName is the length in bytes of the longest name.
const MaxName = 256

// NameText returns a text as a name: one line, cut to a limit, and empty if it holds a
// secret.
func NameText(text []byte) []byte {
	if secret.Within(text) {
		return nil
	}
	if len(text) > MaxName {
		text = Cut(text, MaxName)
	}
	return AppendLine(nil, text)
}
