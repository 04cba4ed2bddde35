package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// references adds the entities that a record, or a part of one, refers to, with the
// types in the names of its keys. Usually their owner, or what it says, is all that is
// known about them: "of Headphones".
func (f *finder) references(fields []field, own *field, record *sighting) {
	whose, path := []byte(nil), record.path
	for i := range fields {
		fd := &fields[i]
		if fd == own || fd.nested || !mayRefer(fd, record.typ) {
			continue
		}
		if fd.key.Class == naming.ClassTypedID && fd.key.Plural && bytes.Contains(f.value(fd), []byte(", ")) {
			path = f.listedReferences(fd, path)
			continue
		}
		if to := (sighting{typ: fd.key.Noun}); f.referenced(fd, &to) {
			switch {
			case len(whose) > 0:
			case len(record.name) > 0:
				whose = f.inScratch(nil, "of ", record.name)
			case len(record.id) > 0 && len(record.description) > 0:
				whose = f.inScratch(nil, "of ", record.description)
			default:
				whose = record.description
			}
			if len(to.name) == 0 && fd.key.Noun != pageToken {
				to.description, to.slight = whose, true
			}
			path = f.addReference(fd, &to, path)
		}
	}
}

// mayRefer reports whether a field's name allows its value to be another entity's id.
func mayRefer(fd *field, record string) bool {
	switch fd.key.Class {
	case naming.ClassTypedID:
		return fd.key.Traits.Has(naming.TraitRefers) && (record == "" || !naming.SameNoun(fd.key.Noun, record))
	case naming.ClassPlain:
		return fd.kind == document.String && fd.key.Noun != ""
	case naming.ClassWeakID:
		return fd.key.Name == "sha" && record != commit
	}
	return false
}

// listedReferences adds the identifiers of a list in a text: "Ticket codes: MJDF4VV2,
// L658OFV4".
func (f *finder) listedReferences(fd *field, path []byte) []byte {
	for id := range bytes.SplitSeq(f.value(fd), []byte(", ")) {
		if id = bytes.TrimSpace(id); shape.Of(id) >= shape.MaybeID && bytes.ContainsAny(id, "0123456789") {
			path = f.addReference(fd, &sighting{typ: fd.key.Noun, id: id}, path)
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
	fd.taken = true
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
	case k.Class == naming.ClassWeakID:
		to.typ = commit
		return shape.IsCommitID(text)
	case k.Class == naming.ClassTypedID: // a number, code or key must have an identifier's shape
		return f.isTypedID(fd) && (k.Rank <= 1 || shape.HasDigit(text) && f.shape(fd) >= shape.MaybeID)
	case f.hasOwnPrefix(fd): // {"default_price": "price_7hEX91vq"}, or MRN70230630 in column mrn
		to.typ = naming.LastWord(k.Noun)
		return true
	case !k.Traits.Has(naming.TraitRefers):
		return false
	}
	if name, id, ok := nameAndID(text); ok {
		to.id, to.name = id, f.clean(name)
		return true
	}
	return f.looksLikeID(fd) && (k.Traits.Has(naming.TraitThing) || f.shape(fd) == shape.SurelyID || shape.IsSerialCode(text))
}

// hasOwnPrefix reports whether an identifier begins with the noun of its key.
func (f *finder) hasOwnPrefix(fd *field) bool {
	noun, text := naming.LastWord(fd.key.Noun), f.value(fd)
	return len(noun) > 1 && len(text) > len(noun)+2 && bytes.EqualFold(text[:len(noun)], []byte(noun)) &&
		shape.HasDigit(text[len(noun):]) && f.looksLikeID(fd)
}

// commit is the type of a "sha".
const commit = "commit"

// nameAndID splits "Jane Smith (CUST-88213)".
func nameAndID(text []byte) (name, id []byte, ok bool) {
	i := bytes.LastIndexByte(text, '(')
	if i < 2 || text[len(text)-1] != ')' {
		return nil, nil, false
	}
	name, id = bytes.TrimSpace(text[:i]), text[i+1:len(text)-1]
	return name, id, len(name) > 0 && shape.Of(id) >= shape.LikelyID
}
