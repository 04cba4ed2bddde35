package memory

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Authority is the right of a tool call to rename, retype and join a known entity. A result
// is written by strangers, so it may add what it knows, but not rewrite what another tool
// said. WorkingContext.AddMany has the rule.
type Authority string

const (
	// AuthorityFull is that of the program and of its extraction rules. It is the zero
	// value.
	AuthorityFull Authority = ""
	// AuthorityOwn is that of a tool over the entities it is about, of search_pages over
	// pages, unless a tool of another Source named them.
	AuthorityOwn Authority = "own"
	// AuthorityNone is that of a tool over everything else that its result contains.
	AuthorityNone Authority = "none"
)

var authorities = [...]Authority{AuthorityFull, AuthorityOwn, AuthorityNone}

// authorityIndex returns an index of authorities. Unknown values have no authority.
func authorityIndex(a Authority) byte {
	if i := slices.Index(authorities[:], a); i >= 0 {
		return byte(i)
	}
	return byte(len(authorities) - 1)
}

// Place is the kind of place in a result where an entity stood.
type Place string

const (
	// PlaceRecord is a field of structured data. It is the zero value.
	PlaceRecord Place = ""
	// PlaceText is a result that is running text.
	PlaceText Place = "text"
	// PlaceFieldText is running text in a field of structured data, such as the body of
	// a mail. An origin in text has no authority.
	PlaceFieldText Place = "field_text"
	// PlaceView is an element of a view, such as a button of a screen. It lives until the
	// same source shows the next view.
	PlaceView Place = "view"
)

var places = [...]Place{PlaceRecord, PlaceText, PlaceFieldText, PlaceView}

// placeIndex returns an index of places. Unknown values are PlaceRecord.
func placeIndex(p Place) byte { return byte(max(slices.Index(places[:], p), 0)) }

// Origin is where the type or the name of an entity came from.
type Origin struct {
	// Tool is the name of the tool, empty for the program.
	Tool string `json:"tool,omitempty"`
	// Source is the MCP server or namespace of the tool, empty if it has none.
	Source string `json:"source,omitempty"`
	// Place and Role are where in the result it was, and how the result mentioned the entity.
	Place Place `json:"place,omitempty"`
	Role  Role  `json:"role,omitempty"`
	// Authority is that of the call, full if empty.
	Authority Authority `json:"authority,omitempty"`
}

// NameOrigin returns where the entity's name came from.
func (e *Entity) NameOrigin() Origin { return e.originOr(e.NamedBy) }

// TypeOrigin returns where the entity's type came from.
func (e *Entity) TypeOrigin() Origin { return e.originOr(e.TypedBy) }

// originOr returns an origin or, for nil, that of the entity.
func (e *Entity) originOr(o *Origin) Origin {
	if o != nil {
		return *o
	}
	return Origin{Tool: e.Tool, Source: e.Source, Place: e.Place, Role: e.Role, Authority: e.Authority}
}

// origin is an Origin in packed form.
type origin struct {
	role         byte // an index of roles
	marks        byte // the place and the authority
	tool, source []byte
}

// The marks of an origin, which are also flags of a record.
const (
	maskPlace     byte = 3
	maskAuthority byte = 3 << shiftAuthority
	maskMarks          = maskPlace | maskAuthority

	shiftAuthority = 2
)

func marksOf(p Place, a Authority) byte { return placeIndex(p) | authorityIndex(a)<<shiftAuthority }

func (o *origin) place() Place         { return places[o.marks&maskPlace] }
func (o *origin) authority() Authority { return authorities[o.marks&maskAuthority>>shiftAuthority] }

func (o *origin) equal(other *origin) bool {
	return o.role == other.role && o.marks == other.marks && bytes.Equal(o.tool, other.tool) && bytes.Equal(o.source, other.source)
}

// isRecord reports whether what came from there stood in a record of its own.
func (o *origin) isRecord() bool { return roles[o.role] == RoleRecord && o.place() == PlaceRecord }

// isWeak reports whether what came from there yields to records: it was in a text or a view,
// was a candidate, or was a foreign key.
func (o *origin) isWeak() bool { return !o.isRecord() }

// isStronger reports whether o is the better origin of what known says too.
func (o *origin) isStronger(known *origin) bool {
	return o.isRecord() && known.isWeak() || (o.isRecord() || known.isWeak()) && authorityIndex(o.authority()) < authorityIndex(known.authority())
}

// claim is what an arriving entity says of a known one.
type claim struct {
	origin
	asked    bool // the call had an id of the known entity among its arguments
	sameNoun bool // the types are of one kind
	untyped  bool // the known type is not known
}

// mayReplace reports whether the name or the type of the claim replaces one from known.
// The rules are those of AddMany.
func (c *claim) mayReplace(known *origin) bool {
	switch {
	case c.authority() == AuthorityFull:
		return true
	case roles[known.role] == RoleCandidate:
		return c.place() != PlaceFieldText || known.place() == PlaceFieldText
	case c.place() == PlaceFieldText:
		return false
	case c.asked:
		return true
	case c.place() == PlaceText && known.isRecord():
		return false
	case c.owns(known):
		return true
	case len(c.tool) > 0 && bytes.Equal(c.tool, known.tool) && bytes.Equal(c.source, known.source):
		return true
	}
	return known.isWeak() && c.isRecord() && (c.authority() != AuthorityNone || known.authority() == AuthorityNone)
}

// isTextOver reports whether the claim is running text of a tool, and what is known stood in
// structured data or is the program's: a sentence that confirms an edit names nothing.
func (c *claim) isTextOver(known *origin) bool {
	inText := c.place() == PlaceText || c.place() == PlaceFieldText
	return inText && len(c.tool) > 0 && known.place() == PlaceRecord && roles[known.role] != RoleCandidate
}

// owns reports whether the claim is of a tool about such entities, and what is known is not
// of a tool of another namespace about them. It owns what was said without authority.
func (c *claim) owns(known *origin) bool {
	if c.authority() != AuthorityOwn {
		return false
	}
	if known.authority() == AuthorityNone {
		return true
	}
	return (c.sameNoun || c.untyped) && (len(c.source) == 0 || len(known.source) == 0 || bytes.Equal(c.source, known.source))
}

// claimOn returns what an arriving entity says of a known one. If asked is set, the call had
// an id of it among its arguments.
func (f *facts) claimOn(known *facts, asked bool) claim {
	typ := known.text[textType]
	return claim{f.origin(), asked, english.SameNoun(typ, f.text[textType]), string(typ) == FallbackType}
}

// origin returns where the id came from.
func (f *facts) origin() origin {
	return origin{role: f.role, marks: f.marks & maskMarks, tool: f.text[textTool], source: f.text[textSource]}
}

// origins returns where the type and the name came from.
func (f *facts) origins() (typed, named origin) {
	own := f.origin()
	rest := f.text[textOrigins]
	if len(rest) == 0 {
		return own, own
	}
	typed, rest = readOrigin(rest, own)
	named, _ = readOrigin(rest, own)
	return typed, named
}

// packOrigins returns the origins of the type and the name as one text, empty if both are
// that of the id.
func packOrigins(own, typed, named *origin) []byte {
	if typed.equal(own) && named.equal(own) {
		return nil
	}
	return appendOrigin(appendOrigin(nil, typed, own), named, own)
}

// hasOrigin marks an origin that differs from that of the id.
const hasOrigin byte = 1 << 7

func appendOrigin(dst []byte, o, own *origin) []byte {
	if o.equal(own) {
		return append(dst, 0)
	}
	dst = append(dst, hasOrigin|o.marks|o.role<<(2*shiftAuthority))
	dst = append(binary.AppendUvarint(dst, uint64(len(o.tool))), o.tool...)
	return append(binary.AppendUvarint(dst, uint64(len(o.source))), o.source...)
}

func readOrigin(b []byte, own origin) (o origin, rest []byte) {
	if b[0] == 0 {
		return own, b[1:]
	}
	o.marks, o.role = b[0]&maskMarks, b[0]>>(2*shiftAuthority)&maskRole
	o.tool, rest = readSized(b[1:])
	o.source, rest = readSized(rest)
	return o, rest
}

// readSized reads a text behind its length.
func readSized(b []byte) (text, rest []byte) {
	size, n := binary.Uvarint(b)
	b = b[n:]
	return b[:size], b[size:]
}

// unpacked returns an origin, or nil if it is that of the id.
func (o *origin) unpacked(own *origin) *Origin {
	if o.equal(own) {
		return nil
	}
	return &Origin{Tool: string(o.tool), Source: string(o.source), Place: o.place(), Role: roles[o.role], Authority: o.authority()}
}

// originOf returns an Origin in packed form, or own for nil.
func originOf(o *Origin, own origin) origin {
	if o == nil {
		return own
	}
	return origin{role: roleIndex(o.Role), marks: marksOf(o.Place, o.Authority), tool: []byte(cleanText(o.Tool)), source: []byte(cleanText(o.Source))}
}
