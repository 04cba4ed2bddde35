package record

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// maxAliases is the number of identifiers taken for a record beside the best one.
const maxAliases = 3

// aliases collects the further identifiers of a record: the key of an issue with an id,
// the number of a pull request, and which one people use.
func (o *Object) aliases(id Identity, record *finding.Sighting) {
	own := id.field
	start := len(o.scratch.text)
	add := func(alias []byte, isPreferred bool) {
		o.scratch.text = append(append(o.scratch.text, '\n'), alias...)
		record.AliasCount++
		if isPreferred && record.Prefers == 0 {
			record.Prefers = record.AliasCount
		}
	}
	for _, opaque := range [...]bool{false, true} { // those for machines last
		for fd := range o.own() {
			if fd == own || fd.Key.Opaque() != opaque || record.AliasCount == maxAliases || bytes.Equal(fd.Text, record.ID) {
				continue
			}
			if named := isUsedName(fd, own, record.Type); named || isAlias(fd, own, record.Type) {
				add(fd.Text, named && own.Kind != document.Number || own != nil && own.Key.Class == naming.ClassID && peoplesKeys.Has(fd.Key.Snake))
				fd.Became = Alias
			}
		}
	}
	if id.why == NameAsID && record.AliasCount < maxAliases {
		if kind, name := o.kindAndName(record.ID); kind != "" {
			add(name, true)
		}
	}
	record.Aliases = o.scratch.text[start:]
}

// peoplesKeys are fields with an identifier that people use rather than the record's id.
var peoplesKeys = vocabulary.Set{List: `document_id number iid key path identifier short_id display_id login username symbol ticker`}

// isAlias reports whether a field is a further identifier of its record.
func isAlias(fd, own *Field, typ string) bool {
	k, hasID := fd.Key, own != nil && own.Key.Class == naming.ClassID
	switch k.Class {
	case naming.ClassID:
		return !k.Plural && fd.isID()
	case naming.ClassTypedID:
		isOwn := english.SameNoun(k.Noun, typ) || vocabulary.OwnNouns.Has(k.Noun) ||
			k.Rank == 2 && paperNouns.Has(k.Noun) || // the number on the paper that the record is: DocNumber
			own != nil && own.Kind == document.Number && k.Snake == "document_id" && len(fd.Text) == 24 // of a system for content
		return isOwn && !k.Plural && fd.isID() && (k.Rank <= 3 || fd.looksLikeID())
	case naming.ClassWeakID:
		if k.Name == "sha" { // the content of a file, else the commit of a pipeline or a tag
			return own != nil && own.Key.Snake == "path"
		}
		return fd.isID() && (fd.Kind == document.Number && k.Rank == 0 || k.Rank <= 4 && fd.looksLikeID() ||
			hasID && (isShortKey(fd) || k.Rank == naming.RankSlug && shape.IsHandle(fd.Text)) ||
			k.Rank == naming.RankURL && shape.IsURN(fd.Text))
	case naming.ClassName:
		return fd.shape() == shape.SurelyID || own != nil && shape.IsNumberedName(fd.Text) && shape.IsEncoded(own.Text)
	}
	return false
}

var paperNouns = vocabulary.Set{List: `doc document reference`}

// isShortKey reports whether a field is what people call a record that has an id: the key
// of a project, KITE, the symbol of a share, or a login.
func isShortKey(fd *Field) bool {
	switch fd.Key.Snake {
	case "key", "symbol", "ticker":
		return shape.IsUpperWord(fd.Text) || shape.IsProgramName(fd.Text)
	case "login", "username":
		return fd.Kind == document.String && !bytes.ContainsAny(fd.Text, " @")
	}
	return false
}

// isUsedName reports whether tools may take the name of a record, in the style of programs, as well as
// its identifier: one that is unwieldy, an ARN, the uid of a Kubernetes object, an address or a hash, or
// the number of a tag.
func isUsedName(fd, own *Field, typ string) bool {
	isName := fd.Key.Class == naming.ClassName || fd.Key.Class == naming.ClassTypedName && english.SameNoun(fd.Key.Noun, typ)
	if own == nil || !isName || fd.Kind != document.String {
		return false
	}
	isUnwieldy := own.Key.Name == "uid" || bytes.HasPrefix(own.Text, []byte("arn:")) || bytes.Contains(own.Text, []byte("://")) || shape.IsHash(own.Text)
	return isUnwieldy && (shape.IsProgramName(fd.Text) || shape.IsNumberedName(fd.Text)) ||
		own.Kind == document.Number && vocabulary.HandledNouns.Has(naming.LastWord(typ)) && shape.IsHandle(fd.Text)
}
