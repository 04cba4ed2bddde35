package record

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
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
		if rank := nameRank(typ, fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	return best
}

// noName is the rank of fields that are not names.
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
	switch k.Class {
	case naming.ClassTypedName:
		if english.SameNoun(k.Noun, typ) || k.Noun == english.Plural(typ) {
			return 10 + behind
		}
		return 40 + behind
	case naming.ClassName:
		return 20 + int(k.Rank) + behind
	}
	return noName
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
