package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords is the number of words read from an identifier.
const maxWords = 24

// Words splits an identifier of any style into lower-case words: getPageSections,
// get_page-sections and GET.Page/Sections all give get, page, sections. Runs of
// capitals are one word (HTTPServer → http, server), and digits stay with the word
// before them (ec2). At most 24 words are returned.
func Words(identifier string) []string {
	words := make([]string, 0, 4)
	start := -1
	flush := func(end int) {
		if start >= 0 && len(words) < maxWords {
			words = append(words, strings.ToLower(identifier[start:end]))
		}
		start = -1
	}
	var prev rune
	for i, r := range identifier {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
		case start >= 0 && unicode.IsUpper(r) && (!unicode.IsUpper(prev) || startsWord(identifier[i+utf8.RuneLen(r):])):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		prev = r
	}
	flush(len(identifier))
	return words
}

// startsWord reports whether a capital followed by rest begins a new word after
// a run of capitals: the S of HTTPServer does, the s of IDs does not.
func startsWord(rest string) bool {
	next, size := utf8.DecodeRuneInString(rest)
	if !unicode.IsLower(next) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(rest[size:])
	return next != 's' || unicode.IsLower(after)
}
