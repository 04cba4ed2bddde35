package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// references adds the things that a record, or a part that is none, points to,
// of the types its keys name. All that is known of them is mostly whose they
// are: "of Headphones".
func (f *finder) references(fields []field, own *field, record *memory.Entity) {
	description := ""
	if record != nil && record.Name != "" {
		description = "of " + record.Name
	}
	for i := range fields {
		fd := &fields[i]
		if fd == own || fd.nested || record != nil && fd.key.class == classTypedID && sameNoun(fd.key.noun, record.Type) {
			continue
		}
		if fd.key.class == classTypedID && fd.key.plural && bytes.Contains(f.value(fd), []byte(", ")) {
			f.listedReferences(fd)
			continue
		}
		if to, ok := f.referenced(fd); ok {
			to.Role, to.Path = memory.RoleReference, f.path(-1)+"."+fd.key.name
			if to.Name == "" {
				to.Description = description
			}
			f.add(candidate{order: f.next(), entity: to})
		}
	}
}

// listedReferences adds the identifiers of a list written as text: "Ticket
// codes: MJDF4VV2, L658OFV4".
func (f *finder) listedReferences(fd *field) {
	for id := range bytes.SplitSeq(f.value(fd), []byte(", ")) {
		if id = bytes.TrimSpace(id); shapeOf(id) >= maybeID && bytes.ContainsAny(id, "0123456789") {
			f.add(candidate{order: f.next(), entity: memory.Entity{
				Type: fd.key.noun, ID: string(id), Role: memory.RoleReference, Path: f.path(-1) + "." + fd.key.name}})
		}
	}
}

// referenced is what a field points to, if it does.
func (f *finder) referenced(fd *field) (memory.Entity, bool) {
	k, text := fd.key, f.value(fd)
	switch k.class {
	case classTypedID:
		ok := isPlausibleID(fd.kind, text) && !opaqueNouns.has(k.noun)
		if k.rank > 1 { // a number, code or key is one only if it looks so
			ok = ok && shapeOf(text) >= maybeID && bytes.ContainsAny(text, "0123456789")
		}
		return memory.Entity{Type: k.noun, ID: string(text)}, ok
	case classPlain:
		if fd.kind != document.String || k.noun == "" || notReferenced.has(lastWord(k.noun)) {
			return memory.Entity{}, false
		}
		if name, id, ok := nameAndID(text); ok {
			return memory.Entity{Type: k.noun, ID: string(id), Name: cleanText(name)}, true
		}
		s := shapeOf(text)
		return memory.Entity{Type: k.noun, ID: string(text)}, s == surelyID || s == likelyID && entityNouns.has(k.noun)
	}
	return memory.Entity{}, false
}

// nameAndID splits "Jane Smith (CUST-88213)".
func nameAndID(text []byte) (name, id []byte, ok bool) {
	i := bytes.LastIndexByte(text, '(')
	if i < 2 || text[len(text)-1] != ')' {
		return nil, nil, false
	}
	name, id = bytes.TrimSpace(text[:i]), text[i+1:len(text)-1]
	return name, id, len(name) > 0 && shapeOf(id) >= likelyID
}

// opaqueNouns are those of identifiers for machines, beside the ones people and tools use.
var opaqueNouns = words(`node admin_graphql_api graphql`)

// notReferenced are nouns of fields whose values look like identifiers and are facts.
var notReferenced = words(`phone mobile fax zip postcode amount price total version year month day quantity size color colour
	model unit grade level score position language dimension rate salary currency symbol option card date time duration
	ip host port weight height width depth length value tag label keyword feature permission scope url email percent
	status code message text hash digest checksum line style format`)
