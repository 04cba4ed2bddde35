package prompt

import (
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// The fixed text of a block.
const (
	entityPrefix    = "  - "
	entitySeparator = ", "
	idSeparator     = ", "

	// minLineTokens is a lower bound for the tokens of a line: its dash, quotes,
	// parentheses and their content take more in every known tokenizer.
	minLineTokens = 4
)

// layout is the number of entities on a line.
type layout int

const (
	onePerLine layout = iota
	onePerGroup
)

// appendHeader appends the line above a group: the plural of a plain type if it can be
// converted back, otherwise the type itself in quotes.
func appendHeader(dst []byte, typ string) []byte {
	if plural := english.Plural(typ); isPlain(typ) && english.Singular(plural) == typ {
		return append(append(dst, plural...), ':')
	}
	return append(appendQuoted(dst, typ, ""), ':')
}

// appendEntity appends an entity: "label" (id, id).
func appendEntity(dst []byte, l *line) []byte {
	mark := ""
	if l.cut {
		mark = cutMark
	}
	dst = append(appendQuoted(dst, l.label, mark), " ("...)
	for i := range l.shownIDs {
		if i > 0 {
			dst = append(dst, idSeparator...)
		}
		dst = plaintext.AppendEscaped(dst, l.id(i), plaintext.InParentheses)
	}
	return append(dst, ')')
}

// appendQuoted appends a text in quotes, and the mark of its cut.
func appendQuoted(dst []byte, text, mark string) []byte {
	dst = plaintext.AppendEscaped(append(dst, '"'), text, plaintext.InQuotes)
	return append(append(dst, mark...), '"')
}

// isPlain reports whether a type is a word that needs no quotes.
func isPlain(typ string) bool {
	return !strings.ContainsFunc(typ, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || plaintext.MustEscape(r, plaintext.InQuotes)
	})
}
