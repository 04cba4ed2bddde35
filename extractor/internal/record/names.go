package record

import (
	"bytes"
	"slices"
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
		rank := nameRank(typ, fd)
		if fd.Key.Name == "heading" && reportsOutcome(fd.Text, typ, nil) {
			continue
		}
		if o.call.Arguments && (fd.Key.Traits.Has(naming.TraitSlug) || rank >= foreignName) { // that of a customer
			continue
		}
		if rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	return best
}

const (
	// foreignName is the rank of names of another noun, customer_name.
	foreignName = 40
	// noName is the rank of fields that are not names.
	noName = 1000
)

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
	switch k.Snake {
	case "real_name", "full_name", "display_name": // before the handle of a person
		if bytes.IndexByte(fd.Text, ' ') > 0 {
			return 19
		}
	case "filename":
		return 30 + behind
	}
	switch k.Class {
	case naming.ClassTypedName:
		if english.SameNoun(k.Noun, typ) || k.Noun == english.Plural(typ) {
			return 10 + behind
		}
		switch k.Noun {
		case "new":
			return behind
		case "old", "previous":
			return noName
		}
		return foreignName + behind
	case naming.ClassName:
		return 20 + int(k.Rank) + behind
	}
	return noName
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
	return name.Key.Snake == "title" || name.Key.Class == naming.ClassName && bytes.IndexByte(name.Text, ' ') < 0
}

// personName joins a given and a family name.
func (o *Object) personName() []byte {
	var given, family []byte
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Nested || fd.Kind != document.String:
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
