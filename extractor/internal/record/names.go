package record

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// nameOf returns the field that names a record, or nil.
func (o *Object) nameOf(typ string, id *Field) *Field {
	var best *Field
	bestRank := noName
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd == id || !fd.Key.Traits.Has(naming.TraitName), isPersonal(fd) && o.refersToPerson(typ):
		case fd.Key.Name == "heading" && reportsOutcome(fd.Text, typ, nil), isCaption(fd, typ):
		default:
			if rank := nameRank(typ, fd); rank < bestRank {
				best, bestRank = fd, rank
			}
		}
	}
	if best == nil && o.Around != nil && o.Key.Noun == "" { // {"filename": "plan.pdf", "body": {"attachmentId": …}}
		best = o.Around.find(func(fd *Field) bool { return !fd.Nested && fd.Key.Snake == "filename" })
	}
	if best == nil && !o.call.Arguments {
		best = o.lentName()
	}
	return best
}

// isCaption reports whether a name or a heading only repeats the type of its record: Question, Booking details.
func isCaption(fd *Field, typ string) bool {
	if fd.Key.Name != "heading" {
		return bytes.EqualFold(fd.Text, []byte(naming.LastWord(typ)))
	}
	return !slices.ContainsFunc(english.Words(string(fd.Text)), func(word string) bool {
		return !vocabulary.AttributeTails.Has(word) && !slices.Contains(strings.Split(typ, "_"), word)
	})
}

// lentName returns the only name that a record has from what it belongs to, merchant_name in a
// payment, or nil. It is a mere fact beside that thing's identifier, or beside named children.
func (o *Object) lentName() (lent *Field) {
	for i := range o.Fields {
		fd := &o.Fields[i]
		isName := func(n *Field) bool { return n.Key.Class == naming.ClassTypedName && n.Key.Noun == fd.Key.Noun }
		switch {
		case fd.Child && fd.Key.Plural, fd.Key.Class == naming.ClassTypedID && !fd.Nested && o.find(isName) != nil:
			return nil
		case fd.Nested || fd.Key.Class != naming.ClassTypedName:
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
	switch qualifier := naming.LastWord(k.Noun); {
	case fd.Nested && k.Name == "plain_text": // the text of a rich-text title
		return 50
	case fd.Nested:
		return noName
	case k.Snake == "filename":
		return 30
	case k.Class == naming.ClassName && (isPersonal(fd) || k.Snake == "display_name" && bytes.IndexByte(fd.Text, ' ') > 0): // before the handle of a person
		return 19
	case k.Class == naming.ClassName && fd.Hoisted:
		return 30 + int(k.Rank)
	case k.Class == naming.ClassName:
		return 20 + int(k.Rank)
	case qualifier == "new":
		return 0
	case english.SameNoun(k.Noun, typ):
		return 10
	case qualifier == "display": // before the name of what the record is one of: a run's title
		return 19
	}
	return noName
}

// isPersonal reports whether a name can only be that of a person: {"real_name": "Ann Lee"}.
func isPersonal(fd *Field) bool {
	return (fd.Key.Snake == "real_name" || fd.Key.Snake == "full_name") && bytes.IndexByte(fd.Text, ' ') > 0
}

// refersToPerson reports whether a record of a type is not a person and refers to one, as a message
// does to its user.
func (o *Object) refersToPerson(typ string) bool {
	return !vocabulary.PersonNouns.Has(typ) && o.find(func(fd *Field) bool {
		return !fd.Nested && fd.Key.Class == naming.ClassTypedID && vocabulary.PersonNouns.Has(fd.Key.Noun)
	}) != nil
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

// isCalling reports whether the name of a person is rather a job title or a handle.
func isCalling(name *Field) bool {
	return naming.LastWord(name.Key.Snake) == "title" || name.Key.Class == naming.ClassName && bytes.IndexByte(name.Text, ' ') < 0
}

// personName joins a given and a family name, of the record's own or of a part.
func (o *Object) personName(nested bool) []byte {
	if !o.has.Has(naming.TraitPerson) {
		return nil
	}
	given := partOf(o.Fields, func(fd *Field) bool { return fd.Nested == nested && fd.Key.Given })
	family := partOf(o.Fields, func(fd *Field) bool { return fd.Nested == nested && fd.Key.Family })
	return o.clean(fullName(given, family))
}
