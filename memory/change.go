package memory

import (
	"bytes"
	"slices"
)

// Change is a set of changes that is applied atomically. The fields are applied in
// their order; entities that no longer fit at the end are evicted and become candidates,
// and candidates that no longer fit are forgotten.
type Change struct {
	// Use lists ids that a tool call had as arguments. Known entities move to the
	// front, the first listed foremost, and count a use; candidates become entities, and
	// unknown ids are ignored. A Type that does not match is ignored if only one entity has
	// the id and no candidate of the Type does.
	Use []Ref
	// Changed lists ids of entities that the call changed. Known ones among them become
	// Made; candidates do not.
	Changed []Ref
	// Mention lists ids that the user or the model wrote. Known entities among them are
	// held, and candidates become entities; others are ignored.
	Mention []Ref
	// Add lists entities, best first: the first one ends up in front. What a call's
	// result says of a known entity that Use names has full authority. One that is a
	// candidate is merged with it and becomes an entity. Those with RoleCandidate become
	// candidates unless an entity or an evicted one has the id. Elements of a view replace
	// those of the view that the same source showed before.
	Add []Entity
	// Remove lists entities and candidates that no longer exist; unknown ones are ignored. The
	// last 32 removed entities, but for those below a folder, are remembered until one with the id
	// is added with authority, which then has their names.
	// Refs are resolved as in Get and, if that finds nothing, more freely: the Type of an id that
	// only one entity has does not matter, unless the id is so short that other things
	// have it too, and the id may be the name of the only such entity of the Type. The
	// candidates from the entity's own record leave with it. A Ref of type folder whose ID ends in
	// "/" names all that is below the folder.
	Remove []Ref
}

// Add puts an entity in front. If it is known already, the two are merged as in
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

// AddMany puts entities in front, the first of them foremost. The result is that of
// adding the last one first and the first one last, except that nothing is evicted
// before the end: if there are more entities than fit, the first ones stay.
//
// An entity that is present already, or occurs twice, is kept once. New values replace
// old ones, and those of an earlier entity replace those of a later one. A value is
// never replaced by an empty one, a Name never by a Placeholder, and a Description
// never by one of less than half its length: a shorter one from a call that had the id as an
// argument comes before the facts of the known one that are of other kinds. An entity of FallbackType adopts a
// specific type when one arrives, and keeps it. A RoleReference only fills
// the gaps of an entity whose record was seen.
//
// A name, with what else describes the entity and its aliases, and a type change only by
// authority: that of the program (AuthorityFull), of a tool over what it is about
// (AuthorityOwn) unless a tool of another Source gave the known one, of the very tool that
// gave it, or of any record if it came from a text, a view, a candidate or a foreign key, but
// of none without authority if it came from a tool over what it is about. A running text
// never replaces what a record says. Entities from PlaceFieldText have no authority. An
// entity that lacks it counts as an access and changes nothing. Two entities never become
// one because a later one lists both ids, and an alias that is another entity's id is kept
// only if tools about them, of one Source, gave both.
//
// A candidate that arrives is merged by the same rules. An evicted entity with a short id
// matches only an entity of its type.
//
// Entities without an id, and those whose id or type is too long or not valid UTF-8,
// are rejected; the others are added. The error joins one error for each rejected
// entity, which has its index and wraps ErrNoID, ErrTooLong or ErrInvalidID.
func (c *WorkingContext) AddMany(es []Entity) error {
	return c.Apply(Change{Add: es})
}

// Apply applies a set of changes atomically. Its errors are those of AddMany.
func (c *WorkingContext) Apply(ch Change) error {
	d := newDraft(&c.opts)
	defer d.release()
	d.uses = d.name(d.uses, ch.Use)
	d.changes = d.name(d.changes, ch.Changed)
	d.mentions = d.name(d.mentions, ch.Mention)
	err := d.addMany(ch.Add)
	d.remove(ch.Remove)
	c.commit(d)
	return err
}

// Remove removes and forgets an entity or a candidate and reports whether it was present. The ref is
// resolved as in Change.Remove.
func (c *WorkingContext) Remove(ref Ref) bool {
	d := newDraft(&c.opts)
	defer d.release()
	d.removals, d.forgets = append(d.removals, d.addRef(ref)), true
	return c.commit(d) > 0
}

// commit applies a change, reports evictions, and returns the number of entities
// removed by name.
func (c *WorkingContext) commit(d *draft) int {
	removed, evicted := c.applyDraft(d)
	for _, e := range evicted {
		c.opts.OnEvict(e)
	}
	return removed
}

func (c *WorkingContext) applyDraft(d *draft) (removed int, evicted []Eviction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := changing{kept: &c.entries, loose: c.loose, gone: c.gone, draft: d, capacity: c.opts.capacity(), onEvict: c.opts.OnEvict != nil}
	ch.use()
	ch.mark()
	ch.mention()
	ch.add()
	ch.remove()
	ch.finish()
	c.loose, c.gone = ch.loose.orNil(), ch.gone.orNil()
	if ch.changed {
		c.version++
	}
	return ch.removed, ch.evicted
}

// orNil returns nil in place of an empty list.
func (e *entries) orNil() *entries {
	if e == nil || e.len() == 0 {
		return nil
	}
	return e
}

// changing is a change in progress. The context is locked.
type changing struct {
	kept     *entries
	loose    *entries // candidates; may be nil
	gone     *entries // see WorkingContext; may be nil
	draft    *draft
	capacity int
	onEvict  bool // collect evictions
	removed  int
	evicted  []Eviction
	changed  bool // the content differs from before the change
	holds    bool // an arriving entity is held
}

// use moves the used entities to the front and counts their uses.
func (c *changing) use() {
	for _, s := range slices.Backward(c.draft.uses) {
		ref := c.draft.record(s)
		p := c.named(ref)
		if p == nowhere {
			c.promote(ref, true)
			continue
		}
		f := c.kept.at(p).facts()
		f.stamp, f.uses, f.held = stampOf(c.draft.now), increased(f.uses), true
		if len(f.text[textAliases]) > 0 {
			f.prefer(ref)
		}
		c.kept.renew(p, c.kept.hash(p), c.draft.pack(&f))
		c.changed = true
	}
}

// prefer makes the identifier that ref names the preferred one.
func (f *facts) prefer(ref record) {
	id := ref.identity()
	list := slices.Clone(f.text[textAliases])
	list[0] = byte(aliasList(list).index(id.text()))
	f.text[textAliases] = list
}

// mark marks the changed entities as made.
func (c *changing) mark() {
	for _, s := range c.draft.changes {
		if p := c.named(c.draft.record(s)); p != nowhere && c.kept.setMark(p, flagMade) {
			c.changed = true
		}
	}
}

// mention holds the entities, and promotes the candidates, that the user or the model wrote.
func (c *changing) mention() {
	for _, s := range slices.Backward(c.draft.mentions) {
		ref := c.draft.record(s)
		if p := c.named(ref); p == nowhere {
			c.promote(ref, false)
		} else if c.kept.setMark(p, flagHeld) {
			c.changed = true
		}
	}
}

// promote makes a candidate that was used or mentioned an entity, a guess a reference, and puts it
// in front. The type of a use is better than none.
func (c *changing) promote(ref record, used bool) {
	p := c.loose.namedCandidate(ref, c.kept)
	if p == nowhere {
		return
	}
	f := c.loose.at(p).facts()
	if roles[f.role] == RoleCandidate {
		f.role = roleIndex(RoleReference)
	}
	f.stamp, f.held = stampOf(c.draft.now), true
	if used {
		f.uses = increased(f.uses)
		if len(f.text[textAliases]) > 0 {
			f.prefer(ref)
		}
	}
	if typ := ref.typ(); len(typ) > 0 && string(f.text[textType]) == FallbackType {
		f.text[textType] = typ
	}
	f.identify(c.draft.opts)
	r := c.draft.pack(&f)
	r = c.withoutKnown(r, r, nowhere, r.aliases())
	c.kept.pushFront(c.kept.hashOf(&f.identity), r)
	c.loose.remove(p)
	c.dropAliased(r)
	c.changed = true
}

// identify sets the identity that the type and the id have.
func (f *facts) identify(opts *ContextOptions) {
	ref := opts.identify(string(f.text[textType]), f.idText())
	f.identity = identity{typ: []byte(ref.Type), id: []byte(bounded(ref.ID, MaxIDBytes))}
	if u, ok := parseUUID(ref.ID); ok {
		f.identity.id, f.identity.packed = u[:], true
	}
}

// add puts the entities in front, beginning with the last.
func (c *changing) add() {
	d := c.draft
	c.replaceViews()
	for _, s := range d.adds {
		id := d.record(s).identity()
		d.hashes = append(d.hashes, c.kept.hashOf(&id))
		c.holds = c.holds || d.record(s).held()
	}
	for i, s := range slices.Backward(d.adds) {
		r, hash := d.record(s), d.hashes[i]
		if r.role() == RoleCandidate {
			c.addCandidate(r)
			continue
		}
		c.dropPretenders(r)
		if p := c.match(r, hash); p != nowhere {
			c.merge(p, r, hash)
			c.dropCandidate(r)
		} else {
			r = c.withCandidate(r)
			c.evictAhead(d.hashes[:i])
			c.push(r, hash)
		}
	}
}

// addCandidate adds a candidate unless an entity of any type has its id, or an evicted one.
func (c *changing) addCandidate(r record) {
	id := r.identity()
	if c.draft.opts.candidates() == 0 || c.kept.hasID(&id, nowhere, true) || c.kept.resolve(r, lenient) != nowhere {
		return
	}
	r = c.withoutKnown(r, r, nowhere, nil)
	if p := c.loose.candidate(r); p != nowhere {
		if c.loose.at(p).role() != RoleCandidate {
			return // an evicted entity
		}
		c.changed = true
		old, newer := c.loose.at(p).facts(), r.facts()
		merged := merge(&old, &newer, false)
		c.loose.renew(p, c.loose.hash(p), c.draft.pack(&merged))
		return
	}
	c.pushCandidate(r)
}

// pushCandidate puts a new candidate in front of the others. Those that no longer fit are evicted
// at the end of the change.
func (c *changing) pushCandidate(r record) {
	if c.loose == nil {
		c.loose = new(entries)
	}
	id := r.identity()
	c.loose.pushFront(c.loose.hashOf(&id), r)
	c.changed = true
}

func (c *changing) evictCandidate() {
	p := c.loose.oldest()
	if c.onEvict {
		c.evicted = append(c.evicted, Eviction{Entity: c.loose.at(p).entity()})
	}
	c.loose.remove(p)
}

// withCandidate returns a new entity with what is known of the candidate that it turns out to be,
// or of the removed one that is back, which leaves its list, and without the aliases of others.
func (c *changing) withCandidate(arriving record) record {
	from, p := c.loose, c.loose.candidate(arriving)
	if p == nowhere && arriving.authority() != AuthorityNone {
		from, p = c.gone, c.gone.candidate(arriving)
	}
	if p == nowhere {
		return c.withoutKnown(arriving, arriving, nowhere, nil)
	}
	old, newer := from.at(p).facts(), arriving.facts()
	if roles[old.role] == RoleCandidate { // a guess has nothing to add
		from.remove(p)
		c.changed = true
		return c.withoutKnown(arriving, arriving, nowhere, nil)
	}
	merged := merge(&old, &newer, false)
	if bytes.Equal(merged.text[textType], newer.text[textType]) {
		merged.identity = newer.identity
	} else if merged.identify(c.draft.opts); len(newer.identity.typ) > 0 && isTyped(arriving) || c.kept.hasID(&merged.identity, nowhere, false) ||
		from == c.gone && c.loose.hasEvicted(&merged.identity) {
		return c.withoutKnown(arriving, arriving, nowhere, nil) // it may not give the known one its type, or is another one
	}
	c.draft.recalled = merged.appendTo(c.draft.recalled[:0])
	r := c.withoutKnown(c.draft.recalled, arriving, nowhere, old.text[textAliases])
	from.remove(p)
	c.changed = c.changed || from == c.loose
	return r
}

// dropCandidate removes the candidate that an arriving entity, which is known, turns out to be.
func (c *changing) dropCandidate(arriving record) {
	p := c.loose.candidate(arriving)
	if p == nowhere {
		return
	}
	r := c.loose.at(p)
	known, id := r.identity(), arriving.identity()
	if r.role() == RoleCandidate || bytes.Equal(known.typ, id.typ) {
		c.loose.remove(p)
		c.changed = true
	}
}

// dropAliased removes the candidates that are named by the aliases of an entity.
func (c *changing) dropAliased(r record) {
	if c.loose == nil {
		return
	}
	for alias := range r.aliases().all() {
		id := aliasIdentity(alias, nil)
		if _, _, p := c.loose.lookup(&id, c.loose.hashOf(&id)); p != nowhere && c.kept.resolve(c.loose.at(p), lenient) != nowhere {
			c.loose.remove(p)
			c.changed = true
		}
	}
}

// merge merges an entity with the one that is present already, and moves it to the
// front.
func (c *changing) merge(p place, arriving record, hash uint32) {
	kept := c.kept.at(p)
	fresh := kept.fresh()
	if kept.seenAgain(arriving) {
		c.changed = c.changed || !fresh
		c.kept.touch(p)
		return
	}
	old, newer := kept.facts(), arriving.facts()
	merged := merge(&old, &newer, c.isAsked(p))
	switch {
	case !old.sameID(&newer):
		hash = c.kept.hash(p)
		if len(old.identity.typ) > 0 { // the type is part of the identity
			merged.text[textType] = old.text[textType]
		}
	case bytes.Equal(merged.text[textType], newer.text[textType]):
		merged.identity.typ = newer.identity.typ
	}
	r := c.withoutKnown(c.draft.pack(&merged), arriving, p, old.text[textAliases])
	same := c.kept.isNewest(p) && bytes.Equal(r, kept)
	c.changed = c.changed || !fresh && !same
	c.kept.renew(p, hash, r)
	c.dropAliased(r)
}

// push puts a new entity in front.
func (c *changing) push(arriving record, hash uint32) {
	arriving[marksAt] &^= flagActive
	if c.tentative() {
		arriving[0] |= flagFresh
	} else {
		c.changed = true
	}
	c.kept.pushFront(hash, arriving)
	c.dropAliased(arriving)
}

// tentative reports whether the same change may remove an added entity again.
func (c *changing) tentative() bool { return len(c.draft.removals) > 0 }

// evictAhead makes room for a new entity. It evicts only what would be evicted at the
// end of the change: the next one, unless it may be among those still to come, or one of
// the change is held and takes a part of the reserve.
func (c *changing) evictAhead(toCome []uint32) {
	if c.tentative() || c.holds || len(toCome) > lookAhead {
		return
	}
	for c.kept.len() >= c.capacity {
		p := c.kept.next(c.draft.opts.reserve())
		if c.kept.hasHash(p, toCome) {
			return
		}
		c.evict(p)
	}
}

// lookAhead is the largest number of hashes that evictAhead compares.
const lookAhead = 64

// evict moves an entity to the candidates.
func (c *changing) evict(p place) {
	r := c.kept.at(p)
	if c.onEvict {
		c.evicted = append(c.evicted, Eviction{Entity: r.entity()})
	}
	fresh := r.fresh()
	c.draft.packed = append(c.draft.packed[:0], r...)
	r = c.draft.packed
	c.kept.remove(p)
	if c.draft.opts.candidates() == 0 {
		c.changed = c.changed || !fresh
		return
	}
	r[0] &^= flagFresh
	r[marksAt] &^= flagHeld | flagMade
	c.pushCandidate(r)
}

// finish evicts what does not fit, completes the evictions, and releases memory.
func (c *changing) finish() {
	for c.kept.len() > c.capacity {
		c.evict(c.kept.next(c.draft.opts.reserve()))
	}
	if c.tentative() {
		c.settleFresh()
	}
	if c.loose != nil {
		for c.loose.len() > c.draft.opts.candidates() || c.loose.size() > maxLooseBytes {
			c.evictCandidate()
		}
		c.loose.fitCapacity(c.draft.opts.candidates())
	}
	if len(c.evicted) > 0 && c.kept.len() > 0 {
		by := c.kept.at(c.kept.newest(nil, 1)[0]).entity()
		for i := range c.evicted {
			c.evicted[i].By = Ref{Type: by.Type, ID: by.ID}
		}
	}
	c.kept.fitCapacity(c.capacity)
}

// settleFresh clears the flag of the new entities that are still present at the end of
// the change.
func (c *changing) settleFresh() {
	for _, p := range c.kept.newest(nil, len(c.draft.adds)) {
		if r := c.kept.at(p); r.fresh() {
			r[0] &^= flagFresh
			c.changed = true
		}
	}
}
