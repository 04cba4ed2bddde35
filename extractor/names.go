package extractor

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
func (f *finder) nameOf(typ string, fields []field, id *field) *field {
	var best *field
	bestRank := noName
	for i := range fields {
		fd := &fields[i]
		if fd == id || typ != "section" && !fd.key.Traits.Has(naming.TraitName) {
			continue
		}
		if rank := f.nameRank(typ, fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	return best
}

// noName is the rank of fields that are not names.
const noName = 1000

func (f *finder) nameRank(typ string, fd *field) int {
	k := fd.key
	if fd.nested && k.Name == "plain_text" { // the text of a rich-text title
		return 50
	}
	if fd.nested || fd.kind == document.Bool {
		return noName
	}
	if typ == "section" {
		if i := slices.Index(sectionNames[:], k.Snake); i >= 0 {
			return i
		}
	}
	behind := 0
	if fd.hoisted {
		behind = 10
	}
	switch k.Class {
	case naming.ClassTypedName:
		if naming.SameNoun(k.Noun, typ) || k.Noun == english.Plural(typ) {
			return 10 + behind
		}
		return 40 + behind
	case naming.ClassName:
		return 20 + int(k.Rank) + behind
	}
	return noName
}

// slugOf returns a record's slug, or nil.
func (f *finder) slugOf(fields []field) (slug []byte) {
	for i := range fields {
		if fields[i].key.Traits.Has(naming.TraitSlug) && !fields[i].nested {
			slug = f.clean(f.value(&fields[i]))
		}
	}
	return slug
}

// personName joins a given and a family name.
func (f *finder) personName(fields []field) []byte {
	var given, family []byte
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested || fd.kind != document.String:
		case fd.key.Given && len(given) == 0:
			given = f.clean(f.value(fd))
		case fd.key.Family && len(family) == 0:
			family = f.clean(f.value(fd))
		}
	}
	switch {
	case len(given) == 0:
		return family
	case len(family) == 0:
		return given
	}
	return f.inScratch(given, " ", family)
}
