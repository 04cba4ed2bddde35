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
	loose   *entries // candidates; nil without any
	gone    *entries // what calls removed last, for what comes back; nil without any
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

// Get returns an entity or, if none matches, a candidate by its id or an alias. It does not
// count as an access and does not bring an evicted entity back. A Ref whose Type does not
// match finds nothing, unless the id is unambiguous or the Type is FallbackType, which,
// like an empty Type, matches the only entity with the id, or the only candidate if no
// entity has it. A candidate of unknown type matches any Type.
func (c *WorkingContext) Get(ref Ref) (Entity, bool) {
	d := newDraft(&c.opts)
	defer d.release()
	named := d.record(d.addRef(ref))
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.entries.resolve(named, strict); p != nowhere {
		return c.entries.at(p).entity(), true
	}
	if p := c.loose.namedCandidate(named, &c.entries); p != nowhere {
		return c.loose.at(p).entity(), true
	}
	return Entity{}, false
}

// Recent returns the n most recently used entities, without candidates, newest first, or
// none if n <= 0. The caller owns the slice. The texts of all entities share one string.
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
	return c.entries.appendNewest(dst, n, d)
}

// Candidates returns the n newest candidates, newest first, or none if n <= 0: values that
// tools may take as identifiers although no record says so, which have RoleCandidate, and
// evicted entities, which keep their role. The caller owns the slice.
func (c *WorkingContext) Candidates(n int) []Entity { return c.AppendCandidates(nil, n) }

// AppendCandidates appends the result of Candidates to dst and returns the extended slice.
func (c *WorkingContext) AppendCandidates(dst []Entity, n int) []Entity {
	d := newDraft(&c.opts)
	defer d.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= 0 || c.loose == nil {
		return dst
	}
	return c.loose.appendNewest(dst, n, d)
}

// appendNewest appends the n newest entities. The draft lends its buffer.
func (e *entries) appendNewest(dst []Entity, n int, d *draft) []Entity {
	var few [fewRecords]place
	places := e.newest(few[:0], n)
	for _, p := range places {
		d.records = e.at(p).appendText(d.records)
	}
	text := string(d.records)
	start := len(dst)
	dst = slices.Grow(dst, len(places))[:start+len(places)]
	for i, p := range places {
		text = e.at(p).read(&dst[start+i], text)
	}
	return dst
}

// All iterates over a snapshot without candidates, newest first. The snapshot is taken when
// a loop starts; the loop may change the context.
func (c *WorkingContext) All() iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		for _, e := range c.Recent(c.Capacity()) {
			if !yield(e) {
				return
			}
		}
	}
}

// Len returns the number of entities, without candidates.
func (c *WorkingContext) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.len()
}

// Capacity returns the maximum number of entities, without candidates.
func (c *WorkingContext) Capacity() int { return c.opts.capacity() }

// CandidateCapacity returns the maximum number of candidates.
func (c *WorkingContext) CandidateCapacity() int { return c.opts.candidates() }

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

// Clear removes all entities and candidates, and releases their memory.
func (c *WorkingContext) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries.len() > 0 || c.loose != nil || c.gone != nil {
		c.version++
	}
	c.entries, c.loose, c.gone = entries{}, nil, nil
}

// Branch returns an independent copy with the same options, in time
// proportional to its length.
func (c *WorkingContext) Branch() *WorkingContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &WorkingContext{opts: c.opts, entries: c.entries.clone(), loose: c.loose.copied(), gone: c.gone.copied(), version: c.version}
}

// copied returns a deep copy, or nil for nil.
func (e *entries) copied() *entries {
	if e == nil {
		return nil
	}
	clone := e.clone()
	return &clone
}
