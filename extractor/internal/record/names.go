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
		if fd == id || !fd.Key.Traits.Has(naming.TraitName) || isPersonal(fd) && o.refersToPerson(typ) ||
			fd.Key.Name == "heading" && reportsOutcome(fd.Text, typ, nil) || isCaption(fd, typ) {
			continue
		}
		if rank := nameRank(typ, fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	if best == nil && o.Around != nil && o.Key.Noun == "" { // {"filename": "plan.pdf", "body": {"attachmentId": …}}
		best = o.Around.find(func(fd *Field) bool { return fd.Key.Snake == "filename" })
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

// lentName returns the only name of something else in a record, merchant_name in a
// payment, or nil. Beside that thing's identifier, or beside named children, it is only a fact.
func (o *Object) lentName() *Field {
	isLent := func(fd *Field) bool { return fd.Key.Class == naming.ClassTypedName && !fd.Nested }
	lent := o.find(isLent)
	isFact := func(fd *Field) bool {
		return fd.Child && fd.Key.Plural || fd != lent && isLent(fd) || fd.Key.Class == naming.ClassTypedID && fd.Key.Noun == lent.Key.Noun
	}
	if lent == nil || o.find(isFact) != nil {
		return nil
	}
	return lent
}

// noName is the rank of fields that do not name their record, among them names of other
// things, such as customer_name.
const noName = 1000

func nameRank(typ string, fd *Field) int {
	k, hasSpace := fd.Key, bytes.IndexByte(fd.Text, ' ') > 0
	switch qualifier := naming.LastWord(k.Noun); {
	case fd.Nested && k.Name == "plain_text": // the text of a rich-text title
		return 50
	case fd.Nested:
		return noName
	case k.Snake == "filename":
		return 30
	case k.Class == naming.ClassName && (isPersonal(fd) || k.Snake == "display_name" && hasSpace): // before the handle of a person
		return 19
	case k.Class == naming.ClassName && fd.Hoisted:
		return 30 + int(k.Rank)
	case k.Class == naming.ClassName:
		return 20 + int(k.Rank)
	case qualifier == "new":
		return 0
	case english.SameNoun(k.Noun, typ):
		return 10
	case qualifier == "display": // before the name of its kind: a run's title
		return 19
	}
	return noName
}

// isPersonal reports whether a name can only be that of a person: {"real_name": "Ann Lee"}.
func isPersonal(fd *Field) bool {
	return (fd.Key.Snake == "real_name" || fd.Key.Snake == "full_name") && bytes.IndexByte(fd.Text, ' ') > 0
}

// refersToPerson reports whether a record of a type is not a person but refers to one, such as a message
// to its user.
func (o *Object) refersToPerson(typ string) bool {
	return !vocabulary.PersonNouns.Has(typ) && o.find(func(fd *Field) bool {
		return !fd.Nested && fd.Key.Class == naming.ClassTypedID && vocabulary.PersonNouns.Has(fd.Key.Noun)
	}) != nil
}

// Naming is the relation of a text beside an identifier to the entity.
type Naming uint8

const (
	// NamesNothing is a sentence about the entity, or a part of the identifier.
	NamesNothing Naming = iota
	// NamesFact is only a state, a version, a number or a date.
	NamesFact
	// NamesEntity can be the name.
	NamesEntity
)

// NamingOf returns the relation of a text beside an identifier to the entity.
func NamingOf(text []byte, typ string, id []byte) Naming {
	switch {
	case bytes.Equal(text, id) && !shape.HasDigit(id): // the name of a branch
		return NamesEntity
	case shape.IsDateOrTime(text):
		return NamesFact
	case reportsOutcome(text, typ, id):
		return NamesNothing
	}
	what, parts := NamesNothing, bytes.FieldsFunc(id, isNoWord)
	for word := range bytes.FieldsFuncSeq(text, isNoWord) {
		isWord := func(part []byte) bool { return bytes.Equal(part, word) }
		switch {
		case slices.ContainsFunc(parts, isWord) || isPredicate(word) || saysNothing(word):
		case isState(word):
			what = NamesFact
		default:
			return NamesEntity
		}
	}
	return what
}

// isNoWord reports whether a rune cannot be part of a word.
func isNoWord(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// isState reports whether a word is a state, a version or a number.
func isState(word []byte) bool {
	return shape.IsDigits(bytes.TrimPrefix(word, []byte("v"))) || isStatus(word)
}

// isCalling reports whether a supposed name of a person is a job title or a handle.
func isCalling(name *Field) bool {
	return naming.LastWord(name.Key.Snake) == "title" || name.Key.Class == naming.ClassName && bytes.IndexByte(name.Text, ' ') < 0
}

// personName joins a given and a family name, of the record's own or of a part.
func (o *Object) personName(nested bool) []byte {
	if !o.has.Has(naming.TraitPerson) {
		return nil
	}
	return o.clean(fullName(personParts(o.Fields, nested)))
}

// reportsOutcome reports whether a text is a sentence about what happened to a
// record: "Order 1002 cancelled", "Your ticket has been created", "Updated
// successfully". Such a sentence reports the outcome of a call and does not tell
// records apart, so labels leave it out.
//
// The subject of the sentence is the record, by its type or id, or the call. A verb
// follows: a participle or an auxiliary.
func reportsOutcome(text []byte, typ string, id []byte) bool {
	if bytes.IndexByte(text, ' ') < 0 {
		return false
	}
	id = bytes.TrimPrefix(id, []byte("#"))
	var subject, named, done bool
	for word := range bytes.FieldsSeq(text) {
		if word[0] == '(' { // an aside says nothing about the subject before it
			subject = false
		}
		word = bytes.Trim(word, "#.,:;!?\"'`()[]*")
		switch {
		case len(id) > 0 && bytes.Equal(word, id):
			subject, named = true, true
		case isSubject(word, typ):
			subject = true
		case isPredicate(word):
			if subject {
				return true
			}
			done = true
		case bytes.EqualFold(word, []byte("successfully")):
			return true
		case !shape.HasDigit(word):
			subject = false // a later verb belongs to another subject
		}
	}
	return named && done // cancelled order 1002
}

// isSubject reports whether a word is the noun of a type, or a word for the call itself.
func isSubject(word []byte, typ string) bool {
	if len(word) > maxFactBytes {
		return false
	}
	noun := english.Singular(strings.ToLower(string(word)))
	return noun == naming.LastWord(typ) || noun == "operation" || noun == "request" || noun == "call"
}

// isPredicate reports whether a word can be the verb of a sentence about what
// was done: is, was, cancelled.
func isPredicate(word []byte) bool {
	if len(word) > 16 {
		return false
	}
	w := strings.ToLower(string(word))
	return vocabulary.VerbsOfState.Has(w) || len(w) > 4 && strings.HasSuffix(w, "ed")
}
