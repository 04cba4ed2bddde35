package prompt

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// maxShownAliases is the number of aliases of an entity that a block shows.
const maxShownAliases = 4

// newLine returns the line of an entity with all its identifiers.
func newLine(e *memory.Entity, at int, group int32) line {
	l := line{entity: e, at: int32(at), group: group, next: none, ids: 1}
	for _, alias := range e.Aliases[:min(len(e.Aliases), maxShownAliases)] {
		if !validID(alias) || alias == e.ID || isNameIn(alias, e.ID) && alias != e.Preferred || slices.Contains(e.Aliases[:l.ids-1], alias) {
			break
		}
		l.ids++
	}
	l.first = max(0, 1+slices.Index(e.Aliases[:l.ids-1], e.Preferred))
	l.shownIDs = l.ids
	return l
}

// isNameIn reports whether an identifier is the name at the end of a path, which shows it: a.txt of
// /data/a.txt.
func isNameIn(alias, path string) bool {
	dir, isEnd := strings.CutSuffix(path, alias)
	return isEnd && strings.HasSuffix(dir, "/") && !strings.Contains(dir, ":")
}

// id returns the identifier to show at a position: the first one, then the others in
// their order.
func (l *line) id(i int) string {
	switch {
	case i == 0:
		i = l.first
	case i <= l.first:
		i--
	}
	if i == 0 {
		return l.entity.ID
	}
	return l.entity.Aliases[i-1]
}

// orderIDs shows the kind of identifier first that tools took of other entities of the
// type, unless the entity says itself which to show.
func (d *draft) orderIDs() {
	for i := range d.lines {
		l := &d.lines[i]
		if g := &d.groups[l.group]; g.used && l.entity.Uses == 0 && g.taken < l.ids {
			l.first = g.taken
		}
	}
}
