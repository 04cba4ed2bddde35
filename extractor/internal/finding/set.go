package finding

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Sighting is one occurrence of an entity. Its texts may be anywhere in memory.
type Sighting struct {
	Type string
	Role memory.Role
	// Place is the kind of place where it was found.
	Place memory.Place
	// Order is the position in the document.
	Order int
	// ID is the identifier, and Path its path in the result.
	ID, Name, Slug, Description, Path []byte
	// Aliases are further identifiers, each after a line break, AliasCount of them.
	Aliases    []byte
	AliasCount int
	// Prefers is the alias to show first, from 1, or 0.
	Prefers int
	// Slight is set if the description holds figures only, or only an owner.
	Slight bool
	// Unavailable is set if the record declares itself unavailable. It then ranks
	// behind available ones.
	Unavailable bool
	// State tells whether the record still exists, and how it ended: see memory.Entity.
	State string
	// Wrapper replaces Type if an enclosing object turns out to be a record.
	Wrapper string
}

// labels returns the texts that name and describe the entity.
func (s *Sighting) labels() [3]*[]byte {
	return [...]*[]byte{&s.Name, &s.Slug, &s.Description}
}

// texts returns all texts.
func (s *Sighting) texts() [6]*[]byte {
	return [...]*[]byte{&s.ID, &s.Name, &s.Slug, &s.Description, &s.Path, &s.Aliases}
}

// aliases returns the further identifiers. Most sightings have none.
func (s *Sighting) aliases() [][]byte {
	if s.AliasCount == 0 {
		return nil
	}
	return bytes.Split(s.Aliases[1:], []byte("\n"))
}

// Preferred returns the alias to show first, or nil.
func (s *Sighting) Preferred() []byte {
	if s.Prefers == 0 {
		return nil
	}
	return s.aliases()[s.Prefers-1]
}

// Set collects the sightings in a result. It is not safe for concurrent use.
type Set struct {
	// Entities and Candidates are the largest numbers of findings of each tier.
	Entities, Candidates int

	found      []Sighting // whose texts are parts of the buffer
	candidates int
	aliases    int
	full       bool
	buffers
}

// buffers is memory that the next result can reuse.
type buffers struct {
	texts   []byte  // of found
	order   []int32 // of merged
	table   []int32 // of merged
	scratch []byte  // of demoteShared and entity
}

// Len returns the number of sightings.
func (s *Set) Len() int { return len(s.found) }

// Full reports whether an entity was left out for want of room.
func (s *Set) Full() bool { return s.full }

// CandidatesFull reports whether there is no room for a further candidate.
func (s *Set) CandidatesFull() bool { return s.candidates >= s.Candidates }

// Add adds a sighting and reports whether there was room for it. Every entity passes here. A
// sighting whose identifier is or contains a secret is left out; secrets in other texts are
// removed. Labelled secrets have not been read, so only long words are searched, for secrets
// by form.
func (s *Set) Add(seen *Sighting) bool {
	if secret.HasLongWord(seen.ID) && IsSecretID(seen.Type, seen.ID) {
		return true
	}
	seen.hideSecrets()
	if seen.Role == memory.RoleCandidate {
		if s.CandidatesFull() {
			return false
		}
		s.candidates++
	} else if len(s.found)-s.candidates >= s.Entities {
		s.full = true
		return false
	}
	s.aliases += seen.AliasCount
	s.found = append(s.found, *seen)
	s.copyTexts(&s.found[len(s.found)-1])
	return true
}

// copyTexts copies the texts of a finding to the set's buffer.
func (s *Set) copyTexts(c *Sighting) {
	start := len(s.texts)
	for _, text := range c.texts() {
		s.texts = append(s.texts, *text...)
	}
	rest := s.texts[start:]
	for _, text := range c.texts() {
		n := len(*text)
		*text, rest = rest[:n:n], rest[n:]
	}
}

// Wrap replaces the types of findings from index start on by those of their wrappers, because
// they are in a record.
func (s *Set) Wrap(start int) {
	for i := range s.found[start:] {
		c := &s.found[start+i]
		c.Type, c.Wrapper = cmp.Or(c.Wrapper, c.Type), ""
	}
}

// Retype sets the type of some findings.
func (s *Set) Retype(typ string, is func(*Sighting) bool) {
	for i := range s.found {
		if c := &s.found[i]; is(c) {
			c.Type = typ
		}
	}
}

// HasRecord reports whether any finding from index start on is not a candidate.
func (s *Set) HasRecord(start int) bool {
	return slices.ContainsFunc(s.found[start:], func(c Sighting) bool { return c.Role != memory.RoleCandidate })
}

// PlaceInText marks records from index start on as found in running text.
func (s *Set) PlaceInText(start int) {
	for i := range s.found[start:] {
		c := &s.found[start+i]
		c.Place = cmp.Or(c.Place, memory.PlaceText)
	}
}

// Drop removes findings from index start on.
func (s *Set) Drop(start int, is func(*Sighting) bool) {
	kept := slices.DeleteFunc(s.found[start:], func(c Sighting) bool {
		dropped := is(&c)
		if dropped && c.Role == memory.RoleCandidate {
			s.candidates--
		}
		return dropped
	})
	s.found = s.found[:start+len(kept)]
}

// All selects all findings.
func All(*Sighting) bool { return true }

// HasCandidate reports whether a candidate has an id.
func (s *Set) HasCandidate(id []byte) bool {
	return slices.ContainsFunc(s.found, func(c Sighting) bool { return c.Role == memory.RoleCandidate && bytes.Equal(c.ID, id) })
}

// Record returns the record with an id, as it was first seen.
func (s *Set) Record(id string) (e memory.Entity, ok bool) {
	for i := range s.found {
		if c := &s.found[i]; c.Role == memory.RoleRecord && string(c.ID) == id {
			return s.entity(c), true
		}
	}
	return memory.Entity{}, false
}

// Result returns each entity once: records in document order, then references, then
// candidates. Types for which isType is false become the fallback type; it may be nil.
func (s *Set) Result(seed maphash.Seed, isType func(string) bool) []memory.Entity {
	if len(s.found) == 0 {
		return nil
	}
	s.Retype(memory.FallbackType, func(c *Sighting) bool { return c.Type == "" || isType != nil && !isType(c.Type) })
	merged := s.merged(seed)
	entities := make([]memory.Entity, len(merged))
	for i, index := range merged {
		entities[i] = s.entity(&s.found[index])
	}
	return entities
}

// entity returns a finding as an entity. All its texts share one newly allocated string.
func (s *Set) entity(c *Sighting) memory.Entity {
	s.scratch = s.scratch[:0]
	for _, text := range c.texts() {
		s.scratch = append(s.scratch, *text...)
	}
	all := string(s.scratch)
	next := func(text []byte) (part string) {
		part, all = all[:len(text)], all[len(text):]
		return part
	}
	e := memory.Entity{
		Type: c.Type, Role: c.Role, Place: c.Place, State: c.State,
		ID: next(c.ID), Name: next(c.Name), Slug: next(c.Slug), Description: next(c.Description), Path: next(c.Path), // as in texts
	}
	if c.AliasCount > 0 {
		e.Aliases = strings.Split(all[1:], "\n")
	}
	if c.Prefers > 0 {
		e.Preferred = e.Aliases[c.Prefers-1]
	}
	return e
}

// Reset empties the set and keeps its memory, except buffers larger than most bytes.
func (s *Set) Reset(most int) {
	clear(s.found)
	*s = Set{found: Emptied(s.found, most), buffers: buffers{
		texts: Emptied(s.texts, most), order: Emptied(s.order, most), table: Emptied(s.table, most), scratch: Emptied(s.scratch, most),
	}}
}

// Emptied returns a buffer with length 0, or nil if it is larger than most bytes.
func Emptied[T any](buffer []T, most int) []T {
	var one T
	if cap(buffer)*int(unsafe.Sizeof(one)) > most {
		return nil
	}
	return buffer[:0]
}

// IsSecretID reports whether an identifier is or contains a secret. Ids of the type access_key do
// not count, nor do numbers that only pass the check of payment cards, 4539578763621486, unless the
// type names a card.
func IsSecretID(typ string, id []byte) bool {
	isCard := strings.Contains(typ, "card")
	return secret.Within(id) && (isCard || !secret.IsCardNumber(id)) && (typ != "access_key" || !secret.IsAccessKeyID(id))
}

// hideSecrets removes secrets from a sighting's texts other than the identifier. The path consists of
// names of fields, from which naming.Key has removed secrets.
func (s *Sighting) hideSecrets() {
	for _, text := range s.labels() {
		if secret.HasLongWord(*text) {
			*text = secret.Redact(*text)
		}
	}
	if s.AliasCount > 0 && secret.Within(s.Aliases) {
		s.Aliases, s.AliasCount, s.Prefers = nil, 0, 0
	}
}
