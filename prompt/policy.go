package prompt

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// The policy of a budget, whole. A budget is spent on the entities that are
// nearest to the next call. How far each is, in calls, its age and the
// following say; docs/design.md has what each is worth.
const (
	// Types take turns, so that a long list does not flood the block: every
	// further entity of a type is farther by a step. It is small for the records
	// of the latest call, among which the agent is about to choose, and for what
	// tools asked for before or the user speaks of.
	stepOfLatest, stepOfWanted, stepOfOthers = 1, 3, 7
	// unwantedAging is how much faster than others entities age whose type no
	// tool asked for and the user does not speak of.
	unwantedAging = 3
	// unwantedReference is for what is only pointed to, of such types.
	unwantedReference = 3
	// otherKind is for the ids of records where tools take their numbers, and
	// the other way round.
	otherKind = 10
	// notTaken is for types that no tool of the agent takes, where these are known.
	notTaken = 10
	// perWord is how much nearer each word is that the label shares with what
	// was said last, up to maxWords of them. An id that was mentioned is worth
	// as much as all.
	perWord, maxWords = 8, 3
)

// rank orders the lines, the nearest first.
func (d *draft) rank(query Focus, tools *Toolset) {
	for i := range d.groups {
		g := &d.groups[i]
		g.wanted = g.recordUsed || g.aliasUsed || query.namesType(g.typ)
		g.untaken = !tools.accepts(g.typ)
		g.taken = 0
	}
	d.keys = d.keys[:0]
	for i := range d.lines {
		l := &d.lines[i]
		d.keys = append(d.keys, sortKey(distance(l, &d.groups[l.group], query), i))
	}
	slices.Sort(d.keys)
	for k, key := range d.keys {
		l := &d.lines[keyIndex(key)]
		g := &d.groups[l.group]
		d.keys[k] += sortKey(g.taken*step(l, g), 0)
		g.taken++
	}
	slices.Sort(d.keys)
	d.order = d.order[:0]
	for _, key := range d.keys {
		d.order = append(d.order, keyIndex(key))
	}
}

// sortKey orders by distance, and lines of the same distance as they stand.
func sortKey(distance, index int) int64 { return int64(distance)<<32 + int64(index) }

func keyIndex(key int64) int32 { return int32(key & (1<<32 - 1)) }

// distance is how far an entity is from the next call, but for its turn.
func distance(l *line, g *group, query Focus) int {
	e := l.entity
	far := int(l.age)
	if !g.wanted {
		far *= unwantedAging
		if e.Role == memory.RoleReference {
			far += unwantedReference
		}
	}
	switch {
	case e.Role == memory.RoleAlias && g.recordUsed && !g.aliasUsed,
		e.Role == memory.RoleRecord && g.aliasUsed && !g.recordUsed:
		far += otherKind
	}
	if g.untaken {
		far += notTaken
	}
	return far - perWord*query.relevance(e)
}

// step is how far apart the turns of an entity's type are.
func step(l *line, g *group) int {
	switch {
	case l.age == 0 && (l.entity.Role == memory.RoleRecord || g.recordUsed || g.aliasUsed):
		return stepOfLatest
	case g.wanted:
		return stepOfWanted
	}
	return stepOfOthers
}
