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
	text = bytes.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	return append(b, bytes.Join(bytes.Fields(text), []byte(" "))...)
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

// IsIDText reports whether a text has only characters of identifiers: valid UTF-8 without
// control characters and white space, but for single spaces where spaced is set, or between
// groups of digits.
func IsIDText(text []byte, spaced bool) bool {
	if bytes.IndexByte(text, ' ') >= 0 && (!spaced && !isDigitGroups(text) || bytes.Contains(text, []byte("  "))) {
		return false
	}
	return !bytes.ContainsFunc(text, func(c rune) bool {
		return c == utf8.RuneError || unicode.IsControl(c) || unicode.IsSpace(c) && c != ' '
	})
}

// isDigitGroups reports whether a text has digits and spaces only: 845 1120 7736.
func isDigitGroups(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r != ' ' && (r < '0' || r > '9') })
}

// Cut cuts a text at a rune boundary to at most n bytes, ending in "…".
func Cut(text []byte, n int) []byte {
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(bytes.Clone(text[:n]), "…"...)
}

// drawn is in front of names in trees, tables and lists of Markdown.
const drawn = " │├└─┬┼|`"

// MaxName is the length in bytes of the longest name.
const MaxName = 256

// NameText returns a text as a name: one line, cut to a limit, without secrets and what trees and tables are
// drawn with. It is empty if nothing else is left.
func NameText(text []byte) []byte {
	text = bytes.TrimLeft(text, drawn)
	if text = secret.Redact(text); string(text) == secret.Mark {
		return nil
	}
	if len(text) > MaxName {
		text = Cut(text, MaxName)
	}
	return AppendLine(nil, text)
}
