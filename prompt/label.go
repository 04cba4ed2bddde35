package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// cutMark ends a label that was cut.
	cutMark = "…"
	// factSeparator separates the facts of a description.
	factSeparator = ", "
	// stateSeparator ends memory.Entity.StatePrefix.
	stateSeparator = ": "
	// shortLabelRunes is the length of the longest label under a tight budget, in
	// runes. It fits the first word or fact of most names and descriptions.
	shortLabelRunes = 13
)

// setLabels sets the full labels of all lines.
func (d *draft) setLabels(limit int) {
	d.order = d.order[:0]
	for i := range d.lines {
		d.fullLabel(int32(i), limit)
		d.order = append(d.order, int32(i))
	}
	d.markSources(d.order)
}

// fullLabel sets a line's label to that of memory.Entity.Label. The description follows
// a name that does not identify the entity: a code, or a name that another entity of the
// type has too, with a different description.
//
// Other named entities are shown without their description even if the budget would
// allow it: labels that depend on the rest of the block would change bytes that prompt
// caches have already seen.
func (d *draft) fullLabel(i int32, limit int) {
	l := &d.lines[i]
	label, state := l.entity.Label(), l.entity.StatePrefix()
	if l.shows(l.entity.Name) && !l.needsName() || label == memory.Placeholder(l.entity.Type) && l.entity.Role != memory.RoleRecord {
		label = l.entity.Description // the name stands in the parentheses, or there is none
		if label = state + label; l.entity.Description == "" {
			label = strings.TrimSuffix(state, stateSeparator)
		}
	} else if l.entity.Name != "" && l.entity.Description != "" && (isCode(l.entity.Name) || d.isAmbiguous(l)) {
		label += factSeparator + l.entity.Description
	}
	if l.use == meant && l.byFact && l.entity.Name != "" {
		label = state + l.entity.Name + factSeparator + d.saidFact(l.entity.Description)
	}
	l.setLabel(label, limit)
}

// saidFact returns the fact of a description that has a word of what the user said.
func (d *draft) saidFact(description string) string {
	for fact := range strings.SplitSeq(description, factSeparator) {
		for word := range plaintext.NameWords(fact) {
			if said, ok := d.focus.words[string(word)]; ok && !said.stop {
				return fact
			}
		}
	}
	return description
}

// needsName reports whether the name stands before the identifiers although it is one of them:
// that of what was named last, and of what is known by a name behind another identifier.
func (l *line) needsName() bool {
	return l.use >= named || l.use >= used && l.entity.Name != l.id(0)
}

// shows reports whether a text is one of the identifiers shown.
func (l *line) shows(text string) bool {
	for i := range l.shownIDs {
		if text != "" && l.id(i) == text {
			return true
		}
	}
	return false
}

// isCode reports whether a name is a word with a digit, such as web-2 or #8496, which is
// no more descriptive than an id. In scripts without spaces a word may be a sentence.
func isCode(name string) bool {
	return strings.ContainsAny(name, "0123456789") && !strings.Contains(name, " ") &&
		!strings.ContainsFunc(name, func(r rune) bool { return r >= 0x0e00 })
}

// maxNamesakes is how many entities of a type, the newest, are searched for namesakes.
const maxNamesakes = 256

// isAmbiguous reports whether another entity of the type has the same name as a line, but
// a different description.
func (d *draft) isAmbiguous(l *line) bool {
	if l.ambiguous == unknown {
		l.ambiguous = no
		i := d.groups[l.group].first
		for n := 0; i != none && n < maxNamesakes; n++ {
			other := d.lines[i].entity
			i = d.lines[i].next
			if other.Name == l.entity.Name && other.Description != l.entity.Description {
				l.ambiguous = yes
				break
			}
		}
	}
	return l.ambiguous == yes
}

// abridge reduces a label to its most informative part in about so many runes: nothing of a
// placeholder, the first facts of a description, the beginning of a name, or a code and
// the first facts after it. It keeps what tells the entity from the chosen ones of its
// type, up to limit runes.
func (d *draft) abridge(i int32, chosen []int32, runes, limit int) {
	l := &d.lines[i]
	state := l.entity.StatePrefix()
	if !hasLabel(l.entity) || l.entity.Name == "" && (l.entity.Role == memory.RoleCandidate || runes < shortLabelRunes) {
		l.setLabel(strings.TrimSuffix(state, stateSeparator), limit)
		return
	}
	d.fullLabel(i, limit)
	full, cut := l.label, l.cut
	code := min(len(state), len(full)) // the length of a state, and of a code that is followed by facts
	if name := l.entity.Name; isCode(name) && code+len(name)+len(factSeparator) < len(full) {
		code += len(name) + len(factSeparator)
	}
	switch facts := full[code:]; {
	case runes < shortLabelRunes:
		l.setLabel(full[:code]+firstWords(facts), limit)
	case runes == shortLabelRunes || code > len(state):
		l.setLabel(full[:code+len(firstFacts(facts))], min(limit, code+runes))
	default:
		l.setLabel(full[:min(len(full), len(state)+len(l.entity.Name))], runes)
	}
	l.cut = l.cut || cut && l.label == full
	d.tellApart(l, full, chosen, limit)
}

// firstWordRunes is the length of the words of a name, in bytes, that are shown if there is no
// room for more. One word is always shown.
const firstWordRunes = 6

// firstWords returns the words at the beginning of a label, as many as fit in firstWordRunes.
func firstWords(label string) string {
	if len(label) <= firstWordRunes {
		return label
	}
	end := strings.LastIndexByte(label[:firstWordRunes+1], ' ')
	if end <= 0 {
		end = strings.IndexByte(label, ' ')
	}
	if end <= 0 {
		return label
	}
	return strings.TrimSuffix(label[:end], ",")
}

// tellApart lengthens the short label of a line that reads like that of a chosen line of
// its type, by what comes where the two differ.
func (d *draft) tellApart(l *line, full string, chosen []int32, limit int) {
	for n := 0; n < len(chosen) && n < maxNamesakes; n++ {
		other := &d.lines[chosen[n]]
		if other.group != l.group || other.label != l.label || other.cut != l.cut {
			continue
		}
		theirs := other.entity.Label()
		at := commonPrefix(full, theirs)
		if at == len(full) {
			continue
		}
		l.lengthen(full, at, limit)
		return
	}
}

// lengthen appends to a short label, the beginning of a full one, what the full one has at a
// position: the fact there, else the word there.
func (l *line) lengthen(full string, at, limit int) {
	short, joint := len(l.label), factSeparator
	if i := strings.LastIndex(full[:at], factSeparator); i >= short {
		at = i + len(factSeparator)
	} else if at = max(wordStart(full, at), short); at-short > len(cutMark) {
		joint = cutMark
	} else {
		joint = full[short:at]
	}
	end, cut := min(len(full), at+shortLabelRunes), false
	if i := strings.Index(full[at:end], factSeparator); i > 0 {
		end = at + i
	} else {
		for end < len(full) && !utf8.RuneStart(full[end]) {
			end++
		}
		cut = end < len(full)
	}
	if joint == full[short:at] {
		l.setLabel(full[:end], limit)
	} else {
		l.setLabel(l.label+joint+full[at:end], limit)
	}
	l.cut = l.cut || cut
}

// commonPrefix returns the length of the common prefix of two texts, in whole runes.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// wordStart returns the start of the word at a position of a text.
func wordStart(text string, at int) int {
	for at > 0 && !strings.ContainsRune(" -_./,", rune(text[at-1])) {
		at--
	}
	return at
}

// hasLabel reports whether an entity has a name or a description.
func hasLabel(e *memory.Entity) bool { return e.Name != "" || e.Description != "" }

// firstFacts returns as many facts of a label as fit in shortLabelRunes, at least one.
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

// setLabel sets the label of a line, cut to limit runes including the mark of the cut.
func (l *line) setLabel(text string, limit int) {
	l.label, l.cut = strings.ToValidUTF8(text, string(utf8.RuneError)), false
	if len(l.label) <= limit {
		return
	}
	runes, end := 0, 0 // end is where the text would be cut
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
