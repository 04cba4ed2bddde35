package prompt

import (
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/inert"
)

// The fixed text of a block.
const (
	entityPrefix    = "  - "
	entitySeparator = ", "
	idSeparator     = ", "
	sourcePrefix    = " from "

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

// appendEntity appends an entity: "label" (id, id), and its source if it has to be shown.
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
		dst = inert.AppendEscaped(dst, l.id(i), inert.InParentheses)
	}
	dst = append(dst, ')')
	if l.source == "" || l.label == "" {
		return dst
	}
	return appendSource(append(dst, sourcePrefix...), l.source)
}

// appendSource appends a source: as it is if it is a word as names of tools are, otherwise
// in quotes.
func appendSource(dst []byte, source string) []byte {
	if sourceLen(source) == len(source) {
		return append(dst, source...)
	}
	return appendQuoted(dst, source, "")
}

// sourceLen returns the length of the word as names of tools are that a text begins with.
func sourceLen(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("_-./:", c) >= 0:
		default:
			return i
		}
	}
	return len(text)
}

// appendQuoted appends a text in quotes, and the mark of its cut.
func appendQuoted(dst []byte, text, mark string) []byte {
	dst = inert.AppendEscaped(append(dst, '"'), text, inert.InQuotes)
	return append(append(dst, mark...), '"')
}

// isPlain reports whether a type is a word that needs no quotes.
func isPlain(typ string) bool {
	return !strings.ContainsFunc(typ, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || inert.MustEscape(r, inert.InQuotes)
	})
}
