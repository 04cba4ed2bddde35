package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// cutMark ends a label that was cut.
	cutMark = "…"
	// factSeparator stands between the facts of a description.
	factSeparator = ", "
	// shortLabelRunes is the longest label where a budget is short, in runes. It
	// holds the first word or fact of most names and descriptions.
	shortLabelRunes = 13
)

// setLabels gives all lines their full labels.
func (d *draft) setLabels(limit int) {
	for i := range d.lines {
		d.fullLabel(int32(i), limit)
	}
}

// fullLabel gives a line the label that memory.Entity.Label says. A name that
// does not tell the entity apart has the description behind it: one that is a
// code, or that another entity of the type has too, with another description.
//
// Other named entities go without their description even where the budget would
// allow it: labels that grow and shrink with what else is in the block would
// change bytes that prompt caches have already seen.
func (d *draft) fullLabel(i int32, limit int) {
	l := &d.lines[i]
	label := l.entity.Label()
	if l.entity.Name != "" && l.entity.Description != "" && (isCode(l.entity.Name) || d.isAmbiguous(l)) {
		label += factSeparator + l.entity.Description
	}
	l.setLabel(label, limit)
}

// isCode reports whether a name is a word with a digit in it, web-2 or #8496,
// which says no more than an id does.
func isCode(name string) bool {
	return strings.ContainsAny(name, "0123456789") && !strings.Contains(name, " ")
}

// maxNamesakes is among how many entities of a type, the newest, namesakes are
// looked for.
const maxNamesakes = 256

// isAmbiguous reports whether another entity of the type has the name of a
// line, but not its description.
func (d *draft) isAmbiguous(l *line) bool {
	i := d.groups[l.group].first
	for n := 0; i != none && n < maxNamesakes; n++ {
		other := d.lines[i].entity
		i = d.lines[i].next
		if other.Name == l.entity.Name && other.Description != l.entity.Description {
			return true
		}
	}
	return false
}

// shorten leaves of a label what tells most in few tokens: nothing of a
// placeholder, the first facts of a description, the beginning of a name; of a
// name that is a code all, and the first facts behind it.
func (d *draft) shorten(i int32, limit int) {
	l := &d.lines[i]
	if !hasLabel(l.entity) || l.entity.Name == "" && l.entity.Role == memory.RoleReference {
		l.setLabel("", limit)
		return
	}
	d.fullLabel(i, limit)
	code := 0 // how much of the label is a name that is a code, and followed by what it is of
	if name := l.entity.Name; isCode(name) && len(name)+len(factSeparator) < len(l.label) {
		code = len(name) + len(factSeparator)
	}
	l.setLabel(l.label[:code+len(firstFacts(l.label[code:]))], min(limit, code+shortLabelRunes))
}

// hasLabel reports whether anything is known of an entity that tells it apart.
func hasLabel(e *memory.Entity) bool { return e.Name != "" || e.Description != "" }

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

// setLabel sets the label of a line, cut where it has more than limit runes,
// of which the mark of the cut is one.
func (l *line) setLabel(text string, limit int) {
	l.label, l.cut = strings.ToValidUTF8(text, string(utf8.RuneError)), false
	if len(l.label) <= limit {
		return
	}
	runes, end := 0, 0 // end is where the text is cut, if it is
	for i := range l.label {
		if runes == limit-1 {
			end = i
		}
		if runes == limit {
			l.label, l.cut = l.label[:end], true
			return
		}
		runes++
	}
}
