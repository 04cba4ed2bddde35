package prompt

import (
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

	front    []int32               // see favor
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
	named, held int  // numbers of entities to come, in use as these, that have a line in any case
	trailing    bool // a line comes after its namesakes
	header      int  // tokens of the header, once counted
	written     bool // the block has it
}

// line is an entity as the block shows it.
type line struct {
	entity   *memory.Entity
	at       int32 // index among the given entities
	group    int32
	next     int32 // the next line of the group, or none
	age      int32 // number of calls since its last access
	far      int32 // see distance
	use      use   // how the agent works with it
	favored  bool  // among the lines that a share of the budget is reserved for
	hidden   bool  // not in the block
	cut      bool  // the label is cut
	leads    bool  // the first chosen line of its group
	tokens   int
	reserved int         // tokens set aside for it
	label    string      // not escaped
	source   string      // where the name is from, if the label alone would mislead
	trails   bool        // comes after the other lines of the group
	costs    [2]lineCost // without and with a label

	// first is the index of the identifier to show first: 0 is the entity's ID, others
	// are its aliases. shownIDs is how many are shown, all in the order of id.
	first, ids, shownIDs int
}

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
	d.tools = nil
	if max(cap(d.lines), cap(d.notes)) <= maxPooledLines && cap(d.text) <= maxPooledText {
		drafts.Put(d)
	}
}

// read adds the entities that can be shown, at most perType of each type. Half of these
// lines, rounded up, are for what the agent works with, however new the others are.
func (d *draft) read(newestFirst []memory.Entity, first, perType int, focus Focus) {
	half := (perType + 1) / 2
	for i := range newestFirst {
		e := &newestFirst[i]
		use := useOf(e, focus)
		typ, ok := shownType(e)
		if use == unused || !ok || !d.tools.takes(e, typ) {
			continue
		}
		g := &d.groups[d.group(typ)]
		if use >= named {
			g.named = min(g.named+1, half)
		} else {
			g.held++
		}
		g.held = min(g.held, half-g.named)
	}
	for i := range newestFirst {
		d.add(&newestFirst[i], first+i, perType, useOf(&newestFirst[i], focus))
	}
}

// use is how the agent works with an entity.
type use int8

const (
	unused use = iota
	held       // see memory.Entity.Held
	named      // by the last messages
	typed      // named with its type
)

func useOf(e *memory.Entity, focus Focus) use {
	switch {
	case e.Role == memory.RoleCandidate:
		return unused
	case focus.mentionsID(e), focus.means(e):
		if focus.namesType(e.Type) {
			return typed
		}
		return named
	case e.Held:
		return held
	}
	return unused
}

// maxOlder is how many entities beyond the newest are searched for what the agent works with.
const maxOlder = 512

// readAll adds the first n entities and the first n candidates that can be shown, newest
// first, and of maxOlder entities behind them those that the agent works with.
func (d *draft) readAll(entities, candidates []memory.Entity, n int, focus Focus) {
	first := len(entities)
	d.readNewest(entities[:min(n, len(entities))], candidates[:min(n, len(candidates))], first, focus)
	for i := n; i < min(n+maxOlder, len(entities)); i++ {
		if use := useOf(&entities[i], focus); use != unused {
			d.add(&entities[i], i, 0, use)
		}
	}
}

// readNewest adds entities and candidates, whose positions begin at first, newest first.
func (d *draft) readNewest(entities, candidates []memory.Entity, first int, focus Focus) {
	for i, j := 0, 0; i < len(entities) || j < len(candidates); {
		if j == len(candidates) || i < len(entities) && !candidates[j].Timestamp.After(entities[i].Timestamp) {
			d.add(&entities[i], i, 0, useOf(&entities[i], focus))
			i++
		} else {
			d.add(&candidates[j], first+j, 0, unused)
			j++
		}
	}
}

// add adds an entity, unless it cannot be shown or its type has perType lines, with those
// that are for entities in use; 0 means any number.
func (d *draft) add(e *memory.Entity, at, perType int, use use) {
	typ, ok := shownType(e)
	if !ok || !d.tools.takes(e, typ) {
		return
	}
	i := d.group(typ)
	switch g := &d.groups[i]; {
	case use >= named && g.named > 0:
		g.named--
	case use == held && g.held > 0:
		g.held--
	case perType > 0 && g.size+g.named+g.held >= perType:
		return
	}
	l := newLine(e, at, i)
	l.use = use
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
