package prompt

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// use is why an entity has room before what was merely listed.
type use int8

const (
	unused use = iota
	held       // it was read, or named by an earlier message; see memory.Entity.Held
	used       // a call had its id as an argument
	meant      // the user's last message has rare words of its label
	made       // a call created or changed it
	named      // the last messages have its name or its id
	typed      // and a word of its type
)

// useOf returns how the agent works with an entity, whatever was said last.
func useOf(e *memory.Entity) use {
	switch {
	case !e.Held:
		return unused
	case e.Made:
		return made
	case e.Uses > 0:
		return used
	}
	return held
}

// match is how a Focus refers to an entity.
type match struct {
	use    use
	byFact bool    // by words of the description too
	isPart bool    // the description is that of something else, which is meant by it
	score  float32 // how well the shared words tell the entity from the others; 0 without any

	name     int32 // the index plus one of a name that the focus has
	standing standing
}

// compare orders matches, those that have room first before others.
func (m *match) compare(other *match) int {
	return cmp.Or(cmp.Compare(other.use, m.use), cmp.Compare(other.score, m.score))
}

const (
	// maxSharedWords is how many words of a label are compared.
	maxSharedWords = 24
	// maxMeant is how many entities are meant, and meantScore is the least score of one, that of a
	// word which as many labels have.
	meantScore, maxMeant = 0.57, 3
)

// matcher finds what a Focus refers to. The rarest words of a label decide: a word counts by one
// over the square root of the number of labels that have it.
type matcher struct {
	matches []match
	words   plaintext.NameReader
	shared  []int32 // the numbers of the words that labels share with the focus
	ends    []int   // of the words of each label
	labels  []int32 // by number of a word: how many labels have it
	names   []name
	key     []byte
	best    []int32 // indexes of the matches with the best scores
}

// name is a name that the focus has, the best standing of those who have it, and the type of one
// that has.
type name struct {
	words string
	best  standing
	typ   string
}

// standing is how much the name of an entity counts, since a stranger can give a thing the name
// of another one.
type standing int8

const (
	written  standing = iota // by a text
	reported                 // by a record in the result of a tool that is about something else
	stated                   // by a tool about such entities, or by the program
	inUse                    // and the agent works with the entity
)

func standingOf(e *memory.Entity) standing {
	switch from := e.NameOrigin(); {
	case from.Authority != memory.AuthorityNone && e.Held:
		return inUse
	case from.Authority != memory.AuthorityNone:
		return stated
	case from.Place == memory.PlaceRecord:
		return reported
	}
	return written
}

// match returns how the focus of a content refers to each entity and each candidate. The result
// is valid until the next call.
func (m *matcher) match(c *Content) []match {
	n := len(c.Entities) + len(c.Candidates)
	m.matches = slices.Grow(m.matches[:0], n)[:n]
	clear(m.matches)
	if len(c.Focus.words) > 0 {
		m.compare(c)
		m.rate(c)
	}
	for i := range m.matches {
		e, found := c.at(i), &m.matches[i]
		if c.Focus.mentionsID(e) {
			found.use = named
		}
		if found.use == named && c.Focus.namesType(e.Type) {
			found.use = typed
		}
		if i < len(c.Entities) {
			found.use = max(found.use, useOf(e))
		}
	}
	m.relax(c)
	return m.matches
}

// relax puts what is named behind what the agent made, if the messages name many things, as a plan or
// a summary of the work does.
func (m *matcher) relax(c *Content) {
	count := 0
	for i := range m.matches {
		if m.matches[i].use >= named {
			count++
		}
	}
	for i := range m.matches {
		if found := &m.matches[i]; count > maxNamed && found.use >= named {
			if found.use = meant; i < len(c.Entities) {
				found.use = max(meant, useOf(c.at(i)))
			}
		}
	}
}

// compare finds the words that labels share with the focus, and the names that it has.
func (m *matcher) compare(c *Content) {
	f := &c.Focus
	m.shared, m.ends, m.names = m.shared[:0], m.ends[:0], m.names[:0]
	m.labels = slices.Grow(m.labels[:0], len(f.words))[:len(f.words)]
	clear(m.labels)
	for i := range m.matches {
		e, found, start := c.at(i), &m.matches[i], len(m.shared)
		found.standing = standingOf(e)
		if whole, stops := m.share(f, e.Name, start); whole && (!stops || f.namesType(e.Type)) {
			found.name = m.nameOf(found.standing, e.Type)
		}
		inName := len(m.shared)
		m.share(f, e.Description, start)
		found.byFact = len(m.shared) > inName
		found.isPart = e.Role != memory.RoleRecord && strings.HasPrefix(e.Description, "of ")
		m.share(f, e.ID, start)
		for _, alias := range e.Aliases {
			m.share(f, alias, start)
		}
		for _, word := range m.shared[start:] {
			m.labels[word]++
		}
		m.ends = append(m.ends, len(m.shared))
	}
}

// share appends the numbers of the words of a text that the focus has, each once from start on.
// It reports whether the focus has all of them, and whether these are all stop words.
func (m *matcher) share(f *Focus, text string, start int) (whole, stops bool) {
	n, missing := 0, 0
	stops = true
	m.key = m.key[:0] // the last word if it is missing
	m.words.Read(text, maxSharedWords+1)
	for word := range m.words.All() {
		if n++; n > maxSharedWords {
			return false, false
		}
		said, ok := f.words[string(word)]
		if !ok && len(m.key) > 0 { // follow-up, which people call followup
			if said, ok = f.words[string(append(m.key, word...))]; ok {
				missing--
			}
		}
		m.key = m.key[:0]
		switch {
		case !ok:
			missing++
			m.key = append(m.key, word...)
		case !said.stop:
			stops = false
			if !slices.Contains(m.shared[start:], said.number) {
				m.shared = append(m.shared, said.number)
			}
		}
	}
	return n > 0 && missing == 0, stops
}

// nameOf returns the index plus one of the name that was read last, and notes the standing and the
// type of one who has it.
func (m *matcher) nameOf(s standing, typ string) int32 {
	m.key = m.key[:0]
	for word := range m.words.All() {
		m.key = append(append(m.key, word...), ' ')
	}
	i := slices.IndexFunc(m.names, func(n name) bool { return n.words == string(m.key) })
	if i < 0 {
		i = len(m.names)
		m.names = append(m.names, name{words: string(m.key)})
	}
	if n := &m.names[i]; s > n.best || n.typ == "" {
		n.best, n.typ = s, typ
	}
	return int32(i) + 1
}

// nameIn returns the name of a match that the focus has, or nil.
func (m *matcher) nameIn(found *match) *name {
	if found.name == 0 {
		return nil
	}
	return &m.names[found.name-1]
}

// rate sets the scores of the matches, and what is named and meant. A name means those of the
// best standing who have it, and of the others at most records of another type.
func (m *matcher) rate(c *Content) {
	m.best = m.best[:0]
	start := 0
	for i := range m.matches {
		found := &m.matches[i]
		for _, word := range m.shared[start:m.ends[i]] {
			found.score += 1 / float32(math.Sqrt(float64(m.labels[word])))
		}
		start = m.ends[i]
		switch name := m.nameIn(found); {
		case name != nil && (found.standing == written || found.standing < name.best && c.at(i).Type == name.typ):
		case name != nil && found.standing == name.best && found.standing > reported:
			found.use = named
		case found.score >= meantScore && !found.isPart:
			m.best = append(m.best, int32(i))
		}
	}
	slices.SortStableFunc(m.best, func(a, b int32) int { return cmp.Compare(m.matches[b].score, m.matches[a].score) })
	for _, i := range m.best[:min(len(m.best), maxMeant)] {
		m.matches[i].use = meant
	}
}
