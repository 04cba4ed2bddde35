package record

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// sectionNames are the names of a CMS section, sectionName before sectionKey (seed
// 004).
var sectionNames = [...]string{"section_name", "section_key", "name", "key"}

// nameOf returns the field that names a record, or nil.
func (o *Object) nameOf(typ string, id *Field) *Field {
	var best *Field
	bestRank := noName
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd == id || typ != "section" && !fd.Key.Traits.Has(naming.TraitName) {
			continue
		}
		if isPersonal(fd) && o.refersToPerson(typ) {
			continue
		}
		if fd.Key.Name == "heading" && (reportsOutcome(fd.Text, typ, nil) || isCaption(fd.Text, typ)) || o.call.Arguments && fd.Key.Traits.Has(naming.TraitSlug) {
			continue
		}
		if rank := nameRank(typ, fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	if best == nil && o.Around != nil && o.Key.Noun == "" { // {"filename": "plan.pdf", "body": {"attachmentId": …}}
		if i := slices.IndexFunc(o.Around.Fields, func(fd Field) bool { return !fd.Nested && fd.Key.Snake == "filename" }); i >= 0 {
			return &o.Around.Fields[i]
		}
	}
	if best == nil && !o.call.Arguments {
		best = o.lentName()
	}
	return best
}

// isCaption reports whether a heading only repeats the type of the record below it: Booking details.
func isCaption(heading []byte, typ string) bool {
	return !slices.ContainsFunc(english.Words(string(heading)), func(word string) bool {
		return !vocabulary.AttributeTails.Has(word) && !slices.Contains(strings.Split(typ, "_"), word)
	})
}

// lentName returns the only name that a record has from what it belongs to, merchant_name in a
// payment, or nil. It is a mere fact beside that thing's identifier, or beside named children.
func (o *Object) lentName() (lent *Field) {
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Child && fd.Key.Plural, fd.Key.Class == naming.ClassTypedID && !fd.Nested && o.hasField(func(n *Field) bool {
			return n.Key.Class == naming.ClassTypedName && n.Key.Noun == fd.Key.Noun
		}):
			return nil
		case fd.Nested || fd.Kind != document.String || fd.Key.Class != naming.ClassTypedName || fd.Key.Noun == "old" || fd.Key.Noun == "previous":
		case lent != nil:
			return nil
		default:
			lent = fd
		}
	}
	return lent
}

// noName is the rank of fields that do not name their record: others, and names of what
// another noun stands for, such as customer_name.
const noName = 1000

func nameRank(typ string, fd *Field) int {
	k := fd.Key
	if fd.Nested && k.Name == "plain_text" { // the text of a rich-text title
		return 50
	}
	if fd.Nested || fd.Kind == document.Bool {
		return noName
	}
	if typ == "section" {
		if i := slices.Index(sectionNames[:], k.Snake); i >= 0 {
			return i
		}
	}
	behind := 0
	if fd.Hoisted {
		behind = 10
	}
	switch qualifier := naming.LastWord(k.Noun); {
	case k.Snake == "filename":
		return 30 + behind
	case k.Class == naming.ClassName:
		if isFullName(k) && bytes.IndexByte(fd.Text, ' ') > 0 { // before the handle of a person
			return 19
		}
		return 20 + int(k.Rank) + behind
	case k.Class != naming.ClassTypedName:
		return noName
	case qualifier == "new":
		return behind
	case english.SameNoun(k.Noun, typ) || k.Noun == english.Plural(typ) || k.Traits.Has(naming.TraitThing) && strings.HasPrefix(k.Noun, typ+"_"):
		return 10 + behind
	case qualifier == "display": // before the name of what the record is one of: a run's title
		return 19 + behind
	case vocabulary.NameQualifiers.Has(qualifier):
		return 30 + behind
	}
	return noName
}

// isFullName reports whether a name is the one that a person has beside a handle.
func isFullName(k *naming.Key) bool {
	return k.Snake == "real_name" || k.Snake == "full_name" || k.Snake == "display_name"
}

// isPersonal reports whether a name can only be that of a person: {"real_name": "Ann Lee"}.
func isPersonal(fd *Field) bool {
	return (fd.Key.Snake == "real_name" || fd.Key.Snake == "full_name") && bytes.IndexByte(fd.Text, ' ') > 0
}

// refersToPerson reports whether a record of a type is not a person and refers to one, as a message
// does to its user.
func (o *Object) refersToPerson(typ string) bool {
	return !vocabulary.PersonNouns.Has(typ) && o.hasField(func(fd *Field) bool {
		return !fd.Nested && fd.Key.Class == naming.ClassTypedID && vocabulary.PersonNouns.Has(fd.Key.Noun) && !english.SameNoun(fd.Key.Noun, typ)
	})
}

// Naming is what a text beside an identifier is to its entity.
type Naming uint8

const (
	// NamesNothing is a sentence about the entity, or a part of the identifier.
	NamesNothing Naming = iota
	// NamesFact only says the state, the version, a number or a date.
	NamesFact
	// NamesEntity can be the name.
	NamesEntity
)

// NamingOf returns what a text beside an identifier is to its entity.
func NamingOf(text []byte, typ string, id []byte) Naming {
	switch {
	case bytes.Equal(text, id) && !shape.HasDigit(id): // the name of a branch
		return NamesEntity
	case shape.IsDateOrTime(text):
		return NamesFact
	case reportsOutcome(text, typ, id):
		return NamesNothing
	}
	what := NamesNothing
	for word := range bytes.FieldsFuncSeq(text, isNoWord) {
		switch {
		case isPartOf(word, id) || isPredicate(word) || saysNothing(word):
		case isState(word):
			what = NamesFact
		default:
			return NamesEntity
		}
	}
	return what
}

// isNoWord reports whether a rune is in no word.
func isNoWord(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// isState reports whether a word says the state, the version or a number of a thing.
func isState(word []byte) bool {
	return shape.IsDigits(bytes.TrimPrefix(word, []byte("v"))) || len(word) <= maxFactBytes && vocabulary.StatusWords.HasBytes(bytes.ToLower(word))
}

// isPartOf reports whether a word stands in an identifier between separators.
func isPartOf(word, id []byte) bool {
	for part := range bytes.FieldsFuncSeq(id, isNoWord) {
		if bytes.Equal(part, word) {
			return true
		}
	}
	return false
}

// slug returns a record's slug, or nil.
func (o *Object) slug() (slug []byte) {
	for i := range o.Fields {
		if fd := &o.Fields[i]; fd.Key.Traits.Has(naming.TraitSlug) && !fd.Nested {
			slug = o.clean(fd.Text)
		}
	}
	return slug
}

// isCalling reports whether the name of a person is rather a job title or a handle.
func isCalling(name *Field) bool {
	return naming.LastWord(name.Key.Snake) == "title" || name.Key.Class == naming.ClassName && bytes.IndexByte(name.Text, ' ') < 0
}

// personName joins a given and a family name, of the record's own or of a part.
func (o *Object) personName(nested bool) []byte {
	var given, family []byte
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Nested != nested || fd.Kind != document.String:
		case fd.Key.Given && len(given) == 0:
			given = o.clean(fd.Text)
		case fd.Key.Family && len(family) == 0:
			family = o.clean(fd.Text)
		}
	}
	switch {
	case len(given) == 0:
		return family
	case len(family) == 0:
		return given
	}
	return o.scratch.join(given, " ", family)
}
