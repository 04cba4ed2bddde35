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
	if typ := o.typeWithin(id); typ != "" {
		return typ, TypeOfKey
	}
	typed := o.typedBy(id)
	if stated := o.statedType(typed); stated != "" {
		return stated, TypeStated
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

// typeWithin returns the type that an identifier itself gives: a commit's "sha", Deployment/web, and
// Patient/p-7 of FHIR. It is empty for other identifiers.
func (o *Object) typeWithin(id Identity) string {
	switch {
	case o.isCommit(id):
		return commit
	case id.why == NameAsID:
		kind, _ := o.kindAndName(id.field.Text)
		return kind
	case id.field != nil && id.field.Key.Name == "reference":
		if kind, _, ok := bytes.Cut(id.field.Text, []byte("/")); ok {
			return cmp.Or(naming.PlausibleType(kind), memory.FallbackType)
		}
	}
	return ""
}

// typedBy returns the type in the name of an identifier's key: order of order_id.
func (o *Object) typedBy(id Identity) string {
	if id.field == nil {
		return ""
	}
	k := id.field.Key
	switch plain := k.Class == naming.ClassPlain; {
	case !plain && k.Class != naming.ClassTypedID && k.Class != naming.ClassTrace,
		plain && cmp.Or(o.Noun, o.found(id)) != "" && (id.why == Namesake || !k.Traits.Has(naming.TraitThing)), // the list says more
		k.Opaque() && naming.LastWord(k.Noun) == "node":                                                        // node_id of a thread
		return ""
	case strings.HasSuffix(o.Noun, "_"+k.Noun): // the GroupId of SecurityGroups
		return o.Noun
	}
	return k.Noun
}

// found returns "result" for the result of a search whose identifier is only an address, or a code such as
// PMID, else "".
func (o *Object) found(id Identity) string {
	if o.call.Tool.Verb == "search" && o.Listed && id.field != nil && (isLink(id.field.Key) || id.field.Key.Class == naming.ClassPlain) {
		return "result"
	}
	return ""
}

// collectionOf returns the type of the thing at a path on a server, by the first collection in the path:
// calendar of /dav/calendars/ann/work/. It is empty for other texts.
func collectionOf(k *naming.Key, text []byte) string {
	if !isLink(k) || !bytes.HasPrefix(text, []byte("/")) {
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
	head, name, _ := bytes.Cut(text, []byte("/"))
	if !o.Listed || len(head) == 0 || len(name) == 0 || len(head) > maxFactBytes || bytes.ContainsAny(name, "/ ") {
		return "", nil
	}
	lower := strings.ToLower(string(head))
	kind = naming.KindNoun(lower)
	isKind := vocabulary.ResourceKinds.Has(lower)
	if head[0] >= 'a' {
		isKind = o.isRow() && vocabulary.EntityNouns.Has(naming.LastWord(kind))
	}
	if !isKind || kind == "event" { // no tool takes those of a cluster
		return "", nil
	}
	return kind, name
}

// isCommit reports whether a record is the commit that the record around it is
// based on: {"head": {"sha": …}}, {"parents": [{"sha": …}]}.
func (o *Object) isCommit(id Identity) bool {
	return id.field != nil && id.field.Key.Name == "sha" && vocabulary.CommitKeys.Has(o.Noun)
}

// statedType returns the type that a record states, if it is plausible.
func (o *Object) statedType(typed string) string {
	best, bestRank := "", uint8(100)
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
	isThing := vocabulary.EntityNouns.Has(naming.LastWord(typ))
	switch {
	case fd.Key.Rank < 3:
		return typed == "" || english.SameNoun(typed, typ) || isThing
	case typed != "":
		return english.SameNoun(typed, typ) || typ == o.Noun
	case o.Noun == "" || english.SameNoun(o.Noun, typ) || slices.Contains(o.call.Tool.Words, naming.LastWord(typ)):
		return true
	case o.isItem(), o.Noun == o.call.Tool.Noun && !o.Inherited: // items are what their list is called; or key and tool agree
		return false
	case o.Inherited:
		return isThing
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

// state returns the state that the fields of a record give it: that it ended rather than that it is active.
func (o *Object) state() string {
	state := naming.State("")
	for fd := range o.own() {
		if found := naming.StateOf(fd.Key, fd.Kind == document.Bool, fd.Text); found != "" && (state == "" || state == naming.Active) {
			state = found
		}
	}
	return string(state)
}

// isUnavailable reports whether a record declares itself unavailable.
func (o *Object) isUnavailable() bool {
	var word [24]byte // the longest
	for fd := range o.own() {
		switch {
		case vocabulary.AvailabilityKeys.Has(fd.Key.Snake):
			return string(fd.Text) == "false"
		case fd.Key.Name == "status" || fd.Key.Name == "availability":
			return unavailableWords.HasBytes(naming.AppendStateWord(word[:0], fd.Text[:min(len(fd.Text), len(word))]))
		}
	}
	return false
}

// unavailableWords are values of a status or an availability that make a record unavailable.
var unavailableWords = vocabulary.Set{List: `unavailable sold_out soldout out_of_stock outofstock discontinued disabled inactive expired`}
