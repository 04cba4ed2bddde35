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
	if exact == nowhere && only == nowhere {
		wanted := id.typ
		if len(typ) == 0 || string(typ) == FallbackType {
			wanted = nil
		}
		return e.byAlias(id.text(), wanted)
	}
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
	case string(arriving.typ()) == FallbackType && only != nowhere:
		return only
	case unknown != nowhere:
		return unknown
	}
	return e.matchAlias(arriving, &id)
}

// matchAlias returns the entity that has the id of an arriving one as an alias, or an id
// among the aliases of the arriving one. Two records with different names are two.
func (e *entries) matchAlias(arriving record, id *identity) place {
	if !e.aliased && len(arriving.aliases()) == 0 {
		return nowhere
	}
	if p := e.byAlias(id.text(), id.typ); p != nowhere && e.mayBeOne(p, arriving) {
		return p
	}
	for alias := range arriving.aliases().all() {
		other := aliasIdentity(alias, arriving.typ())
		p, _, _ := e.lookup(&other, e.hashOf(&other))
		if p == nowhere {
			p = e.byAlias(string(alias), other.typ)
		}
		if p != nowhere && e.mayBeOne(p, arriving) {
			return p
		}
	}
	return nowhere
}

// aliasIdentity returns the identity of an alias: ambiguous if it is short.
func aliasIdentity(alias, typ []byte) identity {
	ref := DefaultIdentity(string(typ), string(alias))
	if u, ok := parseUUID(ref.ID); ok {
		return identity{id: u[:], packed: true}
	}
	return identity{typ: []byte(ref.Type), id: []byte(ref.ID)}
}

// mayBeOne reports whether a known and an arriving entity with a common identifier can be
// the same.
func (e *entries) mayBeOne(p place, arriving record) bool {
	known := e.at(p)
	if known.role() != RoleRecord || arriving.role() != RoleRecord {
		return true
	}
	a, b := known.facts(), arriving.facts()
	return len(a.text[textName]) == 0 || len(b.text[textName]) == 0 || string(a.text[textName]) == string(b.text[textName])
}

// byAlias returns the only record with an alias and a type, or any type if it is empty.
func (e *entries) byAlias(alias string, typ []byte) place {
	found := nowhere
	if !e.aliased {
		return found
	}
	for p := range e.withAlias(alias) {
		r := e.at(p)
		if len(typ) > 0 && string(r.typ()) != string(typ) && string(r.typ()) != FallbackType || r.aliases().index(alias) == 0 {
			continue
		}
		if found != nowhere {
			return nowhere
		}
		found = p
	}
	return found
}

// candidate returns the candidate that ref, the record of a Ref, names. A candidate's type
// is a guess and does not matter.
func (e *entries) candidate(ref record) place {
	if e == nil {
		return nowhere
	}
	id := ref.identity()
	_, _, only := e.lookup(&id, e.hashOf(&id))
	return only
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
