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
	byName := own != nil && isUnwieldy(own, record.ID)
	hasID := own != nil && own.Key.Class == naming.ClassID
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
			named := byName && isHandleName(fd, record.Type)
			further := named || isAlias(fd, own, record.Type) || isHandledName(fd, own, record.Type)
			if further && fd != own && fd.Key.Opaque() == opaque && record.AliasCount < maxAliases && !bytes.Equal(fd.Text, record.ID) {
				add(fd.Text, named || hasID && peoplesKeys.Has(fd.Key.Snake))
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
	switch fd.Key.Class {
	case naming.ClassID:
		return !fd.Key.Plural && fd.isID()
	case naming.ClassTypedID:
		isOwn := english.SameNoun(fd.Key.Noun, typ) || isDocumentID(fd, own) || vocabulary.OwnNouns.Has(fd.Key.Noun) || isPaperNumber(fd.Key)
		return isOwn && !fd.Key.Plural && fd.isID() && (fd.Key.Rank <= 3 || fd.looksLikeID())
	case naming.ClassWeakID:
		if fd.Key.Name == "sha" { // the content of a file, else the commit of a pipeline or a tag
			return own != nil && own.Key.Snake == "path"
		}
		hasID := own != nil && own.Key.Class == naming.ClassID
		return fd.isID() && (fd.Kind == document.Number && fd.Key.Rank == 0 || fd.Key.Rank <= 4 && fd.looksLikeID() ||
			hasID && (isShortKey(fd) || fd.Key.Rank == naming.RankSlug && shape.IsHandle(fd.Text)) ||
			fd.Key.Rank == naming.RankURL && shape.IsURN(fd.Text))
	case naming.ClassName:
		return fd.shape() == shape.SurelyID || own != nil && shape.IsNumberedName(fd.Text) && shape.IsEncoded(own.Text)
	}
	return false
}

// isDocumentID reports whether a field has the identifier that a system for content gives to a
// numbered record, and takes: {"id": 88, "documentId": "hgv1vny5cebq2l3czil1rpb3"}.
func isDocumentID(fd, own *Field) bool {
	return own != nil && own.Kind == document.Number && fd.Key.Snake == "document_id" && len(fd.Text) == 24 && bytes.IndexByte(fd.Text, '-') < 0
}

// isPaperNumber reports whether a key is that of the number on the paper that its record is, an
// invoice: DocNumber.
func isPaperNumber(k *naming.Key) bool {
	return k.Rank == 2 && (k.Noun == "doc" || k.Noun == "document" || k.Noun == "reference")
}

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

// isUnwieldy reports whether tools prefer the entity's name to an identifier, or take
// either: an ARN, the uid of a Kubernetes object, an address, a hash.
func isUnwieldy(own *Field, id []byte) bool {
	return own.Key.Name == "uid" || bytes.HasPrefix(id, []byte("arn:")) || bytes.Contains(id, []byte("://")) || shape.IsHash(id)
}

// isHandledName reports whether a field is the name of a numbered thing whose tools may take either:
// a tag of an image.
func isHandledName(fd, own *Field, typ string) bool {
	return own != nil && own.Kind == document.Number && fd.Key.Class == naming.ClassName && fd.Kind == document.String && shape.IsHandle(fd.Text) && vocabulary.HandledNouns.Has(naming.LastWord(typ))
}

// isHandleName reports whether a field is a record's name in the style of programs.
func isHandleName(fd *Field, typ string) bool {
	named := fd.Key.Class == naming.ClassName || fd.Key.Class == naming.ClassTypedName && english.SameNoun(fd.Key.Noun, typ)
	return named && fd.Kind == document.String && (shape.IsProgramName(fd.Text) || shape.IsNumberedName(fd.Text))
}
