package memory

import (
	"bytes"
	"slices"
)

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
	d := newDraft(&c.opts)
	defer d.release()
	if err := d.add(&e); err != nil {
		return err
	}
	c.commit(d)
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
	d := newDraft(&c.opts)
	defer d.release()
	d.use(ch.Use)
	err := d.addMany(ch.Add)
	d.remove(ch.Remove)
	c.commit(d)
	return err
}

// Remove removes an entity and reports whether it was there. What ref names is
// the same as in Get.
func (c *WorkingContext) Remove(ref Ref) bool {
	d := newDraft(&c.opts)
	defer d.release()
	d.removals = append(d.removals, d.name(ref))
	return c.commit(d) > 0
}

// commit makes a change and returns how many entities it removed.
func (c *WorkingContext) commit(d *draft) int {
	removed, evicted := c.change(d)
	for _, e := range evicted {
		c.opts.OnEvict(e)
	}
	return removed
}

func (c *WorkingContext) change(d *draft) (removed int, evicted []Eviction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := changing{kept: &c.entries, draft: d, capacity: c.opts.capacity(), onEvict: c.opts.OnEvict != nil}
	ch.use()
	ch.add()
	ch.remove()
	ch.finish()
	if ch.changed {
		c.version++
	}
	return ch.removed, ch.evicted
}

// changing is a change under way, of a context that is locked.
type changing struct {
	kept     *entries
	draft    *draft
	capacity int
	onEvict  bool // evictions are asked for
	removed  int
	evicted  []Eviction
	changed  bool // something differs from before the change
}

// use moves the entities named to the front and counts their uses.
func (c *changing) use() {
	for _, ref := range slices.Backward(c.draft.uses) {
		if p := c.kept.named(c.draft.record(ref), lenient); p != nowhere {
			f := c.kept.at(p).facts()
			f.stamp, f.uses = stampOf(c.draft.now), increased(f.uses)
			c.kept.renew(p, c.kept.hash(p), c.draft.pack(&f))
			c.changed = true
		}
	}
}

// add puts the entities in front, the last one first.
func (c *changing) add() {
	d := c.draft
	for _, s := range d.adds {
		id := d.record(s).identity()
		d.hashes = append(d.hashes, c.kept.hashOf(&id))
	}
	for i, s := range slices.Backward(d.adds) {
		r, hash := d.record(s), d.hashes[i]
		if p := c.kept.match(r, hash); p != nowhere {
			c.merge(p, r, hash)
		} else {
			c.evictAhead(d.hashes[:i])
			c.push(r, hash)
		}
	}
}

// merge puts an entity in front that is present already.
func (c *changing) merge(p place, arriving record, hash uint32) {
	kept := c.kept.at(p)
	fresh := kept.fresh()
	if kept.seenAgain(arriving) {
		c.changed = c.changed || !fresh
		c.kept.touch(p)
		return
	}
	old, newer := kept.facts(), arriving.facts()
	merged := merge(&old, &newer)
	if string(newer.text[textType]) != FallbackType {
		merged.identity.typ = newer.identity.typ
	}
	r := c.draft.pack(&merged)
	same := c.kept.isNewest(p) && bytes.Equal(r, kept)
	c.changed = c.changed || !fresh && !same
	c.kept.renew(p, hash, r)
}

// push puts an entity in front that is not present.
func (c *changing) push(arriving record, hash uint32) {
	if c.tentative() {
		arriving[0] |= flagFresh
	} else {
		c.changed = true
	}
	c.kept.pushFront(hash, arriving)
}

// tentative reports whether what is added may be gone again before the end of
// the change.
func (c *changing) tentative() bool { return len(c.draft.removals) > 0 }

// evictAhead makes room for an entity to be put in front. What falls off is what
// would at the end of the change: the oldest, unless it may be one of those
// still to come.
func (c *changing) evictAhead(toCome []uint32) {
	if c.tentative() || len(toCome) > lookAhead {
		return
	}
	for c.kept.len() >= c.capacity {
		p := c.kept.oldest()
		if c.kept.hasHash(p, toCome) {
			return
		}
		c.evict(p)
	}
}

// lookAhead is how many entities evictAhead looks at.
const lookAhead = 64

func (c *changing) evict(p place) {
	r := c.kept.at(p)
	c.changed = c.changed || !r.fresh()
	if c.onEvict {
		c.evicted = append(c.evicted, Eviction{Entity: r.entity()})
	}
	c.kept.remove(p)
}

func (c *changing) remove() {
	for _, ref := range c.draft.removals {
		if p := c.kept.named(c.draft.record(ref), strict); p != nowhere {
			c.changed = c.changed || !c.kept.at(p).fresh()
			c.kept.remove(p)
			c.removed++
		}
	}
}

// finish lets fall off what does not fit, and looks at what is left.
func (c *changing) finish() {
	for c.kept.len() > c.capacity {
		c.evict(c.kept.oldest())
	}
	if c.tentative() {
		c.settleFresh()
	}
	if len(c.evicted) > 0 {
		by := c.kept.at(c.kept.newest(nil, 1)[0]).entity()
		for i := range c.evicted {
			c.evicted[i].By = Ref{Type: by.Type, ID: by.ID}
		}
	}
	c.kept.fitCapacity(c.capacity)
}

// settleFresh makes what is still new at the end of a change one of the rest.
func (c *changing) settleFresh() {
	for _, p := range c.kept.newest(nil, len(c.draft.adds)) {
		if r := c.kept.at(p); r.fresh() {
			r[0] &^= flagFresh
			c.changed = true
		}
	}
}
