package memory

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// target is a Ref ready to be found.
type target struct {
	ref Ref    // identity
	typ string // type as given
}

// A guess says what to make of a type that does not match.
type guess bool

const (
	strict  guess = false // the Ref names nothing
	lenient guess = true  // the type is wrong, if only one entity has the id
)

func (o *ContextOptions) target(ref Ref) target {
	return target{ref: o.identify(ref.Type, ref.ID), typ: ref.Type}
}

func (o *ContextOptions) targets(dst []target, refs []Ref) []target {
	dst = slices.Grow(dst, len(refs))
	for _, ref := range refs {
		dst = append(dst, o.target(ref))
	}
	return dst
}

// find returns the entry that a Ref names.
func (c *WorkingContext) find(t target, g guess) slab.Handle {
	exact, _, only := c.lookup(t.ref)
	weak := t.ref.Type != ""
	switch {
	case weak && t.typ == "":
		return only
	case exact != slab.None:
		return exact
	case weak && t.typ != FallbackType && g == strict:
		return slab.None
	default:
		return only
	}
}

// match returns the entry that an arriving entity is another sighting of.
func (c *WorkingContext) match(s *sighting) slab.Handle {
	exact, unknown, only := c.lookup(s.ref)
	switch {
	case exact != slab.None:
		return exact
	case s.entity.Type == FallbackType:
		return only
	default:
		return unknown
	}
}

// lookup returns, among the entries whose identity has the id: the one that has
// the type as well, one of unknown type, and the only one, if there is just one.
func (c *WorkingContext) lookup(ref Ref) (exact, unknown, only slab.Handle) {
	n := 0
	for h := c.entries.Find(ref.ID); h != slab.None; h = c.entries.FindNext(h) {
		e := c.entries.At(h)
		if e.typ == ref.Type {
			exact = h
		}
		if e.entity.Type == FallbackType {
			unknown = h
		}
		only = h
		n++
	}
	if n > 1 {
		only = slab.None
	}
	return exact, unknown, only
}
