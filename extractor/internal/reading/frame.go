package reading

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// frame is an open object or array.
type frame struct {
	record.Object
	array bool
	// secret is set below a secret key. Only names of secrets are read there.
	secret bool
	// namesSecret is set if one of the first judged fields names a secret.
	namesSecret bool
	judged      int
	// hidSecret is set if the value of a setting was left out.
	hidSecret bool
	// hoisted is set for a part whose fields belong to the enclosing object: metadata,
	// attributes.
	hoisted bool
	// index counts the items of an array, or the identifiers among the keys of an
	// object; limit is the number of items taken.
	index, limit int
	// children is the number of kept names of records within it.
	children int
	// fields, found and arena are the lengths of the reader's stacks when the frame
	// was opened.
	fields, found, arena int
	// order is the position of the value in the document.
	order int
}

func (r *Reader) push(array bool) {
	depth := len(r.frames)
	r.frames = append(r.frames, frame{})
	fr, parent := &r.frames[depth], (*frame)(nil)
	fr.array, fr.Key, fr.order = array, r.pending, r.Next()
	fr.fields, fr.found, fr.arena = len(r.fields), r.set.Len(), len(r.arena)
	fr.Outermost = depth == r.base
	if depth > 0 {
		parent = &r.frames[depth-1]
		parent.HasParts = true
		fr.Listed, fr.List, fr.ListOutermost = parent.array, parent.Key, depth-1 == r.base
		fr.InList = !fr.Outermost && (parent.array || parent.InList)
		fr.Property = parent.hoisted && !parent.array && parent.Key.Name == "properties"
	}
	fr.ByID = parent != nil && !parent.array && r.isMapKey(fr.Key, parent)
	r.inherit(fr, parent)
	fr.secret = parent == nil && r.call.Secrets || parent != nil && (parent.secret || r.pending != nil && r.pending.Traits.Has(naming.TraitSettingValue) && r.isBesideSecret(parent)) ||
		fr.Key != nil && fr.Key.Class == naming.ClassSecret
	if array {
		fr.limit = r.itemLimit(fr)
		if fr.ListOutermost && fr.Noun != "" && english.SameNoun(fr.Noun, r.call.Tool.Noun) {
			parent.ListsOwn = true
		}
	}
	r.pending = nil
}

// inherit sets a frame's type from its key or its surroundings.
func (r *Reader) inherit(fr, parent *frame) {
	k := fr.Key
	switch {
	case parent == nil:
		fr.Noun, fr.Inherited = r.call.Tool.Noun, true
		return
	case parent.array || fr.ByID:
	case fr.array && k.Name == "properties": // houses
		fr.Noun = "property"
		return
	case k.Noun == "" || k.Class == naming.ClassNoise:
		fr.Wrapper = k.Wrapper
		fr.hoisted = k.Traits.Has(naming.TraitHoisted)
	default:
		fr.Noun = k.Noun
		fr.hoisted = k.Traits.Has(naming.TraitHoisted) || r.call.Arguments && !fr.array && (english.SameNoun(k.Noun, r.call.Tool.Noun) || k.Noun == "variable" || naming.LastWord(k.Noun) == "input") // of GraphQL
		return
	}
	fr.hoisted = fr.hoisted || r.call.Arguments && !fr.array && !parent.array
	fr.Noun, fr.Inherited = parent.Noun, parent.Inherited
	fr.Wrapper = cmp.Or(fr.Wrapper, parent.Wrapper)
}

// isMapKey reports whether a key is an identifier: by its shape, or because it is marked like an
// identifier and the enclosing key, or the tool, names the things in the object: {"cars": {"CAR-A1":
// {…}}}, {"menu": {"baked-cod": {…}}}. The names of things that tools take by name need no mark:
// {"services": {"web": {…}}}.
func (r *Reader) isMapKey(k *naming.Key, parent *frame) bool {
	if k.Class != naming.ClassPlain || k.Shape < shape.MaybeID {
		return k.Class == naming.ClassMapKey
	}
	noun, several, slug := r.call.Tool.Noun, r.call.Tool.Plural && len(r.frames) == r.base+2, false
	if parent.Key != nil {
		noun, several = parent.Key.Noun, parent.Key.Plural && !parent.hoisted
		slug = noun != "" && !parent.hoisted && shape.IsHandle([]byte(k.Name)) && strings.Contains(k.Name, "-")
	}
	return slug || several && (strings.ContainsAny(k.Name, "0123456789-") || vocabulary.NamedNouns.Has(noun) && k.Noun != "" && (parent.Key != nil || !k.Plural && !k.Traits.Has(naming.TraitThing)))
}

// itemLimit returns the number of items of an array that are taken.
func (r *Reader) itemLimit(fr *frame) int {
	l := &r.limits
	switch {
	case fr.Outermost, fr.ListOutermost && fr.Key != nil && fr.Key.Name == "data":
		return l.TopItems
	case fr.Key != nil && fr.Key.Name == "matches":
		return l.Matches
	}
	return l.Items
}

// top returns the innermost open frame.
func (r *Reader) top() *frame {
	return &r.frames[len(r.frames)-1]
}

// close completes the object of the innermost frame.
func (r *Reader) close(fr *frame) {
	fr.Fields = r.fields[fr.fields:]
	if fr.Outermost || fr.Key == nil {
		return
	}
	at := len(r.frames) - 2
	for at > r.base && r.frames[at].hoisted { // its fields belong to the object around it
		at--
	}
	if around := &r.frames[at]; !around.array {
		around.Fields = r.fields[around.fields:fr.fields]
		fr.Around = &around.Object
	}
}

// enclosing returns the innermost object among the first n open frames, or nil.
func (r *Reader) enclosing(n int) *frame {
	for i := n - 1; i >= 0; i-- {
		if !r.frames[i].array {
			return &r.frames[i]
		}
	}
	return nil
}

// path returns the path of the innermost frame, as in $.pages[2]. With item >= 0 it
// is the path of that item of the innermost frame, an array. The result is valid
// until the next call.
func (r *Reader) path(item int) []byte {
	b := append(r.pathBuf[:0], '$')
	for i := range r.frames {
		fr := &r.frames[i]
		switch {
		case i > 0 && r.frames[i-1].array:
			b = appendIndex(b, r.frames[i-1].index-1)
		case fr.Key != nil && fr.Key.Traits.Has(naming.TraitPlain):
			b = append(append(b, '.'), fr.Key.Name...)
		case fr.Key != nil:
			b = appendKey(b, fr.Key.Name)
		}
		if len(b) > memory.MaxTextBytes/2 {
			b, item = append(b, "…"...), -1
			break
		}
	}
	if item >= 0 {
		b = appendIndex(b, item)
	}
	r.pathBuf = b
	return b
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// appendKey appends a key in brackets to a path.
func appendKey(path []byte, key string) []byte {
	return append(strconv.AppendQuote(append(path, '['), key), ']')
}
