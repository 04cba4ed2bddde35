package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxAliases is how many identifiers beside the best one are taken of a record.
const maxAliases = 2

// endObject decides what the object that ends was: a record with an identity, a
// map of names and ids, or a part of the record around it.
func (f *finder) endObject(fr *frame) {
	f.listKind(fr)
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
	case id.field != nil || id.text != "":
		f.endRecord(fr, fields, id)
		f.drop(fr)
	case f.asNameMap(fr, fields):
		f.drop(fr)
	case f.adopts(fr, fields):
		f.adopted = true
		f.endRecord(fr, fields, identity{text: f.own.ID})
		f.drop(fr)
	default:
		f.references(fields, nil, nil)
		f.bubble(fr, fields)
	}
}

// hoist leaves the fields of a part to the object around it, as its own; but
// what sort of thing that is, the object says itself.
func (f *finder) hoist(fr *frame) {
	for i := fr.fields; i < len(f.fields); i++ {
		if f.fields[i].key.class == classType {
			f.fields[i].hoisted = true
		}
	}
}

// listKind gives the items of a list that says what it is a list of their type:
// {"kind": "PodList", "items": […]}.
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
				c.entity.Type, c.wrapper = typ, ""
			}
		}
	}
}

// drop forgets the fields of a frame.
func (f *finder) drop(fr *frame) {
	f.fields, f.arena = f.fields[:fr.fields], f.arena[:fr.arena]
}

// bubble leaves the facts of a part to the record around it, as many as fit,
// and moves them to where the part began, so that memory stays bounded however
// many parts there are.
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

// enclosingFields is where the fields of the object around a frame begin.
func (f *finder) enclosingFields(fr *frame) int {
	for i := len(f.frames) - 2; i >= 0; i-- {
		if !f.frames[i].array {
			return f.frames[i].fields
		}
	}
	return fr.fields
}

// endRecord adds the record that an object is, its further identifiers, and
// the things it points to.
func (f *finder) endRecord(fr *frame, fields []field, id identity) {
	typ := f.typeOf(fr, fields, id)
	e := memory.Entity{Type: typ, ID: id.text, Path: f.path(-1)}
	if id.field != nil {
		e.ID = string(f.value(id.field))
	}
	name := f.nameOf(typ, fields, id.field)
	if name != nil {
		e.Name = cleanText(f.value(name))
	} else {
		e.Name = f.personName(fields)
	}
	for i := range fields {
		if fields[i].key.name == "slug" && !fields[i].nested {
			e.Slug = cleanText(f.value(&fields[i]))
		}
	}
	e.Description = f.describe(typ, fields, id.field, name)
	f.settle(fr)
	if f.isPart(fr) {
		e.Role = memory.RoleReference
	}
	c := fr.candidate(fr.order, e)
	c.unavailable = f.isUnavailable(fields)
	f.add(c)
	f.aliases(fr, fields, id, e)
	f.references(fields, id.field, &e)
}

// settle gives what was found inside a record, and took its type from outside of
// it through a wrapper, the type of the wrapper: the items of an order are items.
func (f *finder) settle(fr *frame) {
	for i := fr.found; i < len(f.found); i++ {
		if c := &f.found[i]; c.wrapper != "" && c.wrapper != fr.wrapper && c.from >= fr.from {
			c.entity.Type, c.wrapper = c.wrapper, ""
		}
	}
}

// aliases adds the further identifiers of a record: the key of an issue that
// has an id, the number of a pull request.
func (f *finder) aliases(fr *frame, fields []field, id identity, record memory.Entity) {
	taken := 0
	for i := range fields {
		fd := &fields[i]
		if fd == id.field || fd.nested || taken == maxAliases || !f.isAlias(fd, record.Type) {
			continue
		}
		alias := record
		alias.ID, alias.Role, alias.Path = string(f.value(fd)), memory.RoleAlias, record.Path+"."+fd.key.name
		if alias.ID != record.ID {
			f.add(candidate{order: fr.order, entity: alias})
			taken++
		}
	}
}

func (f *finder) isAlias(fd *field, typ string) bool {
	text := f.value(fd)
	if !isPlausibleID(fd.kind, text) {
		return false
	}
	switch fd.key.class {
	case classID:
		return !fd.key.plural
	case classTypedID:
		return !fd.key.plural && sameNoun(fd.key.noun, typ) && (fd.key.rank <= 3 || shapeOf(text) >= likelyID)
	case classWeakID:
		if fd.key.name == "sha" { // of the commit that a pipeline or a tag stands on
			return false
		}
		return fd.kind == document.Number && fd.key.rank == 0 || fd.key.rank <= 4 && shapeOf(text) >= likelyID
	case className:
		return shapeOf(text) == surelyID && fd.kind == document.String
	}
	return false
}

// adopts reports whether a record that does not repeat its id, {"name": …,
// "email": …}, is known under the id that the tool was called with.
func (f *finder) adopts(fr *frame, fields []field) bool {
	return len(fields) >= 2 && !f.failed && fr.adoptable(f)
}

// adoptable reports whether an object without an identity can be what the tool
// was asked about: it is of the tool's type and no item of a list.
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

// isPart reports whether an object stands in a record under a key of its own,
// not in a list: the customer of an order is one that the order points to.
func (f *finder) isPart(fr *frame) bool {
	n := len(f.frames)
	if n < 2 || n-1 <= f.base || fr.key == nil || fr.key.plural || fr.inherited || fr.mapKey || f.frames[n-2].array {
		return false
	}
	around := &f.frames[n-2]
	for i := around.fields; i < fr.fields; i++ { // what the record around has said so far
		if fd := &f.fields[i]; !fd.nested && f.identityRank(around, fd) < noIdentity {
			return true
		}
	}
	return false
}
