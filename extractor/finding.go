package extractor

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// finding is an entity that was found, before duplicates are merged.
type finding struct {
	typ   string
	role  memory.Role
	texts texts
	// order is the finding's position in the document.
	order int
	// wrapper replaces typ if the frame with index from, whose key gave the type, turns
	// out to be a record.
	wrapper string
	from    int
	// slight is set if the description holds figures only, or only an owner.
	slight bool
	// unavailable is set if the record declares itself unavailable. It then ranks
	// behind available ones.
	unavailable bool
	// prefers is the alias to show first, from 1, or 0.
	prefers int
	// place is the kind of place where it stood.
	stood memory.Place
}

// texts are the offsets of a finding's texts in the finder's buffer. The texts are
// adjacent: each begins where the previous one ends.
type texts struct{ start, id, name, slug, description, path, aliases int }

// sighting is one occurrence of an entity. Its texts may be anywhere in memory.
type sighting struct {
	typ                               string
	role                              memory.Role
	order                             int  // position in the document
	slight                            bool // the description tells little
	id, name, slug, description, path []byte
	aliases                           []byte // each after a line break
}

// add turns a sighting into a finding and copies its texts. It returns nil at the
// limit of findings.
func (f *finder) add(s *sighting) *finding {
	if f.beyond > 0 {
		if f.candidates >= f.x.limits.Candidates {
			return nil
		}
		s.role = memory.RoleCandidate
		f.candidates++
		return f.addFinding(s)
	}
	if len(f.found)-f.candidates >= f.x.limits.Entities {
		f.full, f.cut = true, true
		return nil
	}
	return f.addFinding(s)
}

// addFinding adds a sighting whatever the limits are.
func (f *finder) addFinding(s *sighting) *finding {
	f.found = append(f.found, finding{})
	c := &f.found[len(f.found)-1]
	c.typ, c.role, c.order, c.slight = s.typ, s.role, s.order, s.slight
	f.remember(c, s)
	return c
}

// remember copies the texts of a sighting to the finding.
func (f *finder) remember(c *finding, s *sighting) {
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
	b = append(b, s.aliases...)
	t.aliases = len(b)
	f.texts = b
}

// standsIn records the frame in which a finding was found. If the finding's type
// came through a wrapper, it takes the wrapper's type along.
func (c *finding) standsIn(fr *frame) {
	c.from = fr.from
	if c.typ == fr.noun || fr.noun == "" && c.typ == memory.FallbackType {
		c.wrapper = fr.wrapper
	}
}

// sighting returns a finding with its texts.
func (f *finder) sighting(c *finding) sighting {
	b, t := f.texts, &c.texts
	return sighting{
		id: b[t.start:t.id], name: b[t.id:t.name], slug: b[t.name:t.slug],
		description: b[t.slug:t.description], path: b[t.description:t.path], aliases: b[t.path:t.aliases],
	}
}

// id returns a finding's id.
func (f *finder) id(c *finding) []byte { return f.texts[c.texts.start:c.texts.id] }

// entities returns each entity once: records in document order, then references.
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

// merged merges later sightings of an entity into the first and returns the places of
// the remaining findings, best first. It uses its own hash table because a map
// would need a string for every finding.
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
	for size < 2*(len(order)+f.aliasCount) {
		size *= 2
	}
	f.table = append(f.table[:0], make([]int32, size)...) // by id: index of a finding plus 1; 0 means empty
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
				f.placeAliases(i, size)
				break
			}
			if first := &f.found[*at-1]; f.sameFinding(first, c) {
				f.fillGaps(first, c)
				break
			}
		}
	}
	return merged
}

// placeAliases adds the aliases of a finding to the hash table.
func (f *finder) placeAliases(i, size int) {
	for alias := range f.aliasesOf(&f.found[i]) {
		slot := maphash.Bytes(f.x.seed, alias)
		for f.table[slot%uint64(size)] != 0 {
			slot++
		}
		f.table[slot%uint64(size)] = int32(i) + 1
	}
}

// aliasesOf iterates over the aliases of a finding.
func (f *finder) aliasesOf(c *finding) iter.Seq[[]byte] {
	aliases := f.texts[c.texts.path:c.texts.aliases]
	if len(aliases) == 0 {
		return func(func([]byte) bool) {}
	}
	return bytes.SplitSeq(aliases[1:], []byte("\n"))
}

// place is a sort key: rank, position in the document, index among the findings.
type place uint64

const indexBits, orderBits = 26, 36

func (c *finding) place(index int) place {
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

// sameFinding reports whether two findings are the same entity.
func (f *finder) sameFinding(a, b *finding) bool {
	id := f.id(a)
	if !bytes.Equal(id, f.id(b)) {
		for alias := range f.aliasesOf(a) {
			if bytes.Equal(alias, f.id(b)) {
				return b.role != memory.RoleRecord && (b.role == memory.RoleCandidate || a.typ == b.typ || memory.DefaultIdentity("", string(alias)).Type == "")
			}
		}
		return false
	}
	return (b.role == memory.RoleCandidate || a.typ == b.typ || memory.DefaultIdentity(a.typ, string(id)) == memory.DefaultIdentity(b.typ, string(id)))
}

// fillGaps copies to c what a second sighting of the entity adds.
func (f *finder) fillGaps(c, more *finding) {
	known, other := f.sighting(c), f.sighting(more)
	if more.role == memory.RoleCandidate && c.role != memory.RoleCandidate {
		return
	}
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

// fill sets an entity from a finding. All its texts share one newly allocated
// string.
func (f *finder) fill(e *memory.Entity, c *finding) {
	t := c.texts
	all := string(f.texts[t.start:t.aliases])
	e.Type, e.Role, e.Tool = c.typ, c.role, f.name
	e.ID, e.Name, e.Slug = all[:t.id-t.start], all[t.id-t.start:t.name-t.start], all[t.name-t.start:t.slug-t.start]
	e.Description, e.Path = all[t.slug-t.start:t.description-t.start], all[t.description-t.start:t.path-t.start]
	if t.aliases > t.path {
		e.Aliases = strings.Split(all[t.path-t.start+1:], "\n")
		if c.prefers > 0 {
			e.Preferred = e.Aliases[c.prefers-1]
		}
	}
	e.Source, e.Place = f.tool.Source, c.stood
}
