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
	text   []byte
	byType map[string]int32 // groups, once there are many

	notes      []note  // the most important first
	byPosition []int32 // notes, in the order of the block
}

// group is the lines of a type.
type group struct {
	typ         string
	first, last int32 // the ends of a list of lines, through line.next
	size        int
	// recordUsed and aliasUsed report whether the id, or an alias, of a record of the
	// type was an argument.
	recordUsed, aliasUsed bool
	wanted                bool // used, or mentioned by the focus
	untaken               bool // no tool accepts the type
	taken                 int  // number of lines ranked, or chosen, so far
	written               bool // the block has it
}

// line is an entity as the block shows it.
type line struct {
	entity *memory.Entity
	at     int32 // index among the given entities
	group  int32
	next   int32 // the next line of the group, or none
	age    int32 // number of calls since its last access
	hidden bool  // not in the block
	cut    bool  // the label is cut
	leads  bool  // the first chosen line of its group
	tokens int
	label  string // not escaped
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
	clear(d.text[:cap(d.text)])
	if max(cap(d.lines), cap(d.notes)) <= maxPooledLines && cap(d.text) <= maxPooledText {
		drafts.Put(d)
	}
}

// read adds the first n entities that can be shown, at most perType of each type unless
// it is 0.
func (d *draft) read(newestFirst []memory.Entity, n, perType int) {
	d.lines, d.groups = d.lines[:0], d.groups[:0]
	for i := range newestFirst {
		if len(d.lines) == n {
			break
		}
		e := &newestFirst[i]
		typ, ok := shownType(e)
		if !ok {
			continue
		}
		g := d.group(typ)
		if perType > 0 && d.groups[g].size == perType {
			continue
		}
		d.append(line{entity: e, at: int32(i), group: g, next: none})
	}
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
	if alias := l.entity.Role == memory.RoleAlias; l.entity.Uses > 0 {
		g.aliasUsed, g.recordUsed = g.aliasUsed || alias, g.recordUsed || !alias
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
	first := true
	for i := g.first; i != none; i = d.lines[i].next {
		l := &d.lines[i]
		switch {
		case l.hidden:
			continue
		case first || per == onePerLine:
			dst = append(dst, "\n"+entityPrefix...)
		default:
			dst = append(dst, entitySeparator...)
		}
		first = false
		dst = appendEntity(dst, l)
	}
	return dst
}
