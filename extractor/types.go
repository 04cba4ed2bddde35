package extractor

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// typeOf returns the type of a record: the one it states, if plausible; else that of
// its identifier's name; else that of its key; else that of the tool.
func (f *finder) typeOf(fr *frame, fields []field, id identity) string {
	if f.forced != "" {
		return f.forced
	}
	if isCommitOf(fr, id) {
		return commit
	}
	typed := ""
	if id.field != nil && (id.field.key.Class == naming.ClassTypedID || id.field.key.Class == naming.ClassTrace || id.field.key.Class == naming.ClassPlain) {
		typed = id.field.key.Noun
		if strings.HasSuffix(fr.noun, "_"+typed) { // the GroupId of SecurityGroups
			typed = fr.noun
		}
	}
	if stated := f.statedType(fr, fields, typed); stated != "" {
		return stated
	}
	switch {
	case typed != "":
		return typed
	case id.field != nil && id.field.key.Snake == "entity_id" && (fr.noun == "" || vocabulary.PointerNouns.Has(fr.noun)):
		return "entity"
	case fr.noun != "":
		return fr.noun
	}
	return memory.FallbackType
}

// isCommitOf reports whether a record is the commit that the record around it is
// based on: {"head": {"sha": …}}, {"parents": [{"sha": …}]}.
func isCommitOf(fr *frame, id identity) bool {
	return id.field != nil && id.field.key.Name == "sha" && vocabulary.CommitKeys.Has(fr.noun)
}

// statedType returns the type that a record states, if it is plausible.
func (f *finder) statedType(fr *frame, fields []field, typed string) string {
	best, bestRank := "", uint8(100)
	if !fr.has.Has(naming.TraitType) {
		return ""
	}
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.key.Class != naming.ClassType || fd.kind != document.String {
			continue
		}
		rank := fd.key.Rank
		switch {
		case fd.hoisted:
			rank += 5 // the record's own statement comes first
		case bytes.ContainsAny(f.value(fd), "#:"): // sql#operation, AWS::EC2::Instance
			rank = min(rank, 2)
		}
		if rank >= bestRank {
			continue
		}
		if typ := naming.PlausibleType(f.value(fd)); typ != "" && f.isStated(fr, fd, rank, typ, typed) {
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
func (f *finder) isStated(fr *frame, fd *field, rank uint8, typ, typed string) bool {
	if rank < 3 {
		return typed == "" || naming.SameNoun(typed, typ) || vocabulary.EntityNouns.Has(naming.LastWord(typ))
	}
	if typed != "" {
		return naming.SameNoun(typed, typ) || typ == fr.noun
	}
	if fr.noun == "" || naming.SameNoun(fr.noun, typ) || slices.Contains(f.tool.Words, naming.LastWord(typ)) {
		return true
	}
	switch {
	case f.isItem(fr.noun): // items are what their list is called
		return false
	case fr.inherited:
		return vocabulary.EntityNouns.Has(typ) || vocabulary.EntityNouns.Has(naming.LastWord(typ))
	}
	return vocabulary.EntityNouns.Has(typ) && !fd.hoisted && !shape.IsUpperWord(f.value(fd)) // SALE is one of several kinds
}

// isItem reports whether the innermost frame is an item of a list, or of a map by id,
// with a plural noun: {"tickets": […]}, or the result of list_tickets if that is just
// a list.
func (f *finder) isItem(noun string) bool {
	n := len(f.frames)
	if n < 2 || vocabulary.MixedNouns.Has(noun) {
		return false
	}
	list := &f.frames[n-2]
	if list.key == nil {
		return n-2 == f.base && f.tool.Plural && noun == f.tool.Noun && vocabulary.EntityNouns.Has(naming.LastWord(noun))
	}
	return list.key.Plural && list.key.Noun == noun && list.key.Traits.Has(naming.TraitThing)
}
