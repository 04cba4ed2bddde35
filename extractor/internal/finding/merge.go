package finding

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// merged merges later sightings of an entity into the first and returns the indices of
// the remaining findings, best first. It uses its own hash table because a map
// would need a string for every finding.
func (s *Set) merged(seed maphash.Seed) []int32 {
	order := s.order[:0]
	for i := range s.found {
		order = append(order, int32(i))
	}
	s.order = order
	slices.SortStableFunc(order, func(i, j int32) int {
		a, b := &s.found[i], &s.found[j]
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Order, b.Order))
	})
	size := uint64(4)
	for size < 2*uint64(len(order)+s.aliases) {
		size *= 2
	}
	s.table = append(s.table[:0], make([]int32, size)...) // by id: index of a finding plus 1; 0 means empty
	merged := order[:0]
	for _, i := range order {
		c := &s.found[i]
		slot := maphash.Bytes(seed, c.ID)
		for s.table[slot%size] != 0 && !isSame(&s.found[s.table[slot%size]-1], c) {
			slot++
		}
		if first := s.table[slot%size]; first != 0 {
			s.found[first-1].fillGaps(c)
			continue
		}
		merged = append(merged, i)
		s.table[slot%size] = i + 1
		for _, alias := range c.aliases() {
			slot := maphash.Bytes(seed, alias)
			for s.table[slot%size] != 0 {
				slot++
			}
			s.table[slot%size] = i + 1
		}
	}
	return merged
}

// rank orders findings: available records, unavailable records, references,
// candidates.
func (s *Sighting) rank() int {
	switch {
	case s.Role == memory.RoleCandidate:
		return 3
	case s.Role == memory.RoleReference:
		return 2
	case s.Unavailable:
		return 1
	}
	return 0
}

// isSame reports whether two findings are the same entity. a comes first.
func isSame(a, b *Sighting) bool {
	if bytes.Equal(a.ID, b.ID) {
		return b.Role == memory.RoleCandidate || a.Type == b.Type ||
			memory.DefaultIdentity(a.Type, string(a.ID)) == memory.DefaultIdentity(b.Type, string(b.ID))
	}
	return b.Role != memory.RoleRecord && slices.ContainsFunc(a.aliases(), func(alias []byte) bool {
		return bytes.Equal(alias, b.ID) && (b.Role == memory.RoleCandidate || a.Type == b.Type || memory.DefaultIdentity("", string(alias)).Type == "")
	})
}

// fillGaps copies values that a finding lacks from a second sighting of the entity.
func (s *Sighting) fillGaps(more *Sighting) {
	if more.Role == memory.RoleCandidate && s.Role != memory.RoleCandidate {
		return
	}
	if s.Slight && !more.Slight && len(more.Description) > 0 {
		s.Description, s.Slight = nil, false
	}
	theirs := more.labels()
	for i, label := range s.labels() {
		if len(*label) == 0 {
			*label = *theirs[i]
		}
	}
	s.State = cmp.Or(s.State, more.State)
	if s.Type == memory.FallbackType {
		s.Type = more.Type
	}
}
