package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxAliases is the number of identifiers taken for a record beside the best one.
const maxAliases = 2

// endObject decides what an ending object was: a record with an identity, a map of
// names and ids, or a part of the record around it.
func (f *finder) endObject(fr *frame) {
	f.scratch = f.scratch[:0]
	fr.has = traitsIn(f.fields[fr.fields:])
	if fr.has.has(traitType) {
		f.listKind(fr)
	}
	if fr.hoisted && len(f.frames)-1 > f.base {
		f.hoist(fr)
		return
	}
	if f.asField(fr) {
		return
	}
	fields := f.fields[fr.fields:]
	id := f.identify(fr, fields)
	switch {
	case f.isDescription(fr, id):
		f.hoistDescription(fr)
	case id.field != nil || id.key != "":
		f.endRecord(fr, fields, id)
		f.drop(fr)
	case f.asNameMap(fr, fields):
		f.drop(fr)
	case f.asRow(fr, fields):
		f.drop(fr)
	case f.adopts(fr, fields):
		f.adopted = true
		f.endRecord(fr, fields, identity{key: f.own.ID})
		f.drop(fr)
	default:
		f.references(fields, nil, &sighting{})
		f.bubble(fr, fields)
	}
}

// asRow recognizes rows by the code in their first field.
func (f *finder) asRow(fr *frame, fields []field) bool {
	id := f.leading(fr, fields)
	if id != nil {
		f.endRecord(fr, fields, identity{field: id})
	}
	return id != nil
}

// hoist leaves the fields of a part to the object around it as that object's own. A
// type stated by the object itself takes precedence.
func (f *finder) hoist(fr *frame) {
	for i := fr.fields; i < len(f.fields); i++ {
		if f.fields[i].key.class == classType {
			f.fields[i].hoisted = true
		}
	}
}

// listKind gives the items of a list the type in the list's kind: {"kind": "PodList",
// "items": […]}.
func (f *finder) listKind(fr *frame) {
	for i := fr.fields; i < len(f.fields); i++ {
		fd := &f.fields[i]
		if fd.nested || fd.key.name != "kind" {
			continue
		}
		kind, ok := bytes.CutSuffix(f.value(fd), []byte("List"))
		typ := plausibleType(kind)
		if !ok || typ == "" {
			continue
		}
		for j := fr.found; j < len(f.found); j++ {
			if c := &f.found[j]; c.wrapper != "" && c.from == fr.from {
				c.typ, c.wrapper = typ, ""
			}
		}
	}
}

// drop removes the fields of a frame.
func (f *finder) drop(fr *frame) {
	f.fields, f.arena = f.fields[:fr.fields], f.arena[:fr.arena]
}

// bubble leaves the facts of a part to the record around it, as many as fit. It moves
// them to the start of the part, so that memory stays bounded for any number of
// parts.
func (f *finder) bubble(fr *frame, fields []field) {
	outer := f.enclosingFields(fr)
	kept, arena := fr.fields, fr.arena
	for i := range fields {
		fd := fields[i]
		if kept-outer >= maxFields || kept-fr.fields >= maxFields/4 {
			break
		}
		if fd.key.class == classPlain || fd.key.class == className || fd.key.class == classTypedName {
			n := copy(f.arena[arena:], f.value(&fd))
			fd.nested, fd.text = true, span{arena, arena + n}
			f.fields[kept] = fd
			kept, arena = kept+1, arena+n
		}
	}
	f.fields, f.arena = f.fields[:kept], f.arena[:arena]
}

// enclosingFields returns the index of the first field of the object around a frame.
func (f *finder) enclosingFields(fr *frame) int {
	for i := len(f.frames) - 2; i >= 0; i-- {
		if !f.frames[i].array {
			return f.frames[i].fields
		}
	}
	return fr.fields
}

// endRecord adds the record of an ending object, its aliases and its references.
func (f *finder) endRecord(fr *frame, fields []field, id identity) {
	typ := f.typeOf(fr, fields, id)
	s := sighting{typ: typ, order: fr.order, id: f.idText(id), path: f.path(-1)}
	name := f.nameOf(typ, fields, id.field)
	if name != nil {
		s.name = f.clean(f.value(name))
	} else if fr.has.has(traitPerson) {
		s.name = f.personName(fields)
	}
	if fr.has.has(traitSlug) {
		s.slug = f.slugOf(fields)
	}
	s.description, s.slight = f.describe(&s, fields, id.field, name)
	f.settleFrame(fr)
	if f.isPart(fr) || isCommitOf(fr, id) {
		s.role = memory.RoleReference
	}
	if c := f.add(&s); c != nil {
		c.standsIn(fr)
		c.unavailable = fr.has.has(traitAvailable|traitStatus) && f.isUnavailable(fields)
	}
	f.aliases(fr, fields, id.field, &s)
	f.references(fields, id.field, &s)
}

// traitsIn returns the combined traits of fields.
func traitsIn(fields []field) traits {
	var t traits
	for i := range fields {
		t |= fields[i].key.traits
	}
	return t
}

// settleFrame gives entities inside a record the type of their wrapper, if their type
// came through it from outside the record: the items of an order are items.
func (f *finder) settleFrame(fr *frame) {
	for i := fr.found; i < len(f.found); i++ {
		if c := &f.found[i]; c.wrapper != "" && c.wrapper != fr.wrapper && c.from >= fr.from {
			c.typ, c.wrapper = c.wrapper, ""
		}
	}
}

// aliases adds the further identifiers of a record: the key of an issue with an id,
// the number of a pull request.
func (f *finder) aliases(fr *frame, fields []field, own *field, record *sighting) {
	taken := 0
	byName := own != nil && isUnwieldy(own, record.id)
	for i := range fields {
		fd := &fields[i]
		if fd == own || fd.nested || taken == maxAliases || !f.isAlias(fd, record.typ) && !(byName && f.isHandleName(fd, record.typ)) {
			continue
		}
		alias := *record
		alias.role, alias.id = memory.RoleAlias, f.value(fd)
		if !bytes.Equal(alias.id, record.id) {
			alias.path = f.fieldPath(record.path, fd)
			if c := f.add(&alias); c != nil {
				c.standsIn(fr)
			}
			taken++
		}
	}
}

// fieldPath returns the path of a field below path. It may reuse the memory of path
// and is valid until the next path.
func (f *finder) fieldPath(path []byte, fd *field) []byte {
	f.pathBuf = append(append(path, '.'), fd.key.name...)
	return f.pathBuf
}

func (f *finder) isAlias(fd *field, typ string) bool {
	switch fd.key.class {
	case classID:
		return !fd.key.plural && f.isID(fd)
	case classTypedID:
		return !fd.key.plural && sameNoun(fd.key.noun, typ) && f.isID(fd) && (fd.key.rank <= 3 || f.looksLikeID(fd))
	case classWeakID:
		if fd.key.name == "sha" { // the commit of a pipeline or a tag
			return false
		}
		return f.isID(fd) && (fd.kind == document.Number && fd.key.rank == 0 || fd.key.rank <= 4 && f.looksLikeID(fd) ||
			fd.key.rank == rankURL && isURN(f.value(fd)) || fd.key.traits.has(traitClock) && sameNoun(typ, "message"))
	case className:
		return fd.kind == document.String && f.looksLikeID(fd) && f.shape(fd) == surelyID && f.isID(fd)
	}
	return false
}

// isUnwieldy reports whether tools prefer the entity's name to an identifier: an ARN,
// the uid of a Kubernetes object.
func isUnwieldy(own *field, id []byte) bool {
	return own.key.name == "uid" || bytes.HasPrefix(id, []byte("arn:"))
}

// isHandleName reports whether a field is a record's name in the style of programs.
func (f *finder) isHandleName(fd *field, typ string) bool {
	named := fd.key.class == className || fd.key.class == classTypedName && sameNoun(fd.key.noun, typ)
	return named && fd.kind == document.String && isProgramName(f.value(fd))
}

// adopts reports whether a record without an id, {"name": …, "email": …}, has the id
// that the tool was called with.
func (f *finder) adopts(fr *frame, fields []field) bool {
	return len(fields) >= 2 && !f.failed && fr.adoptable(f)
}

// adoptable reports whether an object without an identity can be the tool's subject:
// it has the tool's type and is no list item.
func (fr *frame) adoptable(f *finder) bool {
	if f.own.ID == "" || f.adopted || f.tool.noun == "" || fr.noun != f.tool.noun {
		return false
	}
	for i := f.base; i < len(f.frames); i++ {
		if f.frames[i].array {
			return false
		}
	}
	return true
}

// isPart reports whether an object is under a singular key of a record, not in a
// list. The record refers to it, as an order does to its customer.
func (f *finder) isPart(fr *frame) bool {
	n := len(f.frames)
	if n < 2 || n-1 <= f.base || fr.key == nil || fr.key.plural || fr.inherited || fr.mapKey || f.frames[n-2].array {
		return false
	}
	return f.isIdentified(&f.frames[n-2], fr.fields) // by the fields read so far
}
