package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// The text of a block, apart from what entities bring along.
const (
	title           = Title
	entityPrefix    = "  - "
	entitySeparator = " · "

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

// line is an entity as the block shows it.
type line struct {
	entity *memory.Entity
	typ    string // never empty
	label  string // cut, but not escaped
	full   string // the label where there is room for all of it
}

// newLine says how an entity is shown, but for its label, and false where it
// cannot be shown.
func newLine(e *memory.Entity) (line, bool) {
	typ := e.Type
	if typ == "" {
		typ = memory.FallbackType
	}
	return line{entity: e, typ: typ}, validID(e.ID) && validType(typ)
}

func validID(id string) bool {
	return id != "" && len(id) <= memory.MaxIDBytes && utf8.ValidString(id)
}

func validType(typ string) bool {
	return typ != "" && len(typ) <= memory.MaxTypeBytes && utf8.ValidString(typ)
}

// newest returns the lines of the first n entities that can be shown.
func newest(newestFirst []memory.Entity, n int) []line {
	lines := make([]line, 0, min(n, len(newestFirst)))
	for i := range newestFirst {
		if len(lines) == n {
			break
		}
		if l, ok := newLine(&newestFirst[i]); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

// upToPerType returns the lines of the newest n entities of each type.
func upToPerType(newestFirst []memory.Entity, n int) []line {
	var lines []line
	shown := make(map[string]int)
	for i := range newestFirst {
		if l, ok := newLine(&newestFirst[i]); ok && shown[l.typ] < n {
			shown[l.typ]++
			lines = append(lines, l)
		}
	}
	return lines
}

// appendBlock appends the block of lines given newest first: groups in the
// order of their newest entity.
func appendBlock(dst []byte, lines []line, per layout) []byte {
	if len(lines) == 0 {
		return dst
	}
	rank := make(map[string]int)
	for _, l := range lines {
		if _, ok := rank[l.typ]; !ok {
			rank[l.typ] = len(rank)
		}
	}
	grouped := slices.Clone(lines)
	slices.SortStableFunc(grouped, func(a, b line) int { return rank[a.typ] - rank[b.typ] })

	dst = append(dst, title...)
	for i, l := range grouped {
		first := i == 0 || l.typ != grouped[i-1].typ
		if first {
			dst = append(dst, '\n')
			dst = appendHeader(dst, l.typ)
		}
		if first || per == onePerLine {
			dst = append(dst, "\n"+entityPrefix...)
		} else {
			dst = append(dst, entitySeparator...)
		}
		dst = appendEntity(dst, l)
	}
	return dst
}

// appendHeader appends the line above a group: the plural of a plain type that
// can be read back, else the type itself in quotes.
func appendHeader(dst []byte, typ string) []byte {
	if plural := english.Plural(typ); isPlain(typ) && english.Singular(plural) == typ {
		return append(append(dst, plural...), ':')
	}
	dst = append(dst, '"')
	dst = appendEscaped(dst, typ, inQuotes)
	return append(dst, `":`...)
}

// appendEntity appends an entity: "label" (id).
func appendEntity(dst []byte, l line) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, l.label, inQuotes)
	dst = append(dst, `" (`...)
	dst = appendEscaped(dst, l.entity.ID, inParentheses)
	return append(dst, ')')
}

// isPlain reports whether a type is a word that needs no quotes.
func isPlain(typ string) bool {
	return !strings.ContainsFunc(typ, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || mustEscape(r, inQuotes)
	})
}
