package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// references adds the entities that a record, or a part of one, refers to, with the
// types in the names of its keys. Usually their owner is all that is known about
// them: "of Headphones".
func (f *finder) references(fields []field, own *field, record *sighting) {
	whose, path := []byte(nil), record.path
	for i := range fields {
		fd := &fields[i]
		if fd == own || fd.nested || !mayRefer(fd, record.typ) {
			continue
		}
		if fd.key.class == classTypedID && fd.key.plural && bytes.Contains(f.value(fd), []byte(", ")) {
			path = f.listedReferences(fd, path)
			continue
		}
		if to := (sighting{typ: fd.key.noun}); f.referenced(fd, &to) {
			if len(whose) == 0 && len(record.name) > 0 {
				whose = f.inScratch(nil, "of ", record.name)
			}
			if len(to.name) == 0 {
				to.description, to.slight = whose, true
			}
			path = f.addReference(fd, &to, path)
		}
	}
}

// mayRefer reports whether a field's name allows its value to be another entity's id.
func mayRefer(fd *field, record string) bool {
	switch fd.key.class {
	case classTypedID:
		return fd.key.traits.has(traitRefers) && (record == "" || !sameNoun(fd.key.noun, record))
	case classPlain:
		return fd.kind == document.String && fd.key.noun != ""
	case classWeakID:
		return fd.key.name == "sha" && record != commit
	}
	return false
}

// listedReferences adds the identifiers of a list in a text: "Ticket codes: MJDF4VV2,
// L658OFV4".
func (f *finder) listedReferences(fd *field, path []byte) []byte {
	for id := range bytes.SplitSeq(f.value(fd), []byte(", ")) {
		if id = bytes.TrimSpace(id); shapeOf(id) >= maybeID && bytes.ContainsAny(id, "0123456789") {
			path = f.addReference(fd, &sighting{typ: fd.key.noun, id: id}, path)
		}
	}
	return path
}

// addReference adds the entity that a field refers to. The path of the field's record
// is computed on first use.
func (f *finder) addReference(fd *field, to *sighting, path []byte) []byte {
	if path == nil {
		path = f.path(-1)
	}
	to.role, to.order, to.path = memory.RoleReference, f.next(), f.fieldPath(path, fd)
	f.add(to)
	return path
}

// referenced fills in the entity that a field with a suitable name refers to, and
// reports whether there is one.
func (f *finder) referenced(fd *field, to *sighting) bool {
	k, text := fd.key, f.value(fd)
	to.id = text
	switch {
	case k.class == classWeakID:
		to.typ = commit
		return isCommitID(text)
	case k.class == classTypedID: // a number, code or key must have an identifier's shape
		return f.isTypedID(fd) && (k.rank <= 1 || hasDigit(text) && f.shape(fd) >= maybeID)
	case f.hasOwnPrefix(fd): // {"default_price": "price_7hEX91vq"}, or MRN70230630 in column mrn
		to.typ = lastWord(k.noun)
		return true
	case !k.traits.has(traitRefers):
		return false
	}
	if name, id, ok := nameAndID(text); ok {
		to.id, to.name = id, f.clean(name)
		return true
	}
	return f.looksLikeID(fd) && (k.traits.has(traitThing) || f.shape(fd) == surelyID || isSerialCode(text))
}

// hasOwnPrefix reports whether an identifier begins with the noun of its key.
func (f *finder) hasOwnPrefix(fd *field) bool {
	noun, text := lastWord(fd.key.noun), f.value(fd)
	return len(noun) > 1 && len(text) > len(noun)+2 && bytes.EqualFold(text[:len(noun)], []byte(noun)) &&
		hasDigit(text[len(noun):]) && f.looksLikeID(fd)
}

// commit is the type of a "sha".
const commit = "commit"

// isCommitID reports whether a text is the digest of a commit, SHA-1 or SHA-256.
func isCommitID(text []byte) bool {
	n, _ := countChars(text)
	return (len(text) == 40 || len(text) == 64) && n.hex == len(text)
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

// opaqueNouns name identifiers for machines that exist beside the usual ones.
var opaqueNouns = wordSet{list: `node admin_graphql_api graphql`}

// notReferenced are nouns of fields whose values look like identifiers but are facts.
var notReferenced = wordSet{list: `phone mobile fax zip postcode amount price total version year month day quantity size color colour
	model unit grade level score position language dimension rate salary currency symbol option card date time duration
	ip host port weight height width depth length value tag label keyword feature permission scope url email percent
	status code message text hash digest checksum line style format isrc`}
