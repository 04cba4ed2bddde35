package memory

import (
	"iter"
	"slices"
	"sync"
)

// WorkingContext is a bounded, deduplicating, least-recently-used collection of
// entities. It is safe for concurrent use; readers never see a partially applied
// change. The zero value is an empty context with default options. It must not
// be copied; see Branch.
//
// Adding, using and removing an entity take constant time, whatever the capacity,
// except that entities with the same id but different types are compared one by one.
type WorkingContext struct {
	opts ContextOptions // never changes

	mu      sync.Mutex
	entries entries
	version uint64
}

// NewWorkingContext returns an empty context. If opts is nil, the defaults are used.
func NewWorkingContext(opts *ContextOptions) *WorkingContext {
	c := new(WorkingContext)
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// Get returns an entity, if present. It does not count as an access. A Ref whose Type
// does not match finds nothing, unless the id is unambiguous or the Type is
// FallbackType, which, like an empty Type, matches the only entity with the id.
func (c *WorkingContext) Get(ref Ref) (Entity, bool) {
	d := newDraft(&c.opts)
	defer d.release()
	named := d.record(d.addRef(ref))
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.entries.resolve(named, strict)
	if p == nowhere {
		return Entity{}, false
	}
	return c.entries.at(p).entity(), true
}

// Recent returns the n most recently used entities, newest first, or none if n <= 0.
// The caller owns the slice. The texts of all entities share one string.
func (c *WorkingContext) Recent(n int) []Entity {
	return c.AppendRecent(nil, n)
}

// AppendRecent appends the result of Recent to dst and returns the extended slice, so
// that frequent readers can reuse it.
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

// All iterates over a snapshot, newest first. The snapshot is taken when a loop
// starts; the loop may change the context.
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

// Capacity returns the maximum number of entities.
func (c *WorkingContext) Capacity() int { return c.opts.capacity() }

// Version returns a number that changes with every change of the content, including
// order, timestamps and uses, and never repeats: equal versions mean equal content. A
// Change counts once, and not at all if it has no effect. Callers that cache content
// must read the version before the content. Versions of different contexts, including
// branches, are unrelated.
func (c *WorkingContext) Version() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Clear removes all entities and releases their memory.
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
