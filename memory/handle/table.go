package handle

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxTypes is the number of types with numbers of their own. Entities of further types
	// get handles of memory.FallbackType.
	maxTypes = 1024
	// maxLiterals is the number of literals that are kept.
	maxLiterals = 1024
)

// Table has the handles of one conversation. It is safe for concurrent use. Branches of a
// conversation in one process share it. The zero value is empty, with the default options.
type Table struct {
	opts Options // as given

	mu       sync.Mutex
	next     map[string]int    // the numbers to give out, by type
	known    []entry           // the first to be forgotten first
	ids      map[string]string // by handle
	handles  map[string]string // by id
	literals []string          // that results contained first; never given out
	branch   string
	branches int    // made of the table
	index    *index // of the ids; nil if it is out of date
	version  uint64
}

// entry is a handle that was given out.
type entry struct{ handle, id string }

// NewTable returns an empty table. If opts is nil, the defaults are used.
func NewTable(opts *Options) *Table {
	t := new(Table)
	if opts != nil {
		t.opts = *opts
	}
	return t
}

// Options returns the options of the table, which must not be changed.
func (t *Table) Options() *Options {
	t.mu.Lock()
	defer t.mu.Unlock()
	opts := t.opts
	return &opts
}

// SetOptions sets the options of a table that was restored without them.
func (t *Table) SetOptions(opts *Options) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opts = *opts
}

// Change is what a tool call does to a table.
type Change struct {
	// Literals are texts in the form of handles that the call's result contains.
	Literals []string
	// IDs get handles of their types.
	IDs []memory.Ref
	// Used are ids that a tool took: their handles become the newest ones.
	Used []memory.Ref
}

// ChangeFor returns the change that a tool call makes: it gives handles to the ids of the
// entities in its result that are worth one (see Options), and keeps the literals in the
// result from being given out.
func (o *Options) ChangeFor(result any, entities []memory.Entity, used []memory.Ref) Change {
	opts := o.withDefaults()
	c := Change{Literals: literalsIn(result), Used: used}
	for i := range entities {
		e := &entities[i]
		for _, id := range append([]string{e.ID}, e.Aliases...) {
			if opts.isWorth(e, id) {
				c.IDs = append(c.IDs, memory.Ref{Type: e.Type, ID: id})
			}
		}
	}
	return c
}

// IsEmpty reports whether the change has no effect on any table.
func (c Change) IsEmpty() bool { return len(c.Literals)+len(c.IDs)+len(c.Used) == 0 }

// Apply gives a handle to each id that has none. The handles of all of them become the newest
// ones. Literals that mean nothing yet are never given out.
func (t *Table) Apply(c Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, literal := range c.Literals {
		t.reserve(literal)
	}
	t.touch(c.Used)
	t.touch(c.IDs)
	for _, ref := range c.IDs {
		t.issue(ref)
	}
}

// touch makes the handles of ids the newest.
func (t *Table) touch(refs []memory.Ref) {
	recent := make(map[string]bool)
	for _, ref := range refs {
		if _, ok := t.handles[ref.ID]; ok {
			recent[ref.ID] = true
		}
	}
	if len(recent) == 0 {
		return
	}
	first := len(t.known)
	for n := len(recent); n > 0; {
		if first--; recent[t.known[first].id] {
			n--
		}
	}
	var newest []entry
	kept := t.known[:first]
	for _, e := range t.known[first:] {
		if recent[e.id] {
			newest = append(newest, e)
		} else {
			kept = append(kept, e)
		}
	}
	t.known = append(kept, newest...)
}

// issue gives a handle to an id, unless it has one or the numbers of its type are used up.
func (t *Table) issue(ref memory.Ref) {
	if _, ok := t.handles[ref.ID]; ok || ref.ID == "" || len(t.branch) > maxBranch {
		return
	}
	n := name{typ: typeOf(ref.Type), branch: t.branch}
	if _, ok := t.next[n.typ]; !ok && len(t.next) >= maxTypes {
		n.typ = memory.FallbackType
	}
	n.number = max(1, t.next[n.typ])
	for slices.Contains(t.literals, n.String()) {
		n.number++
	}
	if n.number > maxNumber {
		return
	}
	t.setNext(n.typ, n.number+1)
	t.add(entry{handle: strings.Clone(n.String()), id: strings.Clone(ref.ID)})
	opts := t.opts.withDefaults()
	if extra := len(t.known) - opts.Capacity; extra > 0 {
		for _, e := range t.known[:extra] {
			delete(t.ids, e.handle)
			delete(t.handles, e.id)
		}
		t.known = slices.Delete(t.known, 0, extra)
	}
}

func (t *Table) setNext(typ string, number int) {
	if t.next == nil {
		t.next = make(map[string]int)
	}
	t.next[strings.Clone(typ)] = number
}

func (t *Table) add(e entry) {
	if t.ids == nil {
		t.ids, t.handles = make(map[string]string), make(map[string]string)
	}
	t.known = append(t.known, e)
	t.ids[e.handle], t.handles[e.id] = e.id, e.handle
	t.index = nil
	t.version++
}

// reserve keeps a literal from being given out. Once there are too many, the numbers of the
// oldest one's type go on behind all of them.
func (t *Table) reserve(literal string) {
	n, size := parse(literal)
	issued := strings.HasPrefix(t.branch, n.branch) && n.number < t.next[n.typ] // known, or forgotten
	if _, known := t.ids[literal]; size != len(literal) || known || issued || slices.Contains(t.literals, literal) {
		return
	}
	if len(t.literals) == maxLiterals {
		oldest, _ := parse(t.literals[0])
		t.literals = slices.DeleteFunc(t.literals, func(l string) bool {
			other, _ := parse(l)
			if other.typ == oldest.typ && (t.next[other.typ] != 0 || len(t.next) < maxTypes || other.typ == memory.FallbackType) {
				t.setNext(other.typ, max(t.next[other.typ], other.number+1))
			}
			return other.typ == oldest.typ
		})
	}
	t.literals = append(t.literals, strings.Clone(literal))
	t.version++
}

// isLiteral reports whether a result contained a text in the form of a handle before it could be
// given out.
func (t *Table) isLiteral(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.literals, text)
}

// Handle returns the handle of an id, or the id if it has none.
func (t *Table) Handle(id string) string {
	if t == nil {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if handle, ok := t.handles[id]; ok {
		return handle
	}
	return id
}

// ID returns the id of a handle, and false if the table does not know it.
func (t *Table) ID(handle string) (id string, ok bool) {
	if t == nil {
		return "", false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok = t.ids[handle]
	return id, ok
}

// All iterates over the handles that are known and their ids, the oldest first.
func (t *Table) All() iter.Seq2[string, string] {
	return func(yield func(handle, id string) bool) {
		if t == nil {
			return
		}
		t.mu.Lock()
		known := slices.Clone(t.known)
		t.mu.Unlock()
		for _, e := range known {
			if !yield(e.handle, e.id) {
				return
			}
		}
	}
}

// OfType iterates over the handles of a type that are known and their ids, the oldest first.
func (t *Table) OfType(typ string) iter.Seq2[string, string] {
	return func(yield func(handle, id string) bool) {
		for handle, id := range t.All() {
			if n, _ := parse(handle); n.typ == typ && !yield(handle, id) {
				return
			}
		}
	}
}

// Len returns the number of handles that are known.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.known)
}

// Version changes with every change of the table: equal versions of a table mean equal handles.
func (t *Table) Version() uint64 {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.version
}

// Branch returns a table for a copy of the conversation that goes on by itself. It knows all
// handles, and gives out others than t and its other branches do: page#7a.
func (t *Table) Branch() *Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := NewTable(&t.opts)
	b.branch = t.branch + letters(t.branches)
	t.branches++
	t.version++
	for typ, number := range t.next {
		b.setNext(typ, number)
	}
	for _, e := range t.known {
		b.add(e)
	}
	b.literals = slices.Clone(t.literals)
	return b
}
