package record

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// typeOf returns the type of a record: the one it states, if plausible; else that of
// its identifier's name; else that of its key; else that of the tool.
func (o *Object) typeOf(id Identity) (string, TypeReason) {
	if o.call.Forced != "" {
		return o.call.Forced, TypeOfRule
	}
	if o.isCommit(id) {
		return commit, TypeOfKey
	}
	typed := ""
	if id.field != nil && (id.field.Key.Class == naming.ClassTypedID || id.field.Key.Class == naming.ClassTrace || id.field.Key.Class == naming.ClassPlain) {
		if typed = id.field.Key.Noun; id.field.Key.Class == naming.ClassPlain && cmp.Or(o.Noun, o.found(id)) != "" && (id.why == Namesake || !id.field.Key.Traits.Has(naming.TraitThing)) {
			typed = "" // the head of a column of codes says less than the list
		}
		if id.field.Key.Opaque() && naming.LastWord(typed) == "node" { // node_id of a thread
			typed = ""
		}
		if strings.HasSuffix(o.Noun, "_"+typed) { // the GroupId of SecurityGroups
			typed = o.Noun
		}
	}
	if id.why == NameAsID {
		if kind, _ := o.kindAndName(id.field.Text); kind != "" {
			return kind, TypeOfKey
		}
	}
	if id.field != nil && id.field.Key.Name == "reference" { // of FHIR
		if kind, _, ok := bytes.Cut(id.field.Text, []byte("/")); ok {
			return cmp.Or(naming.PlausibleType(kind), memory.FallbackType), TypeOfKey
		}
	}
	if stated := o.statedType(typed); stated != "" {
		return stated, TypeStated
	}
	if id.field != nil && (o.Noun == "" || o.Inherited) {
		if noun := collectionOf(id.field.Key, id.field.Text); noun != "" {
			return noun, TypeOfKey
		}
	}
	switch {
	case typed != "":
		return typed, TypeOfKey
	case id.field != nil && id.field.Key.Snake == "entity_id" && (o.Noun == "" || o.Inherited || vocabulary.PointerNouns.Has(o.Noun)):
		return "entity", TypeOfKey
	case o.Noun != "" && o.Inherited && o.Noun == o.call.Tool.Noun:
		return o.Noun, TypeOfTool
	case o.Noun != "":
		return o.Noun, TypeOfSurroundings
	}
	return cmp.Or(o.found(id), memory.FallbackType), TypeUnknown
}

// found returns the type of what a search finds if only its address, or a code as PMID,
// identifies it and nothing names it, or "".
func (o *Object) found(id Identity) string {
	if o.call.Tool.Verb == "search" && o.Listed && id.field != nil && (isLink(id.field.Key) || id.field.Key.Class == naming.ClassPlain) {
		return "result"
	}
	return ""
}

// collectionOf returns the type of what a path on a server leads to, by the first collection in it:
// calendar of /dav/calendars/ann/work/. It is empty for other texts.
func collectionOf(k *naming.Key, text []byte) string {
	if k == nil || !isLink(k) || !bytes.HasPrefix(text, []byte("/")) {
		return ""
	}
	for part := range bytes.SplitSeq(text, []byte("/")) {
		if noun := naming.PluralNoun(string(part)); vocabulary.EntityNouns.Has(noun) {
			return noun
		}
	}
	return ""
}

// kindAndName splits the name of an item of a list: Deployment/web or, in a command's list,
// pod/web-1. The kind is empty for other texts.
func (o *Object) kindAndName(text []byte) (kind string, name []byte) {
	head, name, ok := bytes.Cut(text, []byte("/"))
	if !ok || len(head) == 0 || len(name) == 0 || len(head) > maxFactBytes || bytes.IndexByte(name, '/') >= 0 || bytes.IndexByte(name, ' ') >= 0 {
		return "", nil
	}
	kind = naming.KindNoun(strings.ToLower(string(head)))
	switch lower := head[0] >= 'a'; {
	case !o.Listed || kind == "event": // no tool takes those of a cluster
	case lower && o.isRow() && vocabulary.EntityNouns.Has(naming.LastWord(kind)), !lower && vocabulary.ResourceKinds.Has(strings.ToLower(string(head))):
		return kind, name
	}
	return "", nil
}

// isCommit reports whether a record is the commit that the record around it is
// based on: {"head": {"sha": …}}, {"parents": [{"sha": …}]}.
func (o *Object) isCommit(id Identity) bool {
	return id.field != nil && id.field.Key.Name == "sha" && vocabulary.CommitKeys.Has(o.Noun)
}

// statedType returns the type that a record states, if it is plausible.
func (o *Object) statedType(typed string) string {
	best, bestRank := "", uint8(100)
	if !o.has.Has(naming.TraitType) {
		return ""
	}
	for fd := range o.own() {
		rank := fd.Key.Rank
		if fd.Hoisted {
			rank += 5 // the record's own statement comes first
		}
		if fd.Key.Class != naming.ClassType || fd.Kind != document.String || rank >= bestRank {
			continue
		}
		if typ := naming.PlausibleType(fd.Text); typ != "" && o.isStated(fd, typ, typed) {
			best, bestRank = typ, rank
		}
	}
	return best
}

// isStated decides between a stated type and the one of the surroundings. The weak
// fields "type" and "kind" often hold a subtype (a savings account, an express order,
// a bug ticket). There a stated type must agree with the surroundings, or be a common
// noun for entities where no key and no list name says more, unless the surroundings
// name no type.
func (o *Object) isStated(fd *Field, typ, typed string) bool {
	if fd.Key.Rank < 3 {
		return typed == "" || english.SameNoun(typed, typ) || vocabulary.EntityNouns.Has(naming.LastWord(typ))
	}
	if typed != "" {
		return english.SameNoun(typed, typ) || typ == o.Noun
	}
	if o.Noun == "" || english.SameNoun(o.Noun, typ) || slices.Contains(o.call.Tool.Words, naming.LastWord(typ)) {
		return true
	}
	switch {
	case o.isItem(): // items are what their list is called
		return false
	case o.Noun == o.call.Tool.Noun && !o.Inherited: // key and tool agree
		return false
	case o.Inherited:
		return vocabulary.EntityNouns.Has(naming.LastWord(typ))
	}
	return vocabulary.EntityNouns.Has(typ) && !fd.Hoisted && !shape.IsUpperWord(fd.Text) // SALE is one of several kinds
}

// isItem reports whether the object is an item of a list, or of a map by id,
// with a plural noun: {"tickets": […]}, or the result of list_tickets if that is just
// a list.
func (o *Object) isItem() bool {
	if o.List == nil {
		return o.ListOutermost && o.call.Tool.Plural && o.Noun == o.call.Tool.Noun && vocabulary.EntityNouns.Has(naming.LastWord(o.Noun))
	}
	return o.List.Plural && o.List.Noun == o.Noun && !vocabulary.MixedNouns.Has(o.Noun) && o.List.Traits.Has(naming.TraitThing)
}
