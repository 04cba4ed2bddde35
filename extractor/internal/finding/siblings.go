package finding

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Distinguish moves facts shared by all items of a list, or by those that begin alike, behind
// those in which they differ, so that a description begins with what tells the record apart.
func (s *Set) Distinguish() {
	for i := 0; i < len(s.found); {
		siblings := s.siblings[:0]
		for ; i < len(s.found); i++ {
			c := &s.found[i]
			if c.role != memory.RoleRecord || c.texts.slug == c.texts.description {
				continue // no description, or only an owner
			}
			if len(siblings) > 0 && !s.areSiblings(&s.found[siblings[0]], c) {
				break
			}
			siblings = append(siblings, i)
		}
		s.siblings = siblings
		s.demoteShared(siblings)
		slices.SortStableFunc(siblings, func(a, b int) int { return bytes.Compare(s.firstFact(a), s.firstFact(b)) })
		for rest := siblings; len(rest) > 0; {
			alike := slices.IndexFunc(rest, func(i int) bool { return !bytes.Equal(s.firstFact(i), s.firstFact(rest[0])) })
			if alike < 0 {
				alike = len(rest)
			}
			s.demoteShared(rest[:alike])
			rest = rest[alike:]
		}
	}
}

// firstFact returns what a description begins with.
func (s *Set) firstFact(i int) []byte {
	fact, _, _ := bytes.Cut(s.description(i), FactSeparator)
	return fact
}

// areSiblings reports whether two records, or their aliases, are items of the same
// list.
func (s *Set) areSiblings(a, b *finding) bool {
	return a.typ == b.typ && bytes.Equal(listOf(s.sighting(a).Path), listOf(s.sighting(b).Path))
}

// listOf returns the path of the list that contains path; empty if there is no list.
func listOf(path []byte) []byte { return path[:max(0, bytes.LastIndexByte(path, '['))] }

// demoteShared moves the facts of all siblings to the ends of their descriptions.
func (s *Set) demoteShared(siblings []int) {
	if len(siblings) < 2 {
		return
	}
	s.facts = append(s.facts[:0], s.description(siblings[0])...) // a copy, because the original changes
	for fact := range bytes.SplitSeq(s.facts, FactSeparator) {
		lacks := func(i int) bool { _, ok := findFact(s.description(i), fact); return !ok }
		if slices.ContainsFunc(siblings[1:], lacks) {
			continue
		}
		for _, i := range siblings {
			demote(s.description(i), fact)
		}
	}
}

func (s *Set) description(i int) []byte {
	t := &s.found[i].texts
	return s.texts[t.slug:t.description]
}

// FactSeparator separates the facts of a description.
var FactSeparator = []byte(", ")

// findFact finds a whole fact in a description.
func findFact(description, fact []byte) (at int, ok bool) {
	for at < len(description) {
		next, _, more := bytes.Cut(description[at:], FactSeparator)
		if bytes.Equal(next, fact) {
			return at, true
		}
		if !more {
			break
		}
		at += len(next) + len(FactSeparator)
	}
	return 0, false
}

// demote moves a fact to the end of a description, in place.
func demote(description, fact []byte) {
	at, ok := findFact(description, fact)
	if !ok || at+len(fact) == len(description) {
		return
	}
	rest := copy(description[at:], description[at+len(fact)+len(FactSeparator):])
	copy(description[at+rest:], FactSeparator)
	copy(description[at+rest+len(FactSeparator):], fact)
}
