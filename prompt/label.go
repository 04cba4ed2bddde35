package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

// cutMark ends a label that was cut.
const cutMark = "…"

// setLabels sets the labels of lines: what memory.Entity.Label says, and where
// several entities of a type have the same name but not the same description,
// the description too, so that a reader can tell them apart.
//
// Other named entities go without their description even where the budget would
// allow it: labels that grow and shrink with what else is in the block would
// change bytes that prompt caches have already seen.
func setLabels(lines []line, limit int) {
	ambiguous := ambiguousNames(lines)
	for i := range lines {
		e := lines[i].entity
		label := e.Label()
		if e.Description != "" && ambiguous[name{lines[i].typ, e.Name}] {
			label += factSeparator + e.Description
		}
		lines[i].full = cut(strings.ToValidUTF8(label, string(utf8.RuneError)), limit)
		lines[i].label = lines[i].full
	}
}

// shortLabelRunes is the longest label where a budget is short, in runes. It
// holds the first word or fact of most names and descriptions.
const shortLabelRunes = 13

// shorten leaves of each label what tells most in few tokens: nothing of a
// placeholder, the first facts of a description, the beginning of a name.
func shorten(lines []line) {
	for i := range lines {
		e := lines[i].entity
		switch {
		case e.Name == "" && e.Description == "":
			lines[i].label = ""
		case e.Name == "" && e.Role == memory.RoleReference:
			lines[i].label = ""
		default:
			lines[i].label = cut(firstFacts(lines[i].full), shortLabelRunes)
		}
	}
}

// firstFacts is as many facts of a label as fit into shortLabelRunes, at least one.
func firstFacts(label string) string {
	size := 0
	for fact := range strings.SplitSeq(label, factSeparator) {
		next := size + len(fact)
		if size > 0 {
			next += len(factSeparator)
		}
		if size > 0 && next > shortLabelRunes {
			break
		}
		size = next
	}
	return label[:size]
}

// factSeparator stands between the facts of a description.
const factSeparator = ", "

// name is the name of an entity of a type.
type name struct{ typ, name string }

// ambiguousNames returns the names that entities of different descriptions share.
func ambiguousNames(lines []line) map[name]bool {
	first := make(map[name]*memory.Entity)
	ambiguous := make(map[name]bool)
	for _, l := range lines {
		if l.entity.Name == "" {
			continue
		}
		key := name{l.typ, l.entity.Name}
		if other, ok := first[key]; !ok {
			first[key] = l.entity
		} else if other.Description != l.entity.Description {
			ambiguous[key] = true
		}
	}
	return ambiguous
}

// cut returns text, or its beginning and cutMark where it has more than limit runes.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	runes, end := 0, 0 // end is where the text is cut, if it is
	for i := range text {
		if runes == limit-1 {
			end = i
		}
		if runes == limit {
			return text[:end] + cutMark
		}
		runes++
	}
	return text
}
