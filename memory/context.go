package memory

import (
	"iter"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/slab"
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

	mu      sync.RWMutex
	entries slab.Keyed[entry] // by Ref.ID of the identity, newest first
	version uint64
}

// entry is an entity that is kept.
type entry struct {
	typ    string // Ref.Type of the identity; Ref.ID is the key
	born   uint64 // the version that added it
	entity Entity
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
	t := c.opts.target(ref)
	c.mu.RLock()
	defer c.mu.RUnlock()
	h := c.find(t, strict)
	if h == slab.None {
		return Entity{}, false
	}
	return c.entries.At(h).entity, true
}

// Recent returns the n most recently used entities, newest first; none for
// n <= 0. The slice is the caller's.
func (c *WorkingContext) Recent(n int) []Entity {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n = min(n, c.entries.Len())
	if n <= 0 {
		return nil
	}
	out := make([]Entity, n)
	h := c.entries.Front()
	for i := range out {
		out[i] = c.entries.At(h).entity
		h = c.entries.Next(h)
	}
	return out
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
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries.Len()
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
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// Clear removes all entities, and releases their memory.
func (c *WorkingContext) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries.Len() > 0 {
		c.entries = slab.Keyed[entry]{}
		c.version++
	}
}

// Branch returns an independent copy with the same options, in time
// proportional to its length.
func (c *WorkingContext) Branch() *WorkingContext {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return &WorkingContext{opts: c.opts, entries: c.entries.Clone(), version: c.version}
}
