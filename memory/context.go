package memory

import (
	"iter"
	"slices"
	"sync"
)

// WorkingContext is a bounded, deduplicating, least-recently-used collection of
// entities. It is safe for concurrent use; readers never see a half-applied
// change. The zero value is an empty context with default options. It must not
// be copied; see Branch.
//
// Adding, using and removing an entity take constant time, whatever the
// capacity, but for ids that several types share: those are told apart one by
// one.
type WorkingContext struct {
	opts ContextOptions // never changes

	mu      sync.Mutex
	entries entries
	version uint64
}

// NewWorkingContext makes an empty context. nil options mean the defaults.
func NewWorkingContext(opts *ContextOptions) *WorkingContext {
	c := new(WorkingContext)
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// Get returns an entity, if present. It is not an access. A Ref whose Type does
// not match finds nothing, unless the id can only mean one thing or the Type is
// FallbackType, which like an empty one stands for the only type that has the id.
func (c *WorkingContext) Get(ref Ref) (Entity, bool) {
	d := newDraft(&c.opts)
	defer d.release()
	named := d.record(d.name(ref))
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.entries.named(named, strict)
	if p == nowhere {
		return Entity{}, false
	}
	return c.entries.at(p).entity(), true
}

// Recent returns the n most recently used entities, newest first; none for
// n <= 0. The slice is the caller's. The texts of all of them share one string.
func (c *WorkingContext) Recent(n int) []Entity {
	return c.AppendRecent(nil, n)
}

// AppendRecent appends what Recent returns to dst and returns the extended
// slice: who reads often can use one again.
func (c *WorkingContext) AppendRecent(dst []Entity, n int) []Entity {
	if n <= 0 {
		return dst
	}
	d := newDraft(&c.opts)
	defer d.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	var few [fewRecords]place
	places := c.entries.newest(few[:0], n)
	for _, p := range places {
		d.records = c.entries.at(p).appendText(d.records)
	}
	text := string(d.records)
	start := len(dst)
	dst = slices.Grow(dst, len(places))[:start+len(places)]
	for i, p := range places {
		text = c.entries.at(p).read(&dst[start+i], text)
	}
	return dst
}

// All iterates over a snapshot, newest first. Each loop takes its own when it
// starts, and may change the context.
func (c *WorkingContext) All() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		for _, e := range c.Recent(c.Capacity()) {
			if !yield(e) {
				return
			}
		}
	}
}

// Len returns the number of entities.
func (c *WorkingContext) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.len()
}

// Capacity returns how many entities fit.
func (c *WorkingContext) Capacity() int { return c.opts.capacity() }

// Version changes with every change of the content (order, timestamps and uses
// included), and never repeats in the context's lifetime: equal versions mean
// equal content. A change of several entities counts once, and one that leaves
// everything as it was not at all. Read it before the content it is to stand
// for. Versions of different contexts, of a context and its branch too, have
// nothing to do with each other.
func (c *WorkingContext) Version() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Clear removes all entities, and releases their memory.
func (c *WorkingContext) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries.len() > 0 {
		c.entries = entries{}
		c.version++
	}
}

// Branch returns an independent copy with the same options, in time
// proportional to its length.
func (c *WorkingContext) Branch() *WorkingContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &WorkingContext{opts: c.opts, entries: c.entries.clone(), version: c.version}
}
