package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// CutMark marks a text that was cut. Its space separates it from the last word,
	// which is whole and may be an identifier.
	CutMark = " …"
	// cutRunes is the length of CutMark in runes.
	cutRunes = 2
)

// CutWords returns text if it has at most limit runes. Otherwise it returns as many
// whole words as leave room for CutMark: part of an identifier would be another
// identifier. It reads no more of text than it returns.
func CutWords(text string, limit int) (shown string, cut bool) {
	if len(text) > limit {
		if end := wordEnd(text, limit); end >= 0 {
			text, cut = strings.TrimRightFunc(text[:end], unicode.IsSpace), true
		}
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError)), cut
}

// wordEnd returns where a text of more than limit runes is cut: 0 if no word fits, -1
// if the text is short enough.
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

// endsWord reports whether a word ends between two runes: before a space, after
// punctuation of scripts without spaces, and after the comma between values of
// compact JSON. Other commas may be part of a number or a URL.
func endsWord(last, next rune) bool {
	return unicode.IsSpace(next) ||
		strings.ContainsRune("。，、！？：；", last) ||
		last == ',' && strings.ContainsRune(`"{[`, next)
}
