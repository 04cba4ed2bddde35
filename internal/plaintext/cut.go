package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// CutMark goes behind a text that was cut. The space keeps it off the last
	// word, which is whole, and may be an identifier.
	CutMark = " …"
	// cutRunes is the length of CutMark.
	cutRunes = 2
)

// CutWords returns a text of at most limit runes whole, and of a longer one as
// many whole words as leave room for the mark of the cut: a part of an
// identifier is another identifier. Not more is read than what can be shown.
func CutWords(text string, limit int) (shown string, cut bool) {
	if len(text) > limit {
		if end := wordEnd(text, limit); end >= 0 {
			text, cut = strings.TrimRightFunc(text[:end], unicode.IsSpace), true
		}
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError)), cut
}

// wordEnd is where a text of more than limit runes is cut, 0 for nowhere, and -1
// for a text that is not too long.
func wordEnd(text string, limit int) int {
	runes, end := 0, 0
	last := utf8.RuneError
	for i, r := range text {
		if runes <= limit-cutRunes && endsWord(last, r) {
			end = i
		}
		if runes == limit {
			return end
		}
		runes++
		last = r
	}
	return -1
}

// endsWord reports whether a word ends between two runes: before a space, behind
// the marks of scripts that have no spaces, and behind the comma between values of
// JSON without spaces. A comma elsewhere may be part of a number or a URL.
func endsWord(last, next rune) bool {
	return unicode.IsSpace(next) ||
		strings.ContainsRune("。，、！？：；", last) ||
		last == ',' && strings.ContainsRune(`"{[`, next)
}
