package finding

import (
	"bytes"
	"hash/maphash"
	"strings"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Sighting is one occurrence of an entity. Its texts may be anywhere in memory.
type Sighting struct {
	Type string
	Role memory.Role
	// Place is the kind of place where it stood.
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
	// State is whether the record goes on: see memory.Entity.
	State string
	// Wrapper replaces Type if the frame with index From, whose key gave the type, turns
	// out to be a record.
	Wrapper string
	From    int
}

// finding is a sighting whose texts are in the set's buffer.
type finding struct {
	typ         string
	wrapper     string
	from        int
	order       int
	texts       texts
	role        memory.Role
	place       memory.Place
	prefers     int
	state       string
	slight      bool
	unavailable bool
}

// texts are the offsets of a finding's texts in the set's buffer. The texts are
// adjacent: each begins where the previous one ends.
type texts struct{ start, id, name, slug, description, path, aliases int }

// Set is what was found in a result. It is not safe for concurrent use.
type Set struct {
	// Entities and Candidates are the largest numbers of findings of each tier.
	Entities, Candidates int

	found      []finding
	candidates int
	aliases    int
	full       bool
	buffers
}

// buffers is memory that the next result can use again.
type buffers struct {
	texts    []byte  // of found
	places   []place // of merged
	table    []int32 // of merged
	siblings []int   // of Distinguish
	facts    []byte  // of Distinguish
}

// Len returns the number of sightings.
func (s *Set) Len() int { return len(s.found) }

// Full reports whether an entity was left out for want of room.
func (s *Set) Full() bool { return s.full }

// CandidatesFull reports whether there is no room for a further candidate.
func (s *Set) CandidatesFull() bool { return s.candidates >= s.Candidates }

// Add adds a sighting and reports whether there was room for it. Every entity passes here. One
// whose identifier is or holds a secret is left out, and from its other texts secrets are
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
	s.found = append(s.found, finding{
		typ: seen.Type, role: seen.Role, place: seen.Place, order: seen.Order, prefers: seen.Prefers,
		slight: seen.Slight, unavailable: seen.Unavailable, wrapper: seen.Wrapper, from: seen.From, state: seen.State,
	})
	s.remember(&s.found[len(s.found)-1], seen)
	return true
}

// remember copies the texts of a sighting to the finding.
func (s *Set) remember(c *finding, seen *Sighting) {
	b, t := s.texts, &c.texts
	t.start = len(b)
	b = append(b, seen.ID...)
	t.id = len(b)
	b = append(b, seen.Name...)
	t.name = len(b)
	b = append(b, seen.Slug...)
	t.slug = len(b)
	b = append(b, seen.Description...)
	t.description = len(b)
	b = append(b, seen.Path...)
	t.path = len(b)
	b = append(b, seen.Aliases...)
	t.aliases = len(b)
	s.texts = b
}

// Preferred returns the alias to show first, or nil.
func (s *Sighting) Preferred() []byte {
	if s.Prefers == 0 {
		return nil
	}
	return bytes.Split(s.Aliases[1:], []byte("\n"))[s.Prefers-1]
}

// sighting returns a finding's texts.
func (s *Set) sighting(c *finding) Sighting {
	b, t := s.texts, &c.texts
	return Sighting{
		ID: b[t.start:t.id], Name: b[t.id:t.name], Slug: b[t.name:t.slug],
		Description: b[t.slug:t.description], Path: b[t.description:t.path], Aliases: b[t.path:t.aliases],
	}
}

func (s *Set) id(c *finding) []byte { return s.texts[c.texts.start:c.texts.id] }

// Wrap gives the findings from index start on, whose type came through a wrapper from
// outside the frame with index from, the type of their wrapper, unless that is except:
// the items of an order are items.
func (s *Set) Wrap(start, from int, except string) {
	for i := start; i < len(s.found); i++ {
		if c := &s.found[i]; c.wrapper != "" && c.wrapper != except && c.from >= from {
			c.typ, c.wrapper = c.wrapper, ""
		}
	}
}

// Unwrap gives a type to the findings from index start on whose type came through a
// wrapper from the frame with index from.
func (s *Set) Unwrap(start, from int, typ string) {
	for i := start; i < len(s.found); i++ {
		if c := &s.found[i]; c.wrapper != "" && c.from == from {
			c.typ, c.wrapper = typ, ""
		}
	}
}

// Retype gives a type to the findings that have an id and one of other types.
func (s *Set) Retype(id, typ string, from func(string) bool) {
	for i := range s.found {
		if c := &s.found[i]; string(s.id(c)) == id && from(c.typ) {
			c.typ = typ
		}
	}
}

// RetypeItems gives a type to the items of the result's outermost list that have another
// one.
func (s *Set) RetypeItems(from, to string) {
	for i := range s.found {
		if c := &s.found[i]; c.typ == from && bytes.HasPrefix(s.sighting(c).Path, []byte("$[")) {
			c.typ = to
		}
	}
}

// HasRecord reports whether there is more than candidates from index start on.
func (s *Set) HasRecord(start int) bool {
	for i := start; i < len(s.found); i++ {
		if s.found[i].role != memory.RoleCandidate {
			return true
		}
	}
	return false
}

// PlaceInText gives records from index start on the place of running text.
func (s *Set) PlaceInText(start int) {
	for i := start; i < len(s.found); i++ {
		if s.found[i].place == memory.PlaceRecord {
			s.found[i].place = memory.PlaceText
		}
	}
}

// Forget removes the candidates of a kind of place from index start on.
func (s *Set) Forget(start int, place memory.Place) {
	kept := s.found[:start]
	for _, c := range s.found[start:] {
		if c.role == memory.RoleCandidate && c.place == place {
			s.candidates--
			continue
		}
		kept = append(kept, c)
	}
	s.found = kept
}

// HasCandidate reports whether a candidate has an id.
func (s *Set) HasCandidate(id []byte) bool {
	for i := range s.found {
		if c := &s.found[i]; c.role == memory.RoleCandidate && string(s.id(c)) == string(id) {
			return true
		}
	}
	return false
}

// Record returns the record with an id, as it was first seen.
func (s *Set) Record(id string) (e memory.Entity, ok bool) {
	for i := range s.found {
		if c := &s.found[i]; c.role == memory.RoleRecord && string(s.id(c)) == id {
			s.fill(&e, c)
			return e, true
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
	s.cleanTypes(isType)
	merged := s.merged(seed)
	entities := make([]memory.Entity, len(merged))
	for i, p := range merged {
		s.fill(&entities[i], &s.found[p.index()])
	}
	return entities
}

// cleanTypes replaces what is no type.
func (s *Set) cleanTypes(isType func(string) bool) {
	last, ok := "", false // findings of a type are often adjacent
	for i := range s.found {
		c := &s.found[i]
		if c.typ != last {
			last, ok = c.typ, c.typ != "" && (isType == nil || isType(c.typ))
		}
		if !ok {
			c.typ = memory.FallbackType
		}
	}
}

// fill sets an entity from a finding. All its texts share one newly allocated string.
func (s *Set) fill(e *memory.Entity, c *finding) {
	t := c.texts
	all := string(s.texts[t.start:t.aliases])
	*e = memory.Entity{Type: c.typ, Role: c.role, Place: c.place, State: c.state}
	e.ID, e.Name, e.Slug = all[:t.id-t.start], all[t.id-t.start:t.name-t.start], all[t.name-t.start:t.slug-t.start]
	e.Description, e.Path = all[t.slug-t.start:t.description-t.start], all[t.description-t.start:t.path-t.start]
	if t.aliases > t.path {
		e.Aliases = strings.Split(all[t.path-t.start+1:], "\n")
		if c.prefers > 0 {
			e.Preferred = e.Aliases[c.prefers-1]
		}
	}
}

// Reset empties the set and keeps its memory, but for buffers larger than most bytes.
func (s *Set) Reset(most int) {
	clear(s.found)
	*s = Set{found: Emptied(s.found, most), buffers: buffers{
		texts: Emptied(s.texts, most), places: Emptied(s.places, most), table: Emptied(s.table, most),
		siblings: Emptied(s.siblings, most), facts: Emptied(s.facts, most),
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
