package extractor

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxFields is the number of fields kept for one record.
	maxFields = 64
	// maxValueBytes is the length up to which a field's text is kept while its record
	// is open.
	maxValueBytes = 256
	// maxNestedText is how deep documents inside strings are opened.
	maxNestedText = 3
)

// field is a scalar of an open record, or of a part of it that is not a record
// itself.
type field struct {
	key *naming.Key
	// text is the position of the value in the finder's arena.
	text span
	kind document.Kind
	// nested is set for fields of an inner object: facts about the record, not its
	// identity.
	nested bool
	// hoisted is set for a type stated by a part of the record, and for a name in a
	// part that describes the record.
	hoisted bool
	// taken is set for an identifier that is an entity or an alias of one.
	taken bool
	// child is set for the name of a record in a list of this one.
	child bool
	// own is set for a typed identifier found under "id".
	own bool
	// looks and id cache the results of shape and isID.
	looks judgement[shape.Shape]
	id    judgement[bool]
}

// judgement is a cached property of a value.
type judgement[T any] struct {
	made bool
	is   T
}

// shape returns shape.Of of a field's value.
func (f *finder) shape(fd *field) shape.Shape {
	if !fd.looks.made {
		fd.looks = judgement[shape.Shape]{true, shape.Of(f.value(fd))}
	}
	return fd.looks.is
}

// looksLikeID reports whether a field's value is at least shape.LikelyID.
func (f *finder) looksLikeID(fd *field) bool {
	return shape.MayLookLikeID(f.value(fd)) && f.shape(fd) >= shape.LikelyID
}

// isID returns isPlausibleID of a field's value.
func (f *finder) isID(fd *field) bool {
	if !fd.id.made {
		text := f.value(fd)
		fd.id = judgement[bool]{true, isPlausibleID(fd.kind, text) && (!fd.key.Traits.Has(naming.TraitClock) || shape.IsMessageTime(text))}
	}
	return fd.id.is
}

type span struct{ start, end int }

// frame is an open object or array.
type frame struct {
	array bool
	// key is the name of the value; nil in arrays and at the root.
	key *naming.Key
	// noun is the type that the enclosing keys give to the value's records.
	noun string
	// wrapper is the singular of the generic key of the value: item of items. It
	// becomes the type if the enclosing object turns out to be a record.
	wrapper string
	// inherited is set while noun comes from the tool's name or passed through
	// wrappers.
	inherited bool
	// from is the index of the frame that introduced noun.
	from int
	// secret is set below a secret key, where only names of secrets are read.
	secret bool
	// mapKey is set if the key is an identifier, that of the value.
	mapKey bool
	// blank is set for an object whose id is null or empty: it has no identity.
	blank bool
	// hoisted is set for a part whose fields belong to the enclosing object:
	// metadata, attributes.
	hoisted bool
	// index counts the items of an array, or the identifiers among the keys of an
	// object.
	index int
	// first is the record's first field.
	first *naming.Key
	// has are the combined traits of an object's fields, set when it ends.
	has naming.Traits
	// children is the number of names of records in it that were kept.
	children int
	// objects is set if the frame contains objects or arrays.
	objects bool
	// fields, found and arena are the lengths of the finder's stacks when the frame
	// was opened.
	fields, found, arena int
	// order is the position of the value in the document.
	order int
	// limit is the number of items taken.
	limit int
}

// finder is a document.Visitor that finds records. It keeps the scalars of open
// objects only; when an object ends, it decides whether the object was a record and
// of what type. It is not safe for concurrent use.
type finder struct {
	x    *EntityExtractor
	tool naming.Tool
	name string
	// forced is the type that a rule gives to all records; empty without a rule.
	forced string
	// own is the argument that identifies the tool's subject, if any.
	own     memory.Ref
	pending *naming.Key
	// base is the index of the first frame of the innermost open document.
	base    int
	nesting int
	order   int

	objects int
	// candidates is the number of candidates in found.
	candidates int
	aliasCount int // of all findings
	// beyond is the depth of the list whose items beyond the limit are being read: they
	// are candidates. It is 0 outside of such a list.
	beyond  int
	prose   int
	failed  bool
	adopted bool
	full    bool
	cut     bool

	buffers
}

var _ document.Visitor = (*finder)(nil)

// top returns the innermost open frame, or nil at the root.
func (f *finder) top() *frame {
	if len(f.frames) == 0 {
		return nil
	}
	return &f.frames[len(f.frames)-1]
}

// Key implements document.Visitor.
func (f *finder) Key(name []byte) document.Decision {
	if f.full {
		return document.Stop
	}
	fr := f.top()
	k := f.keys.Key(name)
	f.pending = k
	if fr.first == nil {
		fr.first = k
	}
	if k.Class == naming.ClassMapKey {
		if fr.index == f.x.limits.Items {
			f.cut = true
			return document.Stop
		}
		fr.index++
	}
	return document.Take
}

// Item implements document.Visitor.
func (f *finder) Item() document.Decision {
	fr := f.top()
	if f.full || fr.index >= fr.limit && f.candidates >= f.x.limits.Candidates {
		f.cut = true
		return document.Stop
	}
	if fr.index >= fr.limit && f.beyond == 0 {
		f.beyond = len(f.frames)
	}
	fr.index++
	f.pending = nil
	f.noteError(fr.key)
	return document.Take
}

// Object implements document.Visitor.
func (f *finder) Object() {
	f.objects++
	f.push(false)
}

// Array implements document.Visitor.
func (f *finder) Array() { f.push(true) }

func (f *finder) push(array bool) {
	depth := len(f.frames)
	f.frames = append(f.frames, frame{})
	fr, parent := &f.frames[depth], (*frame)(nil)
	fr.array, fr.key, fr.order = array, f.pending, f.next()
	fr.fields, fr.found, fr.arena = len(f.fields), len(f.found), len(f.arena)
	if depth > 0 {
		parent = &f.frames[depth-1]
		parent.objects = true
	}
	fr.mapKey = parent != nil && !parent.array && f.isMapKey(fr.key, parent)
	f.inherit(fr, parent)
	fr.secret = parent != nil && parent.secret || fr.key != nil && fr.key.Class == naming.ClassSecret
	if array {
		fr.limit = f.itemLimit(fr, parent)
	} else {
		f.noteError(fr.key)
	}
	f.pending = nil
}

// inherit sets a frame's type from its key or its surroundings.
func (f *finder) inherit(fr, parent *frame) {
	k := fr.key
	switch {
	case parent == nil:
		fr.noun, fr.inherited = f.tool.Noun, true
		return
	case parent.array || fr.mapKey:
	case k.Noun == "" || k.Class == naming.ClassNoise:
		fr.wrapper = k.Wrapper
		fr.hoisted = k.Traits.Has(naming.TraitHoisted)
	default:
		fr.noun, fr.from = k.Noun, len(f.frames)-1
		fr.hoisted = k.Traits.Has(naming.TraitHoisted)
		return
	}
	fr.noun, fr.inherited, fr.from = parent.noun, parent.inherited, parent.from
	fr.wrapper = cmp.Or(fr.wrapper, parent.wrapper)
}

// isMapKey reports whether a key is an identifier: by its shape, or because it
// contains an identifier's mark in an object with a plural name, {"cars": {"CAR-A1":
// {…}}}.
func (f *finder) isMapKey(k *naming.Key, parent *frame) bool {
	if k.Class == naming.ClassMapKey {
		return true
	}
	several := parent.key == nil && len(f.frames) == f.base+2 && f.tool.Plural || parent.key != nil && parent.key.Plural && !parent.hoisted
	return several && k.Class == naming.ClassPlain && strings.ContainsAny(k.Name, "0123456789-") && shape.Of([]byte(k.Name)) >= shape.MaybeID
}

// itemLimit returns the number of items of an array that are taken.
func (f *finder) itemLimit(fr, parent *frame) int {
	l := &f.x.limits
	switch {
	case len(f.frames) == f.base+1:
		return l.TopItems
	case fr.key != nil && parent != nil && len(f.frames) == f.base+2 && fr.key.Name == "data":
		return l.TopItems
	case fr.key != nil && fr.key.Name == "matches":
		return l.Matches
	}
	return l.Items
}

// End implements document.Visitor.
func (f *finder) End() {
	if fr := f.top(); !fr.array {
		f.endObject(fr)
	}
	if f.beyond == len(f.frames) {
		f.beyond = 0
	}
	f.frames = f.frames[:len(f.frames)-1]
	f.pending = nil
	if len(f.frames) == 0 {
		f.fields, f.arena = f.fields[:0], f.arena[:0]
	}
}

// Scalar implements document.Visitor.
func (f *finder) Scalar(kind document.Kind, text []byte) {
	if len(f.frames) == f.base {
		f.text(kind, text)
		return
	}
	fr, k := f.top(), f.pending
	if kind == document.String {
		text = bytes.TrimSpace(text)
	}
	if kind == document.Null || len(text) == 0 {
		fr.blank = fr.blank || k != nil && k.Class == naming.ClassID
		return
	}
	shallow := len(f.frames) <= f.base+2
	switch {
	case k != nil && k.Class == naming.ClassSecret, fr.secret && !namesSecret(fr, k):
		return
	case k != nil && k.Class == naming.ClassNoise && !shallow && !isBracketed(text): // no visitor of what is below would take it
		return
	case kind == document.String && secret.Within(text):
		return
	}
	if !fr.array && shallow {
		f.noteFailure(fr, k, kind, text)
	}
	switch {
	case kind == document.String && (isBracketed(text) || f.isMCPText(k)) && f.openNested(text):
	case fr.array:
		f.bareItem(fr, kind, text)
	default:
		f.keepField(fr, k, kind, text)
	}
}

// openNested reads a document inside a string as the value of the string's key.
func (f *finder) openNested(text []byte) bool {
	if f.nesting >= maxNestedText || len(text) < 2 {
		return false
	}
	saved := f.base
	f.base, f.nesting = len(f.frames), f.nesting+1
	before := len(f.found)
	if read := document.ReadText(text, f, f.x.limits.document()); f.isUnread(read.Format, before) {
		f.text(document.String, text)
	}
	f.base, f.nesting = saved, f.nesting-1
	return true
}

// isBracketed reports whether a string looks like a document in brackets.
func isBracketed(text []byte) bool {
	return (text[0] == '{' || text[0] == '[') && looksLikeJSON(text)
}

// looksLikeJSON reports whether a string is in braces or brackets and has a quote or
// a digit after the opening one. "[draft]" and "{name}" do not.
func looksLikeJSON(s []byte) bool {
	first, last := s[0], s[len(s)-1]
	if !(first == '{' && last == '}' || first == '[' && last == ']') {
		return false
	}
	inner := bytes.TrimLeft(s[1:], " \t\r\n")
	return len(inner) > 0 && (inner[0] == '"' || inner[0] == '{' || inner[0] == '[' || first == '[' && inner[0] >= '0' && inner[0] <= '9')
}

// isMCPText reports whether a text is the content of a Model Context Protocol result:
// {"content":[{"type":"text","text":"…"}]}.
func (f *finder) isMCPText(k *naming.Key) bool {
	n := len(f.frames)
	if k == nil || k.Name != "text" || n < 2 {
		return false
	}
	if inner := f.frames[n-1].key; inner != nil && inner.Name == "resource" { // an embedded resource
		n--
	}
	return n >= 2 && f.frames[n-2].array && f.frames[n-2].key != nil && f.frames[n-2].key.Name == "content"
}

// keepField keeps a field of the open record.
func (f *finder) keepField(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	count, plain := len(f.fields)-fr.fields, k.Class == naming.ClassPlain || k.Class == naming.ClassMapKey
	if k.Class == naming.ClassNoise || count >= maxFields && (plain || count >= 4*maxFields) {
		return
	}
	if len(text) > maxValueBytes {
		switch {
		case k.Class == naming.ClassName || k.Class == naming.ClassTypedName:
			text = cutText(text, maxValueBytes)
		case plain || len(text) > shape.MaxID: // a paragraph, or too long for an identifier
			return
		}
	}
	f.fields = append(f.fields, field{})
	fd := &f.fields[len(f.fields)-1]
	fd.key, fd.kind, fd.text = k, kind, f.store(text)
}

func (f *finder) store(text []byte) span {
	start := len(f.arena)
	f.arena = append(f.arena, text...)
	return span{start, len(f.arena)}
}

// value returns a field's text, valid until its frame ends.
func (f *finder) value(fd *field) []byte { return f.arena[fd.text.start:fd.text.end] }

// bareItem handles a scalar item of an array: an id in a list of ids, or a fact.
func (f *finder) bareItem(fr *frame, kind document.Kind, text []byte) {
	k := fr.key
	typ, ok := fr.noun, false
	switch {
	case kind == document.Bool || len(text) > shape.MaxID:
		return
	case k == nil:
		ok = isListedID(kind, text) || fr.inherited && f.tool.Noun != "" && kind == document.String && shape.IsProgramName(text)
	case k.Class == naming.ClassTypedID:
		typ, ok = k.Noun, isPlausibleID(kind, text) && (k.Rank < naming.RankTag || isListedID(kind, text))
	case k.Class == naming.ClassID:
		ok = isPlausibleID(kind, text)
	case k.Class == naming.ClassPlain && (k.Noun == "" || k.Plural && !vocabulary.NotReferenced.Has(k.Noun)):
		ok = isListedID(kind, text) || kind == document.String && vocabulary.EntityNouns.Has(k.Noun) && shape.IsProgramName(text) && bytes.ContainsAny(text, "0123456789")
	}
	if !ok && isCandidate(k, kind, text) {
		f.addCandidate(fr, k, &sighting{id: text, path: f.path(fr.index - 1)})
	}
	if !ok {
		if parent := f.enclosing(); parent != nil && k != nil && kind == document.String && len(text) <= maxFactBytes && len(f.fields)-parent.fields < maxFields {
			f.fields = append(f.fields, field{key: k, text: f.store(text), kind: kind, nested: true})
		}
		return
	}
	role := memory.RoleReference
	if fr.inherited {
		role = memory.RoleRecord
	}
	if c := f.add(&sighting{typ: typ, role: role, order: f.next(), id: text, path: f.path(fr.index - 1)}); c != nil {
		c.standsIn(fr)
	}
}

// next returns the position of the next value in the document.
func (f *finder) next() int {
	f.order++
	return f.order
}

// isListedID reports whether an item of a list of scalars has the shape of an
// identifier.
func isListedID(kind document.Kind, text []byte) bool {
	return kind != document.Number && shape.MayLookLikeID(text) && shape.Of(text) >= shape.LikelyID || kind == document.Number && shape.IsDigits(text) && len(text) >= 5
}

// enclosing returns the innermost open object.
func (f *finder) enclosing() *frame {
	for i := len(f.frames) - 1; i >= f.base; i-- {
		if !f.frames[i].array {
			return &f.frames[i]
		}
	}
	return nil
}

// namesSecret reports whether a field holds the name of a secret rather than the
// secret.
func namesSecret(fr *frame, k *naming.Key) bool {
	return !fr.array && k != nil && (k.Class == naming.ClassID || k.Class == naming.ClassTypedID || k.Class == naming.ClassName || k.Class == naming.ClassTypedName || strings.EqualFold(k.Name, "arn"))
}
