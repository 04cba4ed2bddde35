package extractor

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
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
	if id.field != nil && (id.field.key.class == classTypedID || id.field.key.class == classPlain) {
		typed = id.field.key.noun
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
	case id.field != nil && id.field.key.snake == "entity_id" && (fr.noun == "" || pointerNouns.has(fr.noun)):
		return "entity"
	case fr.noun != "":
		return fr.noun
	}
	return memory.FallbackType
}

// pointerNouns name the role of a record instead of its type: {"target":
// {"entity_id": …}}.
var pointerNouns = wordSet{list: `target source subject destination`}

// isCommitOf reports whether a record is the commit that the record around it is
// based on: {"head": {"sha": …}}, {"parents": [{"sha": …}]}.
func isCommitOf(fr *frame, id identity) bool {
	return id.field != nil && id.field.key.name == "sha" && commitKeys.has(fr.noun)
}

// commitKeys are other names for commits in the records of a repository.
var commitKeys = wordSet{list: `head base parent target`}

// statedType returns the type that a record states, if it is plausible.
func (f *finder) statedType(fr *frame, fields []field, typed string) string {
	best, bestRank := "", uint8(100)
	if !fr.has.has(traitType) {
		return ""
	}
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.key.class != classType || fd.kind != document.String {
			continue
		}
		rank := fd.key.rank
		switch {
		case fd.hoisted:
			rank += 5 // the record's own statement comes first
		case bytes.ContainsAny(f.value(fd), "#:"): // sql#operation, AWS::EC2::Instance
			rank = min(rank, 2)
		}
		if rank >= bestRank {
			continue
		}
		if typ := plausibleType(f.value(fd)); typ != "" && f.isStated(fr, fd, rank, typ, typed) {
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
		return typed == "" || sameNoun(typed, typ) || entityNouns.has(lastWord(typ))
	}
	if typed != "" {
		return sameNoun(typed, typ) || typ == fr.noun
	}
	if fr.noun == "" || sameNoun(fr.noun, typ) || slices.Contains(f.tool.words, lastWord(typ)) {
		return true
	}
	switch {
	case f.isItem(fr.noun): // items are what their list is called
		return false
	case fr.inherited:
		return entityNouns.has(typ) || entityNouns.has(lastWord(typ))
	}
	return entityNouns.has(typ) && !fd.hoisted && !isUpperWord(f.value(fd)) // SALE is one of several kinds
}

// isItem reports whether the innermost frame is an item of a list, or of a map by id,
// with a plural noun: {"tickets": […]}, or the result of list_tickets if that is just
// a list.
func (f *finder) isItem(noun string) bool {
	n := len(f.frames)
	if n < 2 || mixedNouns.has(noun) {
		return false
	}
	list := &f.frames[n-2]
	if list.key == nil {
		return n-2 == f.base && f.tool.plural && noun == f.tool.noun && entityNouns.has(lastWord(noun))
	}
	return list.key.plural && list.key.noun == noun && list.key.traits.has(traitThing)
}

// mixedNouns name lists of entities of several types: files and folders are entries
// of a drive.
var mixedNouns = wordSet{list: `entry member match node object`}

// plausibleType converts the value of a type field into a type: a short noun that is
// not a status. Namespaces are removed: AWS::EC2::Instance is an instance,
// youtube#video a video.
func plausibleType(text []byte) string {
	if len(text) > 64 || bytes.ContainsAny(text, "\n\t\"'<>{}()=,;") || bytes.Count(text, []byte(" ")) > 2 {
		return ""
	}
	if i := bytes.LastIndexAny(text, "#:/."); i >= 0 {
		text = text[i+1:]
	}
	ws := english.Words(string(text))
	if len(ws) == 0 || len(ws) > 4 || bytes.ContainsAny(text, "0123456789") && len(ws) == 1 && len(text) < 3 {
		return ""
	}
	for len(ws) > 1 && typeTails.has(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	typ := singularNoun(ws)
	if statusWords.has(typ) || statusWords.has(ws[0]) && len(ws) == 1 || isNumber(typ) || genericNouns.has(typ) {
		return ""
	}
	return typeName(typ)
}

// typeTails are words at the end of a stated type that describe a container.
var typeTails = wordSet{list: `connection edge list collection node object`}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
