package extractor

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// distinguish moves facts shared by all items of a list behind those in which they
// differ, so that a description begins with what tells the record apart.
func (f *finder) distinguish() {
	for i := 0; i < len(f.found); {
		siblings := f.siblings[:0]
		for ; i < len(f.found); i++ {
			c := &f.found[i]
			if c.role != memory.RoleRecord || c.texts.slug == c.texts.description {
				continue // no description, or only an owner
			}
			if len(siblings) > 0 && !f.areSiblings(&f.found[siblings[0]], c) {
				break
			}
			siblings = append(siblings, i)
		}
		f.siblings = siblings
		if len(siblings) > 1 {
			f.demoteShared(siblings)
		}
	}
}

// areSiblings reports whether two records, or their aliases, are items of the same
// list.
func (f *finder) areSiblings(a, b *finding) bool {
	return a.typ == b.typ && bytes.Equal(listOf(f.sighting(a).path), listOf(f.sighting(b).path))
}

// listOf returns the path of the list that contains path; empty if there is no list.
func listOf(path []byte) []byte { return path[:max(0, bytes.LastIndexByte(path, '['))] }

// demoteShared moves the facts of all siblings to the ends of their descriptions.
func (f *finder) demoteShared(siblings []int) {
	f.facts = append(f.facts[:0], f.description(siblings[0])...) // a copy, because the original changes
	for fact := range bytes.SplitSeq(f.facts, factSeparator) {
		lacks := func(i int) bool { _, ok := findFact(f.description(i), fact); return !ok }
		if slices.ContainsFunc(siblings[1:], lacks) {
			continue
		}
		for _, i := range siblings {
			demote(f.description(i), fact)
		}
	}
}

func (f *finder) description(i int) []byte {
	t := &f.found[i].texts
	return f.texts[t.slug:t.description]
}

// factSeparator separates the facts of a description.
var factSeparator = []byte(", ")

// findFact finds a whole fact in a description.
func findFact(description, fact []byte) (at int, ok bool) {
	for at < len(description) {
		next, _, more := bytes.Cut(description[at:], factSeparator)
		if bytes.Equal(next, fact) {
			return at, true
		}
		if !more {
			break
		}
		at += len(next) + len(factSeparator)
	}
	return 0, false
}

// demote moves a fact to the end of a description, in place.
func demote(description, fact []byte) {
	at, ok := findFact(description, fact)
	if !ok || at+len(fact) == len(description) {
		return
	}
	rest := copy(description[at:], description[at+len(fact)+len(factSeparator):])
	copy(description[at+rest:], factSeparator)
	copy(description[at+rest+len(factSeparator):], fact)
}
