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
	for fd := range o.own() {
		to, why := o.referenced(fd, record.Type)
		if why == Undecided || fd == id.field || fd.Became == Alias || o.isPosition(fd) {
			continue
		}
		fd.Became = why // also the record's own identifier under a second key, which is no candidate
		if bytes.Equal(to.ID, record.ID) || o.isSecondID(fd) {
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
			facts := shortFacts(record.Description)
			if len(facts) == 0 {
				facts = record.Description
			}
			whose = o.scratch.join(nil, "of ", facts)
		default:
			whose = record.Description
		}
		if len(to.Name) == 0 && !vocabulary.SharedNouns.Has(naming.LastWord(fd.Key.Noun)) {
			to.Description, to.Slight = whose, true
		}
		o.scratch.found = append(o.scratch.found, Found{to, fd})
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
	if k := first.Field.Key; k.Class != naming.ClassTypedID || k == fd.Key || k.Noun != fd.Key.Noun || first.AliasCount == maxAliases || bytes.Equal(first.ID, fd.Text) {
		return false
	}
	first.Aliases = o.scratch.join(first.Aliases, "\n", fd.Text)
	first.AliasCount++
	fd.Became = Alias
	return true
}

// describeLate describes an object without an identity once something refers to it.
func (o *Object) describeLate(s *finding.Sighting) {
	if len(s.ID) == 0 && !o.described && o.has.Has(naming.TraitRefers|naming.TraitIdentifies) {
		s.Description = o.describe(s, nil, nil)
	}
	o.described = true
}

// referenced returns the entity that a field of a record of some type refers to, and why; Undecided if
// there is none.
func (o *Object) referenced(fd *Field, record string) (to finding.Sighting, why Reason) {
	k, text := fd.Key, fd.Text
	refers, isText := k.Traits.Has(naming.TraitRefers), k.Class == naming.ClassPlain && fd.Kind == document.String && k.Noun != ""
	to = finding.Sighting{Type: k.Noun, Role: memory.RoleReference, ID: text}
	switch name, id, named := nameAndID(text); {
	case k.Name == "sha" && record != commit && shape.IsCommitID(text):
		to.Type = commit
		return to, ForeignKey
	case k.Class == naming.ClassTypedID && refers && k.Noun != naming.PageToken && !english.SameNoun(k.Noun, record) && fd.isTypedID() &&
		string(text) != "0" && (k.Rank <= 1 || shape.HasDigit(text) && fd.shape() >= shape.MaybeID): // a number, code or key must have an identifier's shape
		return to, ForeignKey
	case isText && hasOwnPrefix(fd): // {"default_price": "price_7hEX91vq"}, or MRN70230630 in column mrn
		to.Type = naming.LastWord(k.Noun)
		return to, OwnPrefix
	case isText && refers && named:
		to.ID, to.Name = id, o.clean(name)
		return to, NamedReference
	case isText && refers && fd.looksLikeID() && (k.Traits.Has(naming.TraitThing) || fd.shape() == shape.SurelyID || shape.IsSerialCode(text)):
		return to, CodeOfThing
	}
	return to, Undecided
}

// nameBeside returns the name that the record gives for what a field refers to: the
// channelTitle beside a channelId, and the full name of a person before a handle.
func (o *Object) nameBeside(ref *Field) []byte {
	name := ref.Called
	for fd := range o.own() {
		switch {
		case isPersonal(fd) && vocabulary.PersonNouns.Has(ref.Key.Noun):
			return o.clean(fd.Text)
		case len(name) == 0 && fd.Key.Class == naming.ClassTypedName && fd.Key.Noun == ref.Key.Noun:
			name = fd.Text
		}
	}
	return o.clean(name)
}

// hasOwnPrefix reports whether an identifier begins with the noun of its key.
func hasOwnPrefix(fd *Field) bool {
	noun, text := naming.LastWord(fd.Key.Noun), fd.Text
	return len(text) > len(noun)+2 && bytes.EqualFold(text[:len(noun)], []byte(noun)) && fd.looksLikeID()
}

// commit is the type of a "sha".
const commit = "commit"

// nameAndID splits "Jane Smith (CUST-88213)".
func nameAndID(text []byte) (name, id []byte, ok bool) {
	i := bytes.LastIndexByte(text, '(')
	if i < 2 || !bytes.HasSuffix(text, []byte(")")) {
		return nil, nil, false
	}
	id = text[i+1 : len(text)-1]
	return bytes.TrimSpace(text[:i]), id, shape.Of(id) >= shape.LikelyID
}
