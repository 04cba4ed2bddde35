package record

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// References returns the entities that a record, or an object without an identity, refers
// to, with the types in the names of its keys. Usually their owner, or what it says, is
// all that is known about them: "of Headphones". The result is valid until the next call
// of a method of the object.
func (o *Object) References(id Identity, record *finding.Sighting) []Found {
	var whose []byte
	o.scratch.found = o.scratch.found[:0]
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd == id.field || fd.Nested || fd.became == Alias || !mayRefer(fd, record.Type) {
			continue
		}
		if fd.Key.Class == naming.ClassTypedID && fd.Key.Plural && bytes.Contains(fd.Text, []byte(", ")) {
			o.listedReferences(fd)
			continue
		}
		if to := (finding.Sighting{Type: fd.Key.Noun}); o.referenced(fd, &to) && !bytes.Equal(to.ID, record.ID) {
			if o.isSecondID(fd) {
				continue
			}
			if len(to.Name) == 0 {
				to.Name = o.nameBeside(fd)
			}
			o.describeLate(record)
			switch {
			case len(whose) > 0:
			case len(record.Name) > 0:
				whose = o.scratch.join(nil, "of ", record.Name)
			case len(record.ID) > 0 && len(record.Description) > 0:
				whose = o.scratch.join(nil, "of ", firstFacts(record.Description))
			default:
				whose = record.Description
			}
			if len(to.Name) == 0 && fd.Key.Noun != naming.PageToken && !vocabulary.SharedNouns.Has(naming.LastWord(fd.Key.Noun)) {
				to.Description, to.Slight = whose, true
			}
			o.refer(fd, to)
		}
	}
	return o.scratch.found
}

// isSecondID reports whether a field is a further identifier of what the field before it
// refers to, folder_uid behind folder_id, and keeps it as an alias.
func (o *Object) isSecondID(fd *Field) bool {
	n := len(o.scratch.found)
	if n == 0 || fd.Key.Class != naming.ClassTypedID {
		return false
	}
	first := &o.scratch.found[n-1]
	if k := first.Field.Key; k.Class != naming.ClassTypedID || k == fd.Key || k.Noun != fd.Key.Noun || k.Plural || first.AliasCount == maxAliases || bytes.Equal(first.ID, fd.Text) {
		return false
	}
	first.Aliases = o.scratch.join(first.Aliases, "\n", fd.Text)
	first.AliasCount++
	fd.settle(Alias)
	return true
}

// describeLate describes an object without an identity once something refers to it.
func (o *Object) describeLate(s *finding.Sighting) {
	if len(s.ID) == 0 && !o.described && o.has.Has(naming.TraitRefers|naming.TraitIdentifies) {
		s.Description, _ = o.describe(s, nil, nil)
	}
	o.described = true
}

// mayRefer reports whether a field's name allows its value to be another entity's id.
func mayRefer(fd *Field, record string) bool {
	switch fd.Key.Class {
	case naming.ClassTypedID:
		return fd.Key.Noun != naming.PageToken && fd.Key.Traits.Has(naming.TraitRefers) && (record == "" || !english.SameNoun(fd.Key.Noun, record))
	case naming.ClassPlain:
		return fd.Kind == document.String && fd.Key.Noun != ""
	case naming.ClassWeakID:
		return fd.Key.Name == "sha" && record != commit
	}
	return false
}

// listedReferences adds the identifiers of a list in a text: "Ticket codes: MJDF4VV2,
// L658OFV4".
func (o *Object) listedReferences(fd *Field) {
	for id := range bytes.SplitSeq(fd.Text, []byte(", ")) {
		if id = bytes.TrimSpace(id); shape.Of(id) >= shape.MaybeID && shape.HasDigit(id) {
			fd.settle(ForeignKey)
			o.refer(fd, finding.Sighting{Type: fd.Key.Noun, ID: id})
		}
	}
}

// refer adds the entity that a field refers to.
func (o *Object) refer(fd *Field, to finding.Sighting) {
	to.Role = memory.RoleReference
	if to.Type == naming.PageToken {
		to.Role = memory.RoleCandidate
	}
	o.scratch.found = append(o.scratch.found, Found{to, fd})
}

// referenced fills in the entity that a field with a suitable name refers to, and
// reports whether there is one.
func (o *Object) referenced(fd *Field, to *finding.Sighting) bool {
	k, text := fd.Key, fd.Text
	to.ID = text
	switch {
	case k.Class == naming.ClassWeakID:
		to.Type = commit
		return fd.settleIf(shape.IsCommitID(text), ForeignKey)
	case k.Class == naming.ClassTypedID: // a number, code or key must have an identifier's shape
		return fd.settleIf(fd.isTypedID() && string(text) != "0" && (k.Rank <= 1 || shape.HasDigit(text) && fd.shape() >= shape.MaybeID), ForeignKey)
	case hasOwnPrefix(fd): // {"default_price": "price_7hEX91vq"}, or MRN70230630 in column mrn
		to.Type = naming.LastWord(k.Noun)
		return fd.settleIf(true, OwnPrefix)
	case !k.Traits.Has(naming.TraitRefers):
		return false
	}
	if name, id, ok := nameAndID(text); ok {
		to.ID, to.Name = id, o.clean(name)
		return fd.settleIf(true, NamedReference)
	}
	return fd.settleIf(fd.looksLikeID() && (k.Traits.Has(naming.TraitThing) || fd.shape() == shape.SurelyID || shape.IsSerialCode(text)), CodeOfThing)
}

// nameBeside returns the name that the record gives for what a field refers to: the
// channelTitle beside a channelId, and the full name of a person before a handle.
func (o *Object) nameBeside(ref *Field) []byte {
	if len(ref.Called) > 0 {
		return o.clean(ref.Called)
	}
	var name []byte
	for i := range o.Fields {
		fd, of := &o.Fields[i], ref.Key.Noun
		switch {
		case fd.Nested || fd.Kind != document.String:
		case isPersonal(fd) && vocabulary.PersonNouns.Has(of):
			return o.clean(fd.Text)
		case fd.Key.Class != naming.ClassTypedName:
		case fd.Key.Noun == of+"_full" || fd.Key.Noun == of+"_display" || fd.Key.Noun == of+"_real":
			return o.clean(fd.Text)
		case fd.Key.Noun == of && name == nil:
			name = fd.Text
		}
	}
	return o.clean(name)
}

// hasOwnPrefix reports whether an identifier begins with the noun of its key.
func hasOwnPrefix(fd *Field) bool {
	noun, text := naming.LastWord(fd.Key.Noun), fd.Text
	return len(noun) > 1 && len(text) > len(noun)+2 && bytes.EqualFold(text[:len(noun)], []byte(noun)) &&
		shape.HasDigit(text[len(noun):]) && fd.looksLikeID()
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
