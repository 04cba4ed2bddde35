package finding

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// merged merges later sightings of an entity into the first and returns the places of
// the remaining findings, best first. It uses its own hash table because a map
// would need a string for every finding.
func (s *Set) merged(seed maphash.Seed) []place {
	order := s.places[:0]
	for i := range s.found {
		order = append(order, s.found[i].placeAt(i))
	}
	s.places = order
	slices.Sort(order)
	size := 4
	for size < 2*(len(order)+s.aliases) {
		size *= 2
	}
	s.table = append(s.table[:0], make([]int32, size)...) // by id: index of a finding plus 1; 0 means empty
	merged := order[:0]
	for _, p := range order {
		i := p.index()
		c := &s.found[i]
		slot := maphash.Bytes(seed, s.id(c))
		for ; ; slot++ {
			at := &s.table[slot%uint64(size)]
			if *at == 0 {
				*at = int32(i) + 1
				merged = append(merged, p)
				s.placeAliases(seed, i, size)
				break
			}
			if first := &s.found[*at-1]; s.isSame(first, c) {
				s.fillGaps(first, c)
				break
			}
		}
	}
	return merged
}

// placeAliases adds the aliases of a finding to the hash table.
func (s *Set) placeAliases(seed maphash.Seed, i, size int) {
	if !s.found[i].hasAliases() {
		return
	}
	for alias := range s.aliasesOf(&s.found[i]) {
		slot := maphash.Bytes(seed, alias)
		for s.table[slot%uint64(size)] != 0 {
			slot++
		}
		s.table[slot%uint64(size)] = int32(i) + 1
	}
}

// hasAliases reports whether a finding has aliases. Most have none.
func (c *finding) hasAliases() bool { return c.texts.aliases > c.texts.path }

// aliasesOf iterates over the aliases of a finding that has some.
func (s *Set) aliasesOf(c *finding) iter.Seq[[]byte] {
	return bytes.SplitSeq(s.texts[c.texts.path+1:c.texts.aliases], []byte("\n"))
}

// place is a sort key: rank, position in the document, index among the findings.
type place uint64

const indexBits, orderBits = 26, 36

func (c *finding) placeAt(index int) place {
	return place(c.rank())<<(indexBits+orderBits) | place(c.order)<<indexBits | place(index)
}

func (p place) index() int { return int(p & (1<<indexBits - 1)) }

// rank orders findings: available records, unavailable records, references,
// candidates.
func (c *finding) rank() int {
	switch {
	case c.role == memory.RoleCandidate:
		return 3
	case c.role == memory.RoleReference:
		return 2
	case c.unavailable:
		return 1
	}
	return 0
}

// isSame reports whether two findings are the same entity.
func (s *Set) isSame(a, b *finding) bool {
	id := s.id(a)
	if !bytes.Equal(id, s.id(b)) {
		if !a.hasAliases() {
			return false
		}
		for alias := range s.aliasesOf(a) {
			if bytes.Equal(alias, s.id(b)) {
				return b.role != memory.RoleRecord && (b.role == memory.RoleCandidate || a.typ == b.typ || memory.DefaultIdentity("", string(alias)).Type == "")
			}
		}
		return false
	}
	return b.role == memory.RoleCandidate || a.typ == b.typ || memory.DefaultIdentity(a.typ, string(id)) == memory.DefaultIdentity(b.typ, string(id))
}

// fillGaps copies to c what a second sighting of the entity adds.
func (s *Set) fillGaps(c, more *finding) {
	if more.role == memory.RoleCandidate && c.role != memory.RoleCandidate {
		return
	}
	known, other := s.sighting(c), s.sighting(more)
	filled := false
	fill := func(gap *[]byte, text []byte) {
		if len(*gap) == 0 && len(text) > 0 {
			*gap, filled = text, true
		}
	}
	if c.slight && !more.slight && len(other.Description) > 0 {
		known.Description, c.slight = nil, false
	}
	fill(&known.Name, other.Name)
	fill(&known.Slug, other.Slug)
	fill(&known.Description, other.Description)
	if filled {
		s.remember(c, &known)
	}
	if c.state == "" {
		c.state = more.state
	}
	if c.typ == memory.FallbackType {
		c.typ = more.typ
	}
	if more.role == memory.RoleRecord {
		c.role = memory.RoleRecord
	}
}
