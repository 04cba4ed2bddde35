package extractor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// maxWords bounds how many words of one identifier are looked at.
const maxWords = 24

// splitWords splits an identifier of any style into lower-case words:
// getPageSections, get_page-sections and GET.Page/Sections all give
// get, page, sections. Runs of capitals are one word (HTTPServer → http, server)
// and digits stay with the word before them (ec2).
func splitWords(s string) []string {
	words := make([]string, 0, 4)
	start := -1
	flush := func(end int) {
		if start >= 0 && len(words) < maxWords {
			words = append(words, strings.ToLower(s[start:end]))
		}
		start = -1
	}
	var prev rune
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
		case start >= 0 && unicode.IsUpper(r) && (!unicode.IsUpper(prev) || startsWord(s[i+utf8.RuneLen(r):])):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		prev = r
	}
	flush(len(s))
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

// singularNoun joins words to a type name: the last word in the singular, joined by "_".
func singularNoun(words []string) string {
	if len(words) == 0 {
		return ""
	}
	last := len(words) - 1
	single := english.Singular(words[last])
	if last == 0 {
		return single
	}
	return strings.Join(words[:last], "_") + "_" + single
}

// lastWord is the head of a noun: request of pull_request.
func lastWord(noun string) string {
	return noun[strings.LastIndexByte(noun, '_')+1:]
}
