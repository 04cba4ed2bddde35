package outline

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/inert"
)

const (
	// maxNameRunes is the length of the longest key or heading that is shown whole.
	maxNameRunes = 60
	// maxNameBytes is the length of the longest one with its escapes.
	maxNameBytes = 160
)

// step returns a key as a step of a path, or in quotes where there are no paths.
func (r *renderer) step(name []byte) string {
	switch {
	case !r.paths:
		return quote(name)
	case isName(name):
		return "." + string(name)
	default:
		return "[" + quote(name) + "]"
	}
}

// isName reports whether a key needs no quotes in a path.
func isName(key []byte) bool {
	for i, c := range key {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(key) > 0 && len(key) <= maxNameRunes
}

// quote returns a text in quotes, escaped as in package inert, and cut.
func quote(text []byte) string {
	for runes := maxNameRunes; ; runes /= 2 {
		shown, mark := text, ""
		if end := runesEnd(text, runes); end < len(text) {
			shown, mark = text[:end], "…"
		}
		escaped := inert.AppendEscaped([]byte{'"'}, string(shown), inert.InQuotes)
		if len(escaped) <= maxNameBytes || runes == 1 {
			return string(escaped) + mark + `"`
		}
	}
}

// runesEnd returns the end of the first n runes of a text.
func runesEnd(text []byte, n int) (end int) {
	for ; n > 0 && end < len(text); n-- {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return end
}

// number returns a number with its thousands separated: 1,204.
func number(n int) string {
	digits := strconv.Itoa(n)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// count returns a number and a noun, in the plural if need be.
func count(n int, noun string) string {
	if n != 1 {
		if stem, ok := strings.CutSuffix(noun, "ory"); ok { // directory
			noun = stem + "orie"
		}
		noun += "s"
	}
	return number(n) + " " + noun
}
