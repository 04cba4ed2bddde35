package middleware

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// compare compares the context with its state at the last comparison, and logs the
// differences.
func (t *tracker) compare(eff *effect) {
	t.looks++
	t.version = t.context.Version() // read before the content, so that no change is missed
	entities := t.context.Recent(t.context.Capacity())
	kept := len(entities) // candidates follow
	full := kept >= t.context.Capacity()
	entities = t.context.AppendCandidates(entities, t.context.CandidateCapacity())
	full = full || t.context.CandidateCapacity() > 0 && len(entities) >= kept+t.context.CandidateCapacity()

	left := t.logMerged(eff, t.removeMissing(entities))
	t.logArrivals(eff, entities, kept)
	t.logOverruled(eff)
	left = t.logUnkept(eff, left)
	t.logDepartures(eff, left, entities, full)
}

// removeMissing removes entities that left the context from present, and returns them,
// the least recently used first.
func (t *tracker) removeMissing(entities []memory.Entity) []*presence {
	there := 0
	for i := range entities {
		if p := t.present[refOf(&entities[i])]; p != nil && p.look != t.looks {
			p.look = t.looks
			there++
		}
	}
	if there == len(t.present) {
		return nil
	}
	var gone []*presence
	for ref, p := range t.present {
		if p.look != t.looks {
			gone = append(gone, p)
			delete(t.present, ref)
		}
	}
	slices.SortFunc(gone, func(a, b *presence) int { return cmp.Compare(b.rank, a.rank) })
	return gone
}

// logMerged logs the missing entities that were merged under another type or another
// spelling of the id. It returns the others.
func (t *tracker) logMerged(eff *effect, gone []*presence) (left []memory.Ref) {
	for _, p := range gone {
		e, ok := t.context.Get(p.ref)
		into := refOf(&e)
		if !ok || t.present[into] != nil {
			left = append(left, p.ref)
			continue
		}
		into = owned(into)
		t.present[into] = &presence{ref: into, uses: p.uses, repeats: p.repeats, candidate: p.candidate}
		if shown, known := t.shown[p.ref]; known {
			delete(t.shown, p.ref)
			t.shown[into] = shown
		}
		eff.add(p.ref, Decision{Kind: DecisionMerged, ByType: into.Type, ByID: into.ID})
	}
	return left
}

// logArrivals logs entities that are new, used, repeated or evicted. Those from kept on are
// candidates.
func (t *tracker) logArrivals(eff *effect, entities []memory.Entity, kept int) {
	for i := range entities {
		e, p := &entities[i], t.present[refOf(&entities[i])]
		if p == nil {
			p = &presence{ref: owned(refOf(e)), candidate: e.Role == memory.RoleCandidate}
			t.present[p.ref] = p
			kind := DecisionSeen
			if p.candidate {
				kind = DecisionCandidate
			}
			eff.add(p.ref, Decision{Kind: kind, Path: eff.path(p.ref)})
		} else {
			if p.candidate && i < kept {
				eff.add(p.ref, Decision{Kind: DecisionPromoted})
			}
			if e.Uses > p.uses {
				eff.add(p.ref, Decision{Kind: DecisionUsed})
			}
			if e.Repeats > p.repeats {
				eff.add(p.ref, Decision{Kind: DecisionRepeated, Path: eff.path(p.ref)})
			}
		}
		if i >= kept && !p.candidate {
			t.logEvicted(eff, p.ref, entities)
		}
		p.rank, p.look, p.uses, p.repeats, p.candidate = i, t.looks, e.Uses, e.Repeats, i >= kept
	}
}

// logEvicted logs that the foremost of the entities, or the program, evicted one.
func (t *tracker) logEvicted(eff *effect, ref memory.Ref, entities []memory.Entity) {
	if eff.cause.Call == byProgram {
		eff.add(ref, Decision{Kind: DecisionDropped})
		return
	}
	by := owned(refOf(&entities[0]))
	eff.add(ref, Decision{Kind: DecisionEvicted, ByType: by.Type, ByID: by.ID})
}

// logOverruled logs names and types that a call gave to known entities without the authority
// to.
func (t *tracker) logOverruled(eff *effect) {
	for i := range eff.found {
		e := &eff.found[i]
		if e.Authority == memory.AuthorityFull || e.Role == memory.RoleCandidate {
			continue
		}
		kept, ok := t.context.Get(refOf(e))
		if !ok {
			continue
		}
		name, typ := kept.NameOrigin(), kept.TypeOrigin()
		if e.Name != "" && e.Name != kept.Name && !isFrom(&name, e) || e.Type != kept.Type && e.Type != memory.FallbackType && !isFrom(&typ, e) {
			eff.add(owned(refOf(&kept)), Decision{Kind: DecisionOverruled, Path: eff.path(refOf(e))})
		}
	}
}

// isFrom reports whether the tool that returned an entity is the origin.
func isFrom(o *memory.Origin, e *memory.Entity) bool { return o.Tool == e.Tool && o.Source == e.Source }

// path returns the position of an entity in the call's result. An entity whose type was
// unknown there is found by its id.
func (eff *effect) path(ref memory.Ref) string {
	if eff.paths == nil {
		eff.paths = make(map[memory.Ref]string, 2*len(eff.found))
		for i := range slices.Backward(eff.found) {
			e := &eff.found[i]
			eff.paths[refOf(e)], eff.paths[memory.Ref{ID: e.ID}] = e.Path, e.Path
		}
	}
	path, ok := eff.paths[ref]
	if !ok {
		path = eff.paths[memory.Ref{ID: ref.ID}]
	}
	return bounded(path)
}

// logUnkept logs the found entities that are not in the context. It appends to left those
// that the same call evicted or removed.
func (t *tracker) logUnkept(eff *effect, left []memory.Ref) []memory.Ref {
	gone := make(map[string][]memory.Ref, len(left)) // by id
	for _, ref := range left {
		gone[ref.ID] = append(gone[ref.ID], ref)
	}
	for i := range eff.found {
		e := &eff.found[i]
		ref := refOf(e)
		if t.present[ref] != nil || slices.ContainsFunc(gone[ref.ID], func(other memory.Ref) bool { return mayBeSame(other, ref) }) {
			continue
		}
		if kept, ok := t.context.Get(ref); ok {
			if kept.ID != ref.ID {
				eff.add(owned(ref), Decision{Kind: DecisionMerged, ByType: strings.Clone(kept.Type), ByID: strings.Clone(kept.ID)})
			}
			continue
		}
		if err := new(memory.WorkingContext).Add(*e); err != nil { // every context refuses the same
			eff.logRefused(ref, err)
			continue
		}
		ref = owned(ref)
		eff.add(ref, Decision{Kind: DecisionSeen, Path: bounded(e.Path)})
		gone[ref.ID] = append(gone[ref.ID], ref)
		left = append(left, ref)
	}
	return left
}

// logRefused logs an entity that the context refused, unless its id is empty or too long
// to be looked up.
func (eff *effect) logRefused(ref memory.Ref, err error) {
	if ref.ID != "" && len(ref.ID) <= memory.MaxIDBytes {
		ref = memory.Ref{Type: bounded(ref.Type), ID: strings.Clone(ref.ID)}
		eff.add(ref, Decision{Kind: DecisionRefused, Reason: err.Error()})
	}
}

// logDepartures logs why entities left the context.
func (t *tracker) logDepartures(eff *effect, left []memory.Ref, entities []memory.Entity, full bool) {
	for _, ref := range left {
		delete(t.shown, ref)
		switch {
		case eff.removes(ref):
			eff.add(ref, Decision{Kind: DecisionRemoved})
		case full:
			t.logEvicted(eff, ref, entities)
		default:
			eff.add(ref, Decision{Kind: DecisionDropped})
		}
	}
}

// removes reports whether a call deleted an entity.
func (eff *effect) removes(ref memory.Ref) bool {
	return slices.ContainsFunc(eff.removed, func(r memory.Ref) bool { return r.ID == ref.ID })
}

// mayBeSame reports whether two refs can name the same entity. An unknown type matches
// any type.
func mayBeSame(a, b memory.Ref) bool {
	if a.ID != b.ID {
		return false
	}
	unknown := func(typ string) bool { return typ == "" || typ == memory.FallbackType }
	return unknown(a.Type) || unknown(b.Type) || memory.DefaultIdentity(a.Type, a.ID) == memory.DefaultIdentity(b.Type, b.ID)
}

// refOf returns the entity's own type and id, not those that memory.WorkingContext.Get may
// resolve them to.
func refOf(e *memory.Entity) memory.Ref {
	return memory.Ref{Type: cmp.Or(e.Type, memory.FallbackType), ID: e.ID}
}

// owned returns a copy of a ref that shares no memory with it.
func owned(ref memory.Ref) memory.Ref {
	return memory.Ref{Type: strings.Clone(ref.Type), ID: strings.Clone(ref.ID)}
}

// bounded returns a copy of the beginning of a text, as much as a context keeps.
func bounded(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), memory.MaxTextBytes)]), "\uFFFD")
}
