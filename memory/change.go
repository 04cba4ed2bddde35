package memory

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// smallBatch is how many changes of a kind are prepared without allocating.
const smallBatch = 8

// Change is a set of changes that readers see all at once. They are made in
// the order of the fields; what no longer fits after all of them falls off.
type Change struct {
	// Use lists ids that a tool call took as arguments: known ones move to the
	// front, the first listed foremost, and count a use; unknown ones are
	// ignored. A Type that does not match is taken for a wrong guess where only
	// one entity has the id.
	Use []Ref
	// Add lists entities, best first: the first one ends up in front.
	Add []Entity
	// Remove lists entities that no longer exist; unknown ones are ignored. What
	// a Ref names is the same as in Get.
	Remove []Ref
}

// Add puts an entity in front. What is known of it already is merged, as in
// AddMany. Errors: ErrNoID, ErrTooLong, ErrInvalidID.
func (c *WorkingContext) Add(e Entity) error {
	now := c.opts.now()
	s, err := c.opts.sight(e, now)
	if err != nil {
		return err
	}
	c.commit(nil, []sighting{s}, nil, now)
	return nil
}

// AddMany puts entities in front, the first of them foremost. The outcome is
// that of adding the last one first and the first one last, except that nothing
// falls off before the end: if more come than fit, the first ones stay.
//
// An entity that is present already, or occurs twice, is kept once: new values
// win over old ones, an earlier entity's over a later one's, and none is
// overwritten by an empty one, a Name by a Placeholder, or a Description by one
// of less than half its length. An entity of FallbackType takes the specific
// type when one arrives, and loses it no more. A RoleReference or RoleAlias of
// an entity whose record was seen only fills gaps.
//
// Entities without an id, or whose id or type is too long or not valid UTF-8,
// are refused, and the others added. The error joins one for each of them that
// names its index and wraps ErrNoID, ErrTooLong or ErrInvalidID.
func (c *WorkingContext) AddMany(es []Entity) error {
	return c.Apply(Change{Add: es})
}

// Apply makes a set of changes at once. Errors as in AddMany.
func (c *WorkingContext) Apply(ch Change) error {
	var (
		use, remove [smallBatch]target
		add         [smallBatch]sighting
	)
	now := c.opts.now()
	sightings, err := c.opts.sightings(add[:0], ch.Add, now)
	c.commit(c.opts.targets(use[:0], ch.Use), sightings, c.opts.targets(remove[:0], ch.Remove), now)
	return err
}

// Remove removes an entity and reports whether it was there. What ref names is
// the same as in Get.
func (c *WorkingContext) Remove(ref Ref) bool {
	return c.commit(nil, nil, []target{c.opts.target(ref)}, time.Time{}) > 0
}

func (o *ContextOptions) sightings(dst []sighting, es []Entity, now time.Time) ([]sighting, error) {
	var errs []error
	dst = slices.Grow(dst, len(es))
	for i, e := range es {
		s, err := o.sight(e, now)
		if err != nil {
			errs = append(errs, fmt.Errorf("entity %d: %w", i, err))
			continue
		}
		dst = append(dst, s)
	}
	return dst, errors.Join(errs...)
}

// commit makes a prepared change and returns how many entities it removed. The
// preparation, which calls the functions of the options, needs no lock.
func (c *WorkingContext) commit(use []target, add []sighting, remove []target, now time.Time) int {
	removed, evicted := c.change(use, add, remove, now)
	for _, e := range evicted {
		c.opts.OnEvict(e)
	}
	return removed
}

func (c *WorkingContext) change(use []target, add []sighting, remove []target, now time.Time) (removed int, evicted []Eviction) {
	c.mu.Lock()
	defer c.mu.Unlock()

	// Only the entries touched can change places, and they end up in front: the
	// order is the same as before if it is the same that far.
	var before, after [2 * smallBatch]slab.Handle
	touched, length := len(use)+len(add), c.entries.Len()
	oldFront := c.front(before[:0], touched)

	edited := false
	for _, t := range slices.Backward(use) {
		edited = c.use(t, now) || edited
	}
	for i := range slices.Backward(add) {
		edited = c.put(&add[i]) || edited
	}
	for _, t := range remove {
		if h := c.find(t, strict); h != slab.None {
			c.entries.Remove(h)
			removed++
		}
	}
	evicted = c.evict()
	if edited || c.entries.Len() != length || !slices.Equal(oldFront, c.front(after[:0], touched)) {
		c.version++
	}
	c.compact()
	return removed, evicted
}

// use moves the entity named to the front and counts a use. It reports whether
// there is one.
func (c *WorkingContext) use(t target, now time.Time) bool {
	h := c.find(t, lenient)
	if h == slab.None {
		return false
	}
	e := c.entries.At(h)
	e.entity = used(e.entity, now)
	c.entries.MoveToFront(h)
	return true
}

// put puts an entity in front. It reports whether that changed one that was
// there before the change.
func (c *WorkingContext) put(s *sighting) bool {
	h := c.match(s)
	if h == slab.None {
		c.entries.PushFront(s.ref.ID, entry{typ: s.ref.Type, born: c.version + 1, entity: s.entity})
		return false
	}
	c.entries.MoveToFront(h)
	e := c.entries.At(h)
	if s.entity.Type != FallbackType {
		e.typ = s.ref.Type
	}
	old := e.entity
	e.entity = merge(old, s.entity)
	return e.entity != old && e.born <= c.version
}

// evict lets the least recently used entities fall off that do not fit.
func (c *WorkingContext) evict() []Eviction {
	var evicted []Eviction
	for c.entries.Len() > c.opts.capacity() {
		h := c.entries.Back()
		if c.opts.OnEvict != nil {
			by := c.entries.At(c.entries.Front()).entity
			evicted = append(evicted, Eviction{
				Entity: c.entries.At(h).entity,
				By:     Ref{Type: by.Type, ID: by.ID},
			})
		}
		c.entries.Remove(h)
	}
	return evicted
}

// compact keeps a batch far larger than the capacity from occupying memory for good.
func (c *WorkingContext) compact() {
	if c.entries.Slots() > 2*c.opts.capacity()+smallBatch {
		c.entries = c.entries.Clone()
	}
}

// front appends the first n handles, or as many as there are.
func (c *WorkingContext) front(dst []slab.Handle, n int) []slab.Handle {
	h := c.entries.Front()
	for range min(n, c.entries.Len()) {
		dst = append(dst, h)
		h = c.entries.Next(h)
	}
	return dst
}
