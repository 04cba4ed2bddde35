package memory

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

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
	weak, typed := len(id.typ) > 0, len(typ) > 0 && string(typ) != FallbackType
	if exact == nowhere && (only == nowhere || weak && typed) {
		wanted := id.typ
		if !typed {
			wanted = nil
		}
		if p := e.byAlias(id.text(), wanted); p != nowhere || only == nowhere {
			return p
		}
	}
	switch {
	case weak && len(typ) == 0:
		return only
	case exact != nowhere:
		return exact
	case weak && typed && m == strict:
		return nowhere
	default:
		return only
	}
}

// match returns the known record of the same entity as arriving.
func (c *changing) match(arriving record, hash uint32) place {
	id := arriving.identity()
	exact, unknown, only := c.kept.lookup(&id, hash)
	switch {
	case exact != nowhere:
		return exact
	case only != nowhere && (string(arriving.typ()) == FallbackType || arriving.facts().endsOnly() && c.isArgument(&id)):
		return only
	case unknown != nowhere && c.mayRetype(unknown, arriving):
		return unknown
	}
	return c.matchAlias(arriving, &id)
}

// isArgument reports whether the call had an id among its arguments, whatever its type.
func (c *changing) isArgument(id *identity) bool {
	return slices.ContainsFunc(c.draft.uses, func(s span) bool {
		used := c.draft.record(s).identity()
		return used.sameID(id)
	})
}

// endsOnly reports whether all that is said of an entity that a call names is how it ended, or
// that it is back: the type does not matter then, as in Change.Remove.
func (f facts) endsOnly() bool {
	from := f.origin()
	return (f.active || len(f.text[textState]) > 0) && from.authority() == AuthorityOwn && len(f.idText()) >= minDistinctID &&
		len(f.text[textName])+len(f.text[textDescription])+len(f.text[textAliases]) == 0
}

// mayRetype reports whether an arriving record may give a known one its type.
func (c *changing) mayRetype(p place, arriving record) bool {
	known, from := c.claimOn(p, arriving)
	typed, _ := known.origins()
	return from.mayReplace(&typed)
}

// claimOn returns a known record, and what an arriving one says of it.
func (c *changing) claimOn(p place, arriving record) (known facts, from claim) {
	known = c.kept.at(p).facts()
	f := arriving.facts()
	return known, f.claimOn(&known, c.isAsked(p))
}

// matchAlias returns the entity that has the id of an arriving one as an alias, or an id
// among the aliases of the arriving one. Records with different names are different
// entities. Both the alias and what arrives need authority: see joins.
func (c *changing) matchAlias(arriving record, id *identity) place {
	e := c.kept
	if !e.aliased && len(arriving.aliases()) == 0 {
		return nowhere
	}
	if p := e.byAlias(id.text(), id.typ); p != nowhere {
		trusted, authorized := c.joins(p, arriving)
		seenAgain := !authorized && arriving.authority() == AuthorityNone
		switch {
		case trusted && (seenAgain || authorized && (e.mayBeOne(p, arriving) || c.isAsked(p))): // a call may rename what it names
			return p
		case !trusted || !authorized || !c.mayShareKey(p, arriving):
			c.dropAlias(p, id.text()) // the id is that of this entity
		}
	}
	for alias := range arriving.aliases().all() {
		p := e.owner(alias, arriving.typ())
		if p == nowhere {
			continue
		}
		if _, authorized := c.joins(p, arriving); authorized && e.mayBeOne(p, arriving) {
			return p
		}
	}
	return nowhere
}

// joins reports whether the aliases of a known entity are trusted, because a tool with authority or
// the same tool gave them, and whether an arriving one has the authority to join it.
func (c *changing) joins(p place, arriving record) (trusted, authorized bool) {
	known, from := c.claimOn(p, arriving)
	_, named := known.origins()
	trusted = named.authority() != AuthorityNone || len(from.tool) > 0 && bytes.Equal(named.tool, from.tool)
	return trusted, from.mayReplace(&named)
}

// mayShareKey reports whether a known entity keeps an alias that is the id of an arriving one
// with another name: if tools about them, of one source, say so. A role and its profile may have
// one name.
func (c *changing) mayShareKey(p place, arriving record) bool {
	known, from := c.claimOn(p, arriving)
	return from.authority() != AuthorityNone && bytes.Equal(from.source, known.text[textSource])
}

// owner returns the entity with an alias of a record of a type as its id, or as an alias.
func (e *entries) owner(alias, typ []byte) place {
	id := aliasIdentity(alias, typ)
	p, _, _ := e.lookup(&id, e.hashOf(&id))
	if p == nowhere {
		p = e.byAlias(string(alias), id.typ)
	}
	return p
}

// dropAlias removes an alias from a record.
func (c *changing) dropAlias(p place, alias string) {
	f := c.kept.at(p).facts()
	f.removeAliases(func(a []byte) bool { return string(a) == alias })
	c.kept.replace(p, c.draft.pack(&f))
	c.changed = true
}

// dropPretenders removes entities that were named without authority and have an alias of what
// arrives with authority as their id or alias: the two would become one under their id.
func (c *changing) dropPretenders(arriving record) {
	if arriving.authority() == AuthorityNone {
		return
	}
	id := arriving.identity()
	for alias := range arriving.aliases().all() {
		p := c.kept.owner(alias, arriving.typ())
		if p == nowhere {
			continue
		}
		known := c.kept.at(p).facts()
		own := known.origin()
		_, named := known.origins()
		if named.authority() == AuthorityNone && own.authority() == AuthorityNone && !known.identity.sameID(&id) {
			c.kept.remove(p)
			c.changed = true
		}
	}
}

// withoutKnown returns a record without the aliases that are ids of other entities than the
// one at self: these do not become one because a result lists both ids. Nor does it keep an
// alias of another entity that what arrives has no authority to join, but for those that the
// one at self had before.
func (c *changing) withoutKnown(r, arriving record, self place, before aliasList) record {
	isTaken := func(alias []byte) bool {
		if before.index(string(alias)) > 0 {
			id := aliasIdentity(alias, r.typ()) // a short one is another's once the type has changed
			return c.kept.hasID(&id, self, false) || c.loose.hasEvicted(&id)
		}
		return c.isTaken(alias, arriving, self)
	}
	for alias := range r.aliases().all() {
		if isTaken(alias) {
			f := r.facts()
			f.removeAliases(isTaken)
			return f.appendTo(nil)
		}
	}
	return r
}

// isTaken reports whether an alias of what arrives is the id of another entity than the one
// at self, or an alias of one that it has no authority to join. A short id is that of an
// entity of its type, but to what has no authority it is one of any type.
func (c *changing) isTaken(alias []byte, arriving record, self place) bool {
	id, anyType := aliasIdentity(alias, arriving.typ()), arriving.authority() == AuthorityNone
	if c.kept.hasID(&id, self, anyType) || c.isEvicted(&id, arriving) {
		return true
	}
	for p := range c.kept.withAlias(string(alias)) {
		other := c.kept.at(p)
		if p == self || other.aliases().index(string(alias)) == 0 || !anyType && len(id.typ) > 0 && string(other.typ()) != string(id.typ) {
			continue
		}
		if _, authorized := c.joins(p, arriving); !authorized {
			return true
		}
	}
	return false
}

// isEvicted reports whether an id is that of an evicted entity that an arriving one has no
// authority to join, or that is another one.
func (c *changing) isEvicted(id *identity, arriving record) bool {
	if c.loose == nil {
		return false
	}
	f := arriving.facts()
	for p := c.loose.find(c.loose.hashOf(id)); p != nowhere; p = c.loose.findNext(p) {
		r := c.loose.at(p)
		other := r.identity()
		if r.role() == RoleCandidate || !other.sameID(id) || arriving.authority() != AuthorityNone && !bytes.Equal(other.typ, id.typ) {
			continue
		}
		known := r.facts()
		_, named := known.origins()
		if from := f.claimOn(&known, false); !from.mayReplace(&named) || !c.loose.mayBeOne(p, arriving) {
			return true
		}
	}
	return false
}

// hasEvicted reports whether there is an evicted entity among the candidates with an identity.
func (e *entries) hasEvicted(id *identity) bool {
	if e == nil {
		return false
	}
	p, _, _ := e.lookup(id, e.hashOf(id))
	return p != nowhere && e.at(p).role() != RoleCandidate
}

// hasID reports whether a record other than the one at self has an id: with the same type, or
// with any.
func (e *entries) hasID(id *identity, self place, anyType bool) bool {
	for p := e.find(e.hashOf(id)); p != nowhere; p = e.findNext(p) {
		other := e.at(p).identity()
		if p != self && other.sameID(id) && (anyType || bytes.Equal(other.typ, id.typ)) {
			return true
		}
	}
	return false
}

// removeAliases removes the aliases that satisfy a condition.
func (f *facts) removeAliases(is func(alias []byte) bool) {
	aliases, preferred := aliasList(f.text[textAliases]).read()
	aliases = slices.DeleteFunc(aliases, func(a string) bool { return is([]byte(a)) })
	f.text[textAliases] = []byte(packAliases(f.idText(), aliases, preferred))
}

// isAsked reports whether the call had an id of a known entity among its arguments. A short id
// is that of an entity of the argument's type.
func (c *changing) isAsked(p place) bool {
	if len(c.draft.uses) == 0 {
		return false
	}
	known := c.kept.at(p)
	id := known.identity()
	for _, s := range c.draft.uses {
		ref := c.draft.record(s)
		used, typ := ref.identity(), ref.typ()
		if known.aliases().index(used.text()) > 0 {
			return true
		}
		if used.sameID(&id) &&
			(len(id.typ) == 0 || len(typ) == 0 || string(typ) == FallbackType || string(known.typ()) == FallbackType || english.SameNoun(typ, known.typ())) {
			return true
		}
	}
	return false
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

// candidate returns the candidate with the id of ref, the record of an entity or of a Ref. An
// ambiguous id is that of a candidate of its type, else of one whose type is not known.
func (e *entries) candidate(ref record) place {
	if e == nil {
		return nowhere
	}
	id, typ := ref.identity(), ref.typ()
	exact, unknown, only, n := nowhere, nowhere, nowhere, 0
	for p := e.find(e.hashOf(&id)); p != nowhere; p = e.findNext(p) {
		r := e.at(p)
		known := r.identity()
		if !known.sameID(&id) {
			continue
		}
		if bytes.Equal(known.typ, id.typ) || bytes.Equal(r.typ(), typ) {
			exact = p
		}
		if len(known.typ) == 0 || string(r.typ()) == FallbackType { // the type of a guess does not matter
			unknown = p
		}
		only = p
		n++
	}
	switch {
	case n == 1 && !isTyped(ref):
		return only
	case len(typ) == 0:
		return nowhere
	case exact != nowhere:
		return exact
	case !isTyped(ref):
		return nowhere
	default:
		return unknown
	}
}

// namedCandidate returns the candidate that ref, the record of a Ref, names by its id or an alias.
// An id without a type names no candidate if an entity has it.
func (e *entries) namedCandidate(ref record, kept *entries) place {
	if e == nil {
		return nowhere
	}
	id := ref.identity()
	if !isTyped(ref) && kept.hasID(&id, nowhere, true) {
		return nowhere
	}
	if p := e.candidate(ref); p != nowhere {
		return p
	}
	wanted := id.typ
	if !isTyped(ref) {
		wanted = nil
	}
	return e.byAlias(id.text(), wanted)
}

// isTyped reports whether the type of a record is known.
func isTyped(r record) bool {
	typ := r.typ()
	return len(typ) > 0 && string(typ) != FallbackType
}

// named returns the entity that ref, the record of a Ref, names. One of another type does not
// count if a candidate has the type.
func (c *changing) named(ref record) place {
	if p := c.kept.resolve(ref, strict); p != nowhere {
		return p
	}
	if p := c.loose.candidate(ref); p != nowhere && bytes.Equal(c.loose.at(p).typ(), ref.typ()) {
		return nowhere
	}
	return c.kept.resolve(ref, lenient)
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
