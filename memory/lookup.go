package memory

import "bytes"

// A guess says what to make of a type that does not match.
type guess bool

const (
	strict  guess = false // the Ref names nothing
	lenient guess = true  // the type is wrong, if only one entity has the id
)

// named returns the record that a Ref names, given as a record.
func (e *entries) named(ref record, g guess) place {
	id, typ := ref.identity(), ref.typ()
	exact, _, only := e.lookup(&id, e.hashOf(&id))
	weak := len(id.typ) > 0
	switch {
	case weak && len(typ) == 0:
		return only
	case exact != nowhere:
		return exact
	case weak && string(typ) != FallbackType && g == strict:
		return nowhere
	default:
		return only
	}
}

// match returns the record that an arriving one is another sighting of.
func (e *entries) match(arriving record, hash uint32) place {
	id := arriving.identity()
	exact, unknown, only := e.lookup(&id, hash)
	switch {
	case exact != nowhere:
		return exact
	case string(arriving.typ()) == FallbackType:
		return only
	default:
		return unknown
	}
}

// lookup returns, among the records whose identity has the id: the one that has
// the type as well, one of unknown type, and the only one, if there is just one.
func (e *entries) lookup(wanted *identity, hash uint32) (exact, unknown, only place) {
	n := 0
	for p := e.find(hash); p != nowhere; p = e.findNext(p) {
		r := e.at(p)
		id := r.identity()
		if id.packed != wanted.packed || !bytes.Equal(id.id, wanted.id) {
			continue
		}
		if bytes.Equal(id.typ, wanted.typ) {
			exact = p
		}
		if string(r.typ()) == FallbackType {
			unknown = p
		}
		only = p
		n++
	}
	if n > 1 {
		only = nowhere
	}
	return exact, unknown, only
}
