package extractor

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// candidate is an entity found, before duplicates are merged.
type candidate struct {
	typ   string
	role  memory.Role
	texts texts
	// order is the place in the document.
	order int
	// wrapper is the type it takes if the frame from, of which its type was first
	// said, is a record itself.
	wrapper string
	from    int
	// slight is true for a description that tells little: figures only, or whose a thing is.
	slight bool
	// unavailable is true for a record that says it cannot be had: it comes behind the others.
	unavailable bool
}

// texts say where the texts of a candidate stand in the finder's: one behind the
// other, each from where the one before it ends.
type texts struct{ start, id, name, slug, description, path int }

// sighting is what is found of an entity, with its texts where they happen to be.
type sighting struct {
	typ                               string
	role                              memory.Role
	order                             int  // the place in the document
	slight                            bool // the description tells little
	id, name, slug, description, path []byte
}

// add makes a candidate of a sighting, whose texts are copied. It is nil if
// there are enough.
func (f *finder) add(s *sighting) *candidate {
	if len(f.found) >= f.x.limits.Entities {
		f.full, f.cut = true, true
		return nil
	}
	f.found = append(f.found, candidate{})
	c := &f.found[len(f.found)-1]
	c.typ, c.role, c.order, c.slight = s.typ, s.role, s.order, s.slight
	f.remember(c, s)
	return c
}

// remember keeps the texts of a sighting as those of a candidate.
func (f *finder) remember(c *candidate, s *sighting) {
	b, t := f.texts, &c.texts
	t.start = len(b)
	b = append(b, s.id...)
	t.id = len(b)
	b = append(b, s.name...)
	t.name = len(b)
	b = append(b, s.slug...)
	t.slug = len(b)
	b = append(b, s.description...)
	t.description = len(b)
	b = append(b, s.path...)
	t.path = len(b)
	f.texts = b
}

// standsIn says in which frame a candidate was found. It takes its wrapper's
// type with it if its own came through the wrapper.
func (c *candidate) standsIn(fr *frame) {
	c.from = fr.from
	if c.typ == fr.noun || fr.noun == "" && c.typ == memory.FallbackType {
		c.wrapper = fr.wrapper
	}
}

// sighting gives the texts of a candidate.
func (f *finder) sighting(c *candidate) sighting {
	b, t := f.texts, &c.texts
	return sighting{
		id: b[t.start:t.id], name: b[t.id:t.name], slug: b[t.name:t.slug],
		description: b[t.slug:t.description], path: b[t.description:t.path],
	}
}

// id is the id of a candidate.
func (f *finder) id(c *candidate) []byte { return f.texts[c.texts.start:c.texts.id] }

// entities returns what was found, records in the order of the document and
// what they only point to behind, each entity once.
func (f *finder) entities() []memory.Entity {
	if len(f.found) == 0 {
		return nil
	}
	merged := f.merged()
	entities := make([]memory.Entity, len(merged))
	for i, p := range merged {
		f.fill(&entities[i], &f.found[p.index()])
	}
	return entities
}

// merged are the places of the candidates, best first, that remain after later
// sightings of an entity were merged into its first. A hash table of our own
// finds these: a map would need a string for every candidate.
func (f *finder) merged() []place {
	order := f.places[:0]
	for i := range f.found {
		c := &f.found[i]
		if c.typ == "" {
			c.typ = memory.FallbackType
		}
		order = append(order, c.place(i))
	}
	f.places = order
	slices.Sort(order)
	size := 4
	for size < 2*len(order) {
		size *= 2
	}
	f.table = append(f.table[:0], make([]int32, size)...) // by id: a candidate's index plus 1; 0 is empty
	merged := order[:0]
	for _, p := range order {
		i := p.index()
		c := &f.found[i]
		slot := maphash.Bytes(f.x.seed, f.id(c))
		for ; ; slot++ {
			at := &f.table[slot%uint64(size)]
			if *at == 0 {
				*at = int32(i) + 1
				merged = append(merged, p)
				break
			}
			if first := &f.found[*at-1]; f.sameCandidate(first, c) {
				f.fillGaps(first, c)
				break
			}
		}
	}
	return merged
}

// place is a candidate's place in the order of what is returned: by rank, then
// by its place in the document, then by its index among the candidates.
type place uint64

const indexBits, orderBits = 26, 36

func (c *candidate) place(index int) place {
	return place(c.rank())<<(indexBits+orderBits) | place(c.order)<<indexBits | place(index)
}

func (p place) index() int { return int(p & (1<<indexBits - 1)) }

// rank orders what a call brought, best first: records, those that cannot be
// had, what is only pointed to.
func (c *candidate) rank() int {
	switch {
	case c.role == memory.RoleReference:
		return 2
	case c.unavailable:
		return 1
	}
	return 0
}

// sameCandidate reports whether two candidates are the same entity.
func (f *finder) sameCandidate(a, b *candidate) bool {
	id := f.id(a)
	return bytes.Equal(id, f.id(b)) &&
		(a.typ == b.typ || memory.DefaultIdentity(a.typ, string(id)) == memory.DefaultIdentity(b.typ, string(id)))
}

// fillGaps adds what a second sighting of an entity knows and the first does not.
func (f *finder) fillGaps(c, more *candidate) {
	known, other := f.sighting(c), f.sighting(more)
	filled := false
	fill := func(gap *[]byte, text []byte) {
		if len(*gap) == 0 && len(text) > 0 {
			*gap, filled = text, true
		}
	}
	if c.slight && !more.slight && len(other.description) > 0 {
		known.description, c.slight = nil, false
	}
	fill(&known.name, other.name)
	fill(&known.slug, other.slug)
	fill(&known.description, other.description)
	if filled {
		f.remember(c, &known)
	}
	if c.typ == memory.FallbackType {
		c.typ = more.typ
	}
	if more.role == memory.RoleRecord {
		c.role = memory.RoleRecord
	}
}

// fill makes an entity of a candidate. Its texts are parts of one string that is
// its own.
func (f *finder) fill(e *memory.Entity, c *candidate) {
	t := c.texts
	all := string(f.texts[t.start:t.path])
	e.Type, e.Role, e.Tool = c.typ, c.role, f.name
	e.ID, e.Name, e.Slug = all[:t.id-t.start], all[t.id-t.start:t.name-t.start], all[t.name-t.start:t.slug-t.start]
	e.Description, e.Path = all[t.slug-t.start:t.description-t.start], all[t.description-t.start:]
}
