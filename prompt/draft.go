package prompt

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

// draft is a block under construction: its candidates, by group.
type draft struct {
	lines  []line  // newest first
	groups []group // in the order of their newest line
	keys   []int64 // sort keys of lines
	order  []int32 // lines, the nearest to the next call first
	chosen []int32 // of order
	text   []byte
	tools  *Toolset
	byType map[string]int32 // groups, once there are many

	front    []int32 // see favor and readFew
	matcher  matcher
	focus    Focus
	speakers map[namesakes]speaker // see markSources

	notes      []note  // the most important first
	byPosition []int32 // notes, in the order of the block
}

// group is the lines of a type.
type group struct {
	typ         string
	first, last int32 // the ends of a list of lines, through line.next
	size        int
	used        bool // an entity of the type was an argument
	taken       int  // the index of the identifier that was the argument
	wanted      bool // used, or mentioned by the focus
	untaken     bool // no tool accepts the type
	count       int  // number of lines ranked, or chosen, so far
	trailing    bool // a line comes after its namesakes
	header      int  // tokens of the header, once counted
	written     bool // the block has it
}

// line is an entity as the block shows it.
type line struct {
	entity  *memory.Entity
	at      int32 // index among the entities, or its complement among the candidates
	group   int32
	next    int32 // the next line of the group, or none
	age     int32 // number of calls since its last access
	far     int32 // see distance
	match         // how the focus refers to it
	favored bool  // among the lines that a share of the budget is reserved for
	hidden  bool  // not in the block
	cut     bool  // the label is cut
	leads   bool  // the first chosen line of its group
	tokens  int
	label   string // not escaped
	source  string // where the name is from, if the label alone would mislead
	trails  bool   // comes after the other lines of the group

	ambiguous answer      // see isAmbiguous
	costs     [2]lineCost // without and with a label

	// first is the index of the identifier to show first: 0 is the entity's ID, others
	// are its aliases. shownIDs is how many are shown, all in the order of id.
	first, ids, shownIDs int
}

// answer is what is known of a question.
type answer int8

const (
	unknown answer = iota
	no
	yes
)

// lineCost is what a line takes as it is, so that it is counted once.
type lineCost struct {
	label           string
	cut, leads      bool
	first, shownIDs int
	tokens          int
}

// none is the index of no line.
const none = -1

// drafts pools drafts, which are empty.
var drafts = sync.Pool{New: func() any { return new(draft) }}

// The largest sizes of a pooled draft.
const (
	maxPooledLines = 1 << 12
	maxPooledText  = 64 << 10
)

func newDraft() *draft { return drafts.Get().(*draft) }

func (d *draft) release() {
	clear(d.lines)
	clear(d.groups)
	clear(d.notes)
	clear(d.byType)
	clear(d.speakers)
	clear(d.text[:cap(d.text)])
	clear(d.matcher.names)
	d.tools, d.focus = nil, Focus{}
	if max(cap(d.lines), cap(d.notes), cap(d.matcher.matches)) <= maxPooledLines && cap(d.text) <= maxPooledText {
		drafts.Put(d)
	}
}

// readFew adds at most lines entities and candidates: what the agent works with, the nearest
// first, and then, newest first, as far as its type has fewer than perType lines.
func (d *draft) readFew(c *Content, lines, perType int) {
	matches := d.matcher.match(c)
	d.front = d.front[:0]
	for i := range matches {
		if _, ok := d.shownType(c.at(i)); ok && matches[i].use != unused {
			d.front = append(d.front, int32(i))
		}
	}
	slices.SortStableFunc(d.front, func(a, b int32) int { return matches[a].compare(&matches[b]) })
	chosen := d.front[:min(len(d.front), lines)]
	counts := make(map[string]int)
	for _, i := range chosen {
		typ, _ := shownType(c.at(int(i)))
		counts[typ]++
	}
	for i := 0; i < len(matches) && len(chosen) < lines; i++ {
		if typ, ok := d.shownType(c.at(i)); ok && matches[i].use == unused && counts[typ] < perType {
			counts[typ]++
			chosen = append(chosen, int32(i))
		}
	}
	slices.Sort(chosen)
	for _, i := range chosen {
		d.add(c, int(i), matches[i])
	}
	d.front = chosen
}

// readAll adds the n newest entities and candidates that can be shown, newest first, and of
// those behind them what the agent works with.
func (d *draft) readAll(c *Content, n int) {
	matches, first := d.matcher.match(c), len(c.Entities)
	for i, j := 0, first; i < first || j < len(matches); {
		at, rank := i, i
		if i == first || j < len(matches) && c.at(j).Timestamp.After(c.at(i).Timestamp) {
			at, rank = j, j-first
			j++
		} else {
			i++
		}
		if rank < n || matches[at].use != unused {
			d.add(c, at, matches[at])
		}
	}
}

// shownType returns the type under which the block shows an entity, and false if it cannot
// show it.
func (d *draft) shownType(e *memory.Entity) (typ string, ok bool) {
	typ, ok = shownType(e)
	return typ, ok && d.tools.takes(e, typ)
}

// add adds the entity or candidate at an index of a content, unless it cannot be shown.
func (d *draft) add(c *Content, i int, m match) {
	e := c.at(i)
	typ, ok := d.shownType(e)
	if !ok {
		return
	}
	if i >= len(c.Entities) {
		i = ^(i - len(c.Entities))
	}
	l := newLine(e, i, d.group(typ))
	l.match = m
	d.append(l)
}

func (d *draft) append(l line) {
	i := int32(len(d.lines))
	g := &d.groups[l.group]
	if g.size == 0 {
		g.first = i
	} else {
		d.lines[g.last].next = i
	}
	g.last = i
	g.size++
	if l.entity.Uses > 0 && !g.used {
		g.used, g.taken = true, l.first
	}
	// Entities of one call have one timestamp.
	if i > 0 {
		l.age = d.lines[i-1].age
		if !l.entity.Timestamp.Equal(d.lines[i-1].entity.Timestamp) {
			l.age++
		}
	}
	d.lines = append(d.lines, l)
}

// fewGroups is how many groups are searched linearly, which for a few is faster than a
// map.
const fewGroups = 32

// group returns the group of a type.
func (d *draft) group(typ string) int32 {
	for i := range d.groups[:min(len(d.groups), fewGroups)] {
		if d.groups[i].typ == typ {
			return int32(i)
		}
	}
	if g, ok := d.byType[typ]; ok {
		return g
	}
	g := int32(len(d.groups))
	if g >= fewGroups {
		if d.byType == nil {
			d.byType = make(map[string]int32)
		}
		d.byType[typ] = g
	}
	d.groups = append(d.groups, group{typ: typ})
	return g
}

// shownType returns the type under which an entity is shown, and false if it cannot be
// shown.
func shownType(e *memory.Entity) (typ string, ok bool) {
	typ = e.Type
	if typ == "" {
		typ = memory.FallbackType
	}
	return typ, validID(e.ID) && validType(typ)
}

func validID(id string) bool {
	return id != "" && len(id) <= memory.MaxIDBytes && utf8.ValidString(id)
}

func validType(typ string) bool {
	return typ != "" && len(typ) <= memory.MaxTypeBytes && utf8.ValidString(typ)
}

// showOnly hides all lines except the chosen ones.
func (d *draft) showOnly(chosen []int32) {
	for i := range d.lines {
		d.lines[i].hidden = true
	}
	for _, i := range chosen {
		d.lines[i].hidden = false
	}
}

// appendBlock appends the groups, ordered by their newest line shown.
func (d *draft) appendBlock(dst []byte, per layout) []byte {
	start := len(dst)
	for i := range d.groups {
		d.groups[i].written = false
	}
	for i := range d.lines {
		g := &d.groups[d.lines[i].group]
		if d.lines[i].hidden || g.written {
			continue
		}
		if len(dst) == start {
			dst = append(dst, Title...)
		}
		dst = d.appendGroup(dst, g, per)
		g.written = true
	}
	return dst
}

func (d *draft) appendGroup(dst []byte, g *group, per layout) []byte {
	dst = append(dst, '\n')
	dst = appendHeader(dst, g.typ)
	start := len(dst)
	dst = d.appendLines(dst, start, g, per, false)
	if g.trailing {
		dst = d.appendLines(dst, start, g, per, true)
	}
	return dst
}

// appendLines appends the lines of a group, which begins at start, that trail or do not.
func (d *draft) appendLines(dst []byte, start int, g *group, per layout, trails bool) []byte {
	for i := g.first; i != none; i = d.lines[i].next {
		l := &d.lines[i]
		switch {
		case l.hidden || l.trails != trails:
			continue
		case len(dst) == start || per == onePerLine:
			dst = append(dst, "\n"+entityPrefix...)
		default:
			dst = append(dst, entitySeparator...)
		}
		dst = appendEntity(dst, l)
	}
	return dst
}
