package finding

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Distinguish moves facts shared by all items of a list, or by those that begin alike, behind
// the facts in which they differ, so that a description begins with what tells the record apart.
func (s *Set) Distinguish() {
	var siblings []*Sighting
	for i := 0; i < len(s.found); {
		siblings = siblings[:0]
		for ; i < len(s.found); i++ {
			c := &s.found[i]
			if c.Role != memory.RoleRecord || len(c.Description) == 0 {
				continue
			}
			if len(siblings) > 0 && !areSiblings(siblings[0], c) {
				break
			}
			siblings = append(siblings, c)
		}
		s.demoteShared(siblings)
		slices.SortStableFunc(siblings, func(a, b *Sighting) int { return bytes.Compare(firstFact(a), firstFact(b)) })
		for rest := siblings; len(rest) > 0; {
			alike := 1
			for alike < len(rest) && bytes.Equal(firstFact(rest[alike]), firstFact(rest[0])) {
				alike++
			}
			s.demoteShared(rest[:alike])
			rest = rest[alike:]
		}
	}
}

// firstFact returns the first fact of a description.
func firstFact(c *Sighting) []byte {
	fact, _, _ := bytes.Cut(c.Description, FactSeparator)
	return fact
}

// areSiblings reports whether two records are items of the same list.
func areSiblings(a, b *Sighting) bool {
	return a.Type == b.Type && bytes.Equal(listOf(a.Path), listOf(b.Path))
}

// listOf returns the path of the list that contains path; empty if there is no list.
func listOf(path []byte) []byte { return path[:max(0, bytes.LastIndexByte(path, '['))] }

// demoteShared moves the facts of all siblings to the ends of their descriptions.
func (s *Set) demoteShared(siblings []*Sighting) {
	if len(siblings) < 2 {
		return
	}
	s.scratch = append(s.scratch[:0], siblings[0].Description...) // a copy, because the original changes
	for fact := range bytes.SplitSeq(s.scratch, FactSeparator) {
		lacks := func(c *Sighting) bool { return findFact(c.Description, fact) < 0 }
		if slices.ContainsFunc(siblings, lacks) {
			continue
		}
		for _, c := range siblings {
			demote(c.Description, fact)
		}
	}
}

// FactSeparator separates the facts of a description.
var FactSeparator = []byte(", ")

// findFact returns the index of a whole fact in a description, or -1.
func findFact(description, fact []byte) int {
	for at := 0; at < len(description); {
		next, _, _ := bytes.Cut(description[at:], FactSeparator)
		if bytes.Equal(next, fact) {
			return at
		}
		at += len(next) + len(FactSeparator)
	}
	return -1
}

// demote moves a fact of a description to its end, in place.
func demote(description, fact []byte) {
	tail := description[findFact(description, fact):]
	if len(tail) == len(fact) {
		return
	}
	rest := copy(tail, tail[len(fact)+len(FactSeparator):])
	copy(tail[rest:], FactSeparator)
	copy(tail[rest+len(FactSeparator):], fact)
}
