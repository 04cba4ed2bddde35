package prompt

import (
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// The text of a block, apart from what entities bring along.
const (
	entityPrefix    = "  - "
	entitySeparator = ", "

	// minLineTokens is what a line takes at the least: its dash, quotes,
	// parentheses and their content are more in every tokenizer we know.
	minLineTokens = 4
)

// layout says how many entities a line holds.
type layout int

const (
	onePerLine layout = iota
	onePerGroup
)

// appendHeader appends the line above a group: the plural of a plain type that
// can be read back, else the type itself in quotes.
func appendHeader(dst []byte, typ string) []byte {
	if plural := english.Plural(typ); isPlain(typ) && english.Singular(plural) == typ {
		return append(append(dst, plural...), ':')
	}
	dst = append(dst, '"')
	dst = plaintext.AppendEscaped(dst, typ, plaintext.InQuotes)
	return append(dst, `":`...)
}

// appendEntity appends an entity: "label" (id).
func appendEntity(dst []byte, l *line) []byte {
	dst = append(dst, '"')
	dst = plaintext.AppendEscaped(dst, l.label, plaintext.InQuotes)
	if l.cut {
		dst = append(dst, cutMark...)
	}
	dst = append(dst, `" (`...)
	dst = plaintext.AppendEscaped(dst, l.entity.ID, plaintext.InParentheses)
	return append(dst, ')')
}

// isPlain reports whether a type is a word that needs no quotes.
func isPlain(typ string) bool {
	return !strings.ContainsFunc(typ, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || plaintext.MustEscape(r, plaintext.InQuotes)
	})
}
