package prompt

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// The whole policy of a budget. A budget is spent on the entities that are nearest to the
// next call. The distance of an entity, in calls, is its age, adjusted by the constants
// below; docs/design.md shows what each contributes.
const (
	// Types take turns, so that a long list does not flood the block: each further entity
	// of a type is one step farther. The step is small for the records of the latest call,
	// among which the agent is about to choose, and for types that were arguments before or
	// that the user mentions.
	stepOfLatest, stepOfWanted, stepOfOthers = 1, 3, 7
	// unwantedAging is how many times faster entities age if their type was never an
	// argument and the user does not mention it.
	unwantedAging = 3
	// unwantedReference is added for references to entities of such types.
	unwantedReference = 3
	// notTaken is added for types that no tool of the agent accepts, if the tools are known.
	notTaken = 10
	// candidateDistance is added for candidates: what no record says is an identifier.
	candidateDistance = 20
	// addressDistance is added for candidates that are e-mail addresses, which many records
	// have and few tools take.
	addressDistance = 20
	// Long ids take the room of several others: each perLength bytes beyond longID count as
	// a call.
	longID, perLength = 30, 3
	// perScore is subtracted for each word that what was said last shares with this label alone,
	// and a part of it for one that other labels have, up to maxShared, which is subtracted for
	// what is named.
	perScore, maxShared = 12, 24
)

// rank orders the lines, the nearest first.
func (d *draft) rank(focus Focus, tools *Toolset) {
	for i := range d.groups {
		g := &d.groups[i]
		g.wanted = g.used || focus.namesType(g.typ)
		g.untaken = !tools.accepts(g.typ)
		g.count = 0
	}
	d.keys = d.keys[:0]
	for i := range d.lines {
		l := &d.lines[i]
		l.far = int32(distance(l, &d.groups[l.group]))
		d.keys = append(d.keys, sortKey(int(l.far), i))
	}
	slices.Sort(d.keys)
	for k, key := range d.keys {
		l := &d.lines[keyIndex(key)]
		g := &d.groups[l.group]
		d.keys[k] += sortKey(g.count*step(l, g), 0)
		g.count++
	}
	slices.Sort(d.keys)
	d.order = d.order[:0]
	for _, key := range d.keys {
		d.order = append(d.order, keyIndex(key))
	}
}

// sortKey orders lines by distance, and lines of the same distance by index.
func sortKey(distance, index int) int64 { return int64(distance)<<32 + int64(index) }

func keyIndex(key int64) int32 { return int32(key & (1<<32 - 1)) }

// distance returns how far an entity is from the next call, without the steps of its type.
func distance(l *line, g *group) int {
	e := l.entity
	far := int(l.age)
	if !g.wanted {
		far *= unwantedAging
		if e.Role == memory.RoleReference {
			far += unwantedReference
		}
	}
	if g.untaken {
		far += notTaken
	}
	if e.Role == memory.RoleCandidate {
		far += candidateDistance
		if strings.Contains(e.ID, "@") {
			far += addressDistance
		}
	}
	if e.Role == memory.RoleCandidate || strings.Contains(e.ID, "://") {
		far += max(0, len(e.ID)-longID) / perLength
	}
	if l.use >= named {
		return far - maxShared
	}
	return far - int(min(perScore*l.score, maxShared))
}

// step returns by how much each further entity of a type is farther.
func step(l *line, g *group) int {
	switch {
	case l.age == 0 && (l.entity.Role == memory.RoleRecord || g.used):
		return stepOfLatest
	case g.wanted:
		return stepOfWanted
	}
	return stepOfOthers
}
