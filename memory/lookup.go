package memory

import "bytes"

// typeMatch selects how a Ref whose type does not match is resolved.
type typeMatch bool

const (
	strict  typeMatch = false // it names nothing
	lenient typeMatch = true  // it names the only entity with the id
)

// resolve returns the record that ref, the record of a Ref, names.
func (e *entries) resolve(ref record, m typeMatch) place {
	id, typ := ref.identity(), ref.typ()
	exact, _, only := e.lookup(&id, e.hashOf(&id))
	weak := len(id.typ) > 0
	switch {
	case weak && len(typ) == 0:
		return only
	case exact != nowhere:
		return exact
	case weak && string(typ) != FallbackType && m == strict:
		return nowhere
	default:
		return only
	}
}

// match returns the record of the same entity as arriving.
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

// lookup searches the records whose identity has the wanted id. It returns the one whose
// identity has the wanted type as well, one of unknown type, and the only one if there
// is exactly one.
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
