package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxAliases is the number of identifiers taken for a record beside the best one.
const maxAliases = 3

// endObject decides what an ending object was: a record with an identity, a map of
// names and ids, or a part of the record around it.
func (f *finder) endObject(fr *frame) {
	f.scratch = f.scratch[:0]
	fr.has = traitsIn(f.fields[fr.fields:])
	if fr.has.Has(naming.TraitType) {
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
		name := f.endRecord(fr, fields, id)
		f.drop(fr)
		f.nameChild(fr, name)
	case f.asNameMap(fr, fields):
		f.drop(fr)
	case f.asRow(fr, fields):
		f.drop(fr)
	case f.adopts(fr, fields):
		f.adopted = true
		f.endRecord(fr, fields, identity{key: f.own.ID})
		f.drop(fr)
	default:
		s := sighting{}
		if fr.has.Has(naming.TraitRefers | naming.TraitIdentifies) {
			s.description, _ = f.describe(&s, fields, nil, nil)
		}
		f.references(fields, nil, &s)
		f.candidatesOf(fr, fields, &s)
		f.bubble(fr, fields)
	}
}

// maxChildren is the number of names of the records in a record that describe it.
const maxChildren = 3

// nameChild keeps the name of a record in a list as a fact about the record around it: an
// order is recognized by its items.
func (f *finder) nameChild(fr *frame, name []byte) {
	n := len(f.frames)
	if len(name) == 0 || len(name) > maxFactBytes || n < 3 || !f.frames[n-2].array || f.frames[n-2].key == nil {
		return
	}
	around := &f.frames[n-3]
	if around.array || around.children == maxChildren || len(f.fields)-around.fields >= maxFields {
		return
	}
	around.children++
	f.fields = append(f.fields, field{key: f.frames[n-2].key, text: f.store(name), kind: document.String, nested: true, child: true})
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
		if f.fields[i].key.Class == naming.ClassType {
			f.fields[i].hoisted = true
		}
	}
}

// listKind gives the items of a list the type in the list's kind: {"kind": "PodList",
// "items": […]}.
func (f *finder) listKind(fr *frame) {
	for i := fr.fields; i < len(f.fields); i++ {
		fd := &f.fields[i]
		if fd.nested || fd.key.Name != "kind" {
			continue
		}
		kind, ok := bytes.CutSuffix(f.value(fd), []byte("List"))
		typ := naming.PlausibleType(kind)
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
		if fd.key.Class == naming.ClassPlain || fd.key.Class == naming.ClassName || fd.key.Class == naming.ClassTypedName {
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
// It returns what it is called, valid until the next field.
func (f *finder) endRecord(fr *frame, fields []field, id identity) []byte {
	typ := f.typeOf(fr, fields, id)
	s := sighting{typ: typ, order: fr.order, id: f.idText(id), path: f.path(-1)}
	name := f.nameOf(typ, fields, id.field)
	if name != nil {
		s.name = f.clean(f.value(name))
	} else if fr.has.Has(naming.TraitPerson) {
		s.name = f.personName(fields)
	}
	if fr.has.Has(naming.TraitSlug) {
		s.slug = f.slugOf(fields)
	}
	s.description, s.slight = f.describe(&s, fields, id.field, name)
	prefers := f.aliases(fields, id.field, &s)
	f.settleFrame(fr)
	if f.isPart(fr) || isCommitOf(fr, id) {
		s.role = memory.RoleReference
	}
	if c := f.add(&s); c != nil {
		c.standsIn(fr)
		c.prefers = prefers
		c.unavailable = fr.has.Has(naming.TraitAvailable|naming.TraitStatus) && f.isUnavailable(fields)
	}
	if id.field != nil {
		id.field.taken = true
	}
	f.references(fields, id.field, &s)
	f.candidatesOf(fr, fields, &s)
	if len(s.name) > 0 {
		return s.name
	}
	return shortFacts(s.description)
}

// traitsIn returns the combined traits of fields.
func traitsIn(fields []field) naming.Traits {
	var t naming.Traits
	for i := range fields {
		t |= fields[i].key.Traits
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

// aliases collects the further identifiers of a record: the key of an issue with an id,
// the number of a pull request. It returns which one people use, from 1, or 0.
func (f *finder) aliases(fields []field, own *field, record *sighting) (prefers int) {
	taken := 0
	byName := own != nil && isUnwieldy(own, record.id)
	start := len(f.scratch)
	for i := range fields {
		fd := &fields[i]
		named := byName && f.isHandleName(fd, record.typ)
		if fd == own || fd.nested || taken == maxAliases || !named && !f.isAlias(fd, own, record.typ) || bytes.Equal(f.value(fd), record.id) {
			continue
		}
		f.scratch = append(append(f.scratch, '\n'), f.value(fd)...)
		fd.taken = true
		taken++
		if prefers == 0 && (named || isForPeople(fd, own)) {
			prefers = taken
		}
	}
	record.aliases = f.scratch[start:]
	f.aliasCount += taken
	return prefers
}

// isForPeople reports whether people use an alias rather than the record's id: a number,
// a key or a path.
func isForPeople(fd, own *field) bool {
	if own == nil || own.key.Class != naming.ClassID {
		return false
	}
	switch fd.key.Snake {
	case "number", "iid", "key", "path":
		return true
	}
	return false
}

// fieldPath returns the path of a field below path. It may reuse the memory of path
// and is valid until the next path.
func (f *finder) fieldPath(path []byte, fd *field) []byte {
	f.pathBuf = append(append(path, '.'), fd.key.Name...)
	return f.pathBuf
}

func (f *finder) isAlias(fd, own *field, typ string) bool {
	switch fd.key.Class {
	case naming.ClassID:
		return !fd.key.Plural && f.isID(fd)
	case naming.ClassTypedID:
		return !fd.key.Plural && naming.SameNoun(fd.key.Noun, typ) && f.isID(fd) && (fd.key.Rank <= 3 || f.looksLikeID(fd))
	case naming.ClassWeakID:
		if fd.key.Name == "sha" { // the content of a file, else the commit of a pipeline or a tag
			return own != nil && own.key.Snake == "path"
		}
		if fd.key.Rank == naming.RankSlug {
			return own != nil && own.key.Class == naming.ClassID && shape.IsHandle(f.value(fd)) && f.isID(fd)
		}
		return f.isID(fd) && (fd.kind == document.Number && fd.key.Rank == 0 || fd.key.Rank <= 4 && f.looksLikeID(fd) ||
			fd.key.Rank == naming.RankURL && shape.IsURN(f.value(fd)) || fd.key.Traits.Has(naming.TraitClock) && naming.SameNoun(typ, "message"))
	case naming.ClassName:
		return fd.kind == document.String && f.looksLikeID(fd) && f.shape(fd) == shape.SurelyID && f.isID(fd)
	}
	return false
}

// isUnwieldy reports whether tools prefer the entity's name to an identifier: an ARN,
// the uid of a Kubernetes object.
func isUnwieldy(own *field, id []byte) bool {
	return own.key.Name == "uid" || bytes.HasPrefix(id, []byte("arn:"))
}

// isHandleName reports whether a field is a record's name in the style of programs.
func (f *finder) isHandleName(fd *field, typ string) bool {
	named := fd.key.Class == naming.ClassName || fd.key.Class == naming.ClassTypedName && naming.SameNoun(fd.key.Noun, typ)
	return named && fd.kind == document.String && shape.IsProgramName(f.value(fd))
}

// adopts reports whether a record without an id, {"name": …, "email": …}, has the id
// that the tool was called with.
func (f *finder) adopts(fr *frame, fields []field) bool {
	return len(fields) >= 2 && !f.failed && fr.adoptable(f)
}

// adoptable reports whether an object without an identity can be the tool's subject:
// it has the tool's type and is no list item.
func (fr *frame) adoptable(f *finder) bool {
	if f.own.ID == "" || f.adopted || f.tool.Noun == "" || fr.noun != f.tool.Noun {
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
	if n < 2 || n-1 <= f.base || fr.key == nil || fr.key.Plural || fr.inherited || fr.mapKey || f.frames[n-2].array {
		return false
	}
	return f.isIdentified(&f.frames[n-2], fr.fields) // by the fields read so far
}
