package extractor

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxFields is how many fields of one record are looked at.
	maxFields = 64
	// maxValueBytes is how much of a field's text is kept while its record is open.
	maxValueBytes = 256
	// maxNestedText is how often a string holding a document is opened inside another.
	maxNestedText = 3
)

// field is a scalar of an open record, or of a part of it that is no record itself.
type field struct {
	key *keyInfo
	// text is where the value stands in the finder's arena.
	text span
	kind document.Kind
	// nested is true for fields of an inner object: facts about the record, not its identity.
	nested bool
	// hoisted is true for a type that a part of the record states, and for a name
	// in a part that describes the record.
	hoisted bool
	// own is true for a typed identifier that stood under "id".
	own bool
	// looks and id are what the finder's shape and isID found, once asked.
	looks judgement[shape]
	id    judgement[bool]
}

// judgement is what was found out about a value, if it was asked for.
type judgement[T any] struct {
	made bool
	is   T
}

// shape is shapeOf a field's value.
func (f *finder) shape(fd *field) shape {
	if !fd.looks.made {
		fd.looks = judgement[shape]{true, shapeOf(f.value(fd))}
	}
	return fd.looks.is
}

// looksLikeID reports whether a field's value is likelyID or more.
func (f *finder) looksLikeID(fd *field) bool {
	return mayLookLikeID(f.value(fd)) && f.shape(fd) >= likelyID
}

// isID is isPlausibleID of a field's value.
func (f *finder) isID(fd *field) bool {
	if !fd.id.made {
		text := f.value(fd)
		fd.id = judgement[bool]{true, isPlausibleID(fd.kind, text) && (!fd.key.traits.has(traitClock) || isMessageTime(text))}
	}
	return fd.id.is
}

type span struct{ start, end int }

// frame is an open object or array.
type frame struct {
	array bool
	// key is the name the value stands under; nil in arrays and at the root.
	key *keyInfo
	// noun is the type that the keys around the value give its records.
	noun string
	// wrapper is the singular of the generic key the value stands under: item of
	// items. It becomes the type if what is around turns out to be a record itself.
	wrapper string
	// inherited is true while noun is that of the tool or came through wrappers.
	inherited bool
	// from is the frame that noun was first said of.
	from int
	// secret is true below a key that is secret: only what a secret is called is read there.
	secret bool
	// mapKey is true where the key is the identifier of what stands under it.
	mapKey bool
	// blank is true for an object whose id is null or empty: it has none.
	blank bool
	// hoisted is true for a part whose fields are those of the object around it: metadata, attributes.
	hoisted bool
	// index counts the items of an array, or the keys of an object that are identifiers.
	index int
	// first is the record's first field.
	first *keyInfo
	// has are the traits of an object's fields, once it ends.
	has traits
	// objects is true where the frame holds objects or arrays.
	objects bool
	// fields, found and arena are how long the finder's stacks were at the start.
	fields, found, arena int
	// order is the place of the value in the document.
	order int
	// limit is how many items are taken.
	limit int
}

// finder finds records in the events of a document. It is a document.Visitor
// that keeps the scalars of open objects only; when an object ends it decides
// whether that was a record, and of what type. Not safe for concurrent use.
type finder struct {
	x    *EntityExtractor
	tool toolName
	name string
	// forced is the type a rule gives to all records; empty if none does.
	forced string
	// own is the argument that identifies what the tool was asked about, if any.
	own     memory.Ref
	pending *keyInfo
	// base is where the frames of the innermost open document begin.
	base    int
	nesting int
	order   int

	objects int
	prose   int
	failed  bool
	adopted bool
	full    bool
	cut     bool

	buffers
}

var _ document.Visitor = (*finder)(nil)

// top is the innermost open frame, nil at the root.
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
	k := f.keys.info(name)
	f.pending = k
	if fr.first == nil {
		fr.first = k
	}
	if k.class == classMapKey {
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
	if f.full || fr.index >= fr.limit {
		f.cut = true
		return document.Stop
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
	fr.secret = parent != nil && parent.secret || fr.key != nil && fr.key.class == classSecret
	if array {
		fr.limit = f.itemLimit(fr, parent)
	} else {
		f.noteError(fr.key)
	}
	f.pending = nil
}

// inherit gives a frame the type that its key, or what is around it, names.
func (f *finder) inherit(fr, parent *frame) {
	k := fr.key
	switch {
	case parent == nil:
		fr.noun, fr.inherited = f.tool.noun, true
		return
	case parent.array || fr.mapKey:
	case k.noun == "" || k.class == classNoise:
		fr.wrapper = k.wrapper
		fr.hoisted = k.traits.has(traitHoisted)
	default:
		fr.noun, fr.from = k.noun, len(f.frames)-1
		fr.hoisted = k.traits.has(traitHoisted)
		return
	}
	fr.noun, fr.inherited, fr.from = parent.noun, parent.inherited, parent.from
	fr.wrapper = cmp.Or(fr.wrapper, parent.wrapper)
}

// isMapKey reports whether a key is an identifier: by its looks, or because it
// has a mark of one and stands in an object named in the plural, {"cars": {"CAR-A1": {…}}}.
func (f *finder) isMapKey(k *keyInfo, parent *frame) bool {
	if k.class == classMapKey {
		return true
	}
	several := parent.key == nil && len(f.frames) == f.base+2 && f.tool.plural || parent.key != nil && parent.key.plural && !parent.hoisted
	return several && k.class == classPlain && strings.ContainsAny(k.name, "0123456789-") && shapeOf([]byte(k.name)) >= maybeID
}

// hoistedKeys are the names of parts that hold a record's own fields.
var hoistedKeys = wordSet{list: `metadata attributes fields _source properties`}

// itemLimit is how many items of an array are taken.
func (f *finder) itemLimit(fr, parent *frame) int {
	l := &f.x.limits
	switch {
	case len(f.frames) == f.base+1:
		return l.TopItems
	case fr.key != nil && parent != nil && len(f.frames) == f.base+2 && fr.key.name == "data":
		return l.TopItems
	case fr.key != nil && fr.key.name == "matches":
		return l.Matches
	}
	return l.Items
}

// End implements document.Visitor.
func (f *finder) End() {
	if fr := f.top(); !fr.array {
		f.endObject(fr)
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
		fr.blank = fr.blank || k != nil && k.class == classID
		return
	}
	shallow := len(f.frames) <= f.base+2
	switch {
	case k != nil && k.class == classSecret, fr.secret && !namesSecret(fr, k):
		return
	case k != nil && k.class == classNoise && !shallow && !isBracketed(text): // nothing below would take it
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

// openNested reads a string that holds a document as what stands under its key.
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

// isBracketed reports whether a string is a document by its looks.
func isBracketed(text []byte) bool {
	return (text[0] == '{' || text[0] == '[') && looksLikeJSON(text)
}

// looksLikeJSON reports whether a string is in braces or brackets with a quote
// or a digit behind them; "[draft]" and "{name}" are not.
func looksLikeJSON(s []byte) bool {
	first, last := s[0], s[len(s)-1]
	if !(first == '{' && last == '}' || first == '[' && last == ']') {
		return false
	}
	inner := bytes.TrimLeft(s[1:], " \t\r\n")
	return len(inner) > 0 && (inner[0] == '"' || inner[0] == '{' || inner[0] == '[' || first == '[' && inner[0] >= '0' && inner[0] <= '9')
}

// isMCPText reports whether a text is that of a Model Context Protocol result:
// {"content":[{"type":"text","text":"…"}]}.
func (f *finder) isMCPText(k *keyInfo) bool {
	n := len(f.frames)
	if k == nil || k.name != "text" || n < 2 {
		return false
	}
	if inner := f.frames[n-1].key; inner != nil && inner.name == "resource" { // an embedded resource
		n--
	}
	return n >= 2 && f.frames[n-2].array && f.frames[n-2].key != nil && f.frames[n-2].key.name == "content"
}

// keepField remembers a field of the open record.
func (f *finder) keepField(fr *frame, k *keyInfo, kind document.Kind, text []byte) {
	count, plain := len(f.fields)-fr.fields, k.class == classPlain || k.class == classMapKey
	if k.class == classNoise || count >= maxFields && (plain || count >= 4*maxFields) {
		return
	}
	if len(text) > maxValueBytes {
		switch {
		case k.class == className || k.class == classTypedName:
			text = cutText(text, maxValueBytes)
		case plain || len(text) > maxID: // a paragraph, or too long for an identifier
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

// value is a field's text, valid until its frame ends.
func (f *finder) value(fd *field) []byte { return f.arena[fd.text.start:fd.text.end] }

// bareItem takes a scalar item of an array: an id in a list of ids, or a fact.
func (f *finder) bareItem(fr *frame, kind document.Kind, text []byte) {
	k := fr.key
	typ, ok := fr.noun, false
	switch {
	case kind == document.Bool || len(text) > maxID:
		return
	case k == nil:
		ok = isListedID(kind, text) || fr.inherited && f.tool.noun != "" && kind == document.String && isProgramName(text)
	case k.class == classTypedID:
		typ, ok = k.noun, isPlausibleID(kind, text) && (k.rank < rankTag || isListedID(kind, text))
	case k.class == classID:
		ok = isPlausibleID(kind, text)
	case k.class == classPlain && (k.noun == "" || k.plural && !notReferenced.has(k.noun)):
		ok = isListedID(kind, text) || kind == document.String && entityNouns.has(k.noun) && isProgramName(text) && bytes.ContainsAny(text, "0123456789")
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

// isProgramName reports whether a word is written as programs write names of
// several parts: acme-logs, doc-1, u_1a.
func isProgramName(text []byte) bool {
	return isHandle(text) && bytes.ContainsAny(text, "-_") && shapeOf(text) >= maybeID
}

// next is the place of the next value in the document.
func (f *finder) next() int {
	f.order++
	return f.order
}

// isListedID reports whether an item of a list of scalars is an identifier by its looks.
func isListedID(kind document.Kind, text []byte) bool {
	return kind != document.Number && mayLookLikeID(text) && shapeOf(text) >= likelyID || kind == document.Number && isDigits(text) && len(text) >= 5
}

// enclosing is the innermost open object.
func (f *finder) enclosing() *frame {
	for i := len(f.frames) - 1; i >= f.base; i-- {
		if !f.frames[i].array {
			return &f.frames[i]
		}
	}
	return nil
}

// namesSecret reports whether a field says what a secret is called, not what it is.
func namesSecret(fr *frame, k *keyInfo) bool {
	return !fr.array && k != nil && (k.class == classID || k.class == classTypedID || k.class == className || k.class == classTypedName || strings.EqualFold(k.name, "arn"))
}
