package memory

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// record is an entity packed into bytes: about 20 bytes and the texts, where the struct
// alone takes 200.
//
//	flags  marks  timestamp  uses  repeats  sizes of texts  texts  [counts]  [identity]
//	1      1      9          1     1        11 × 1 or 2
//
// The parts in brackets are present if a flag is set. A UUID takes 16 bytes.
type record []byte

// Flags of a record; the lowest two bits are the role.
const (
	flagUUID   byte = 1 << (iota + 2) // the id is a uuid
	flagWide                          // sizes have two bytes
	flagCounts                        // uses and repeats do not fit a byte and follow the texts
	flagTyped                         // the identity is the type and the id; else the id alone
	flagApart                         // the identity is neither and comes last
	flagFresh                         // the change in progress added the entity
	maskRole   byte = 1<<2 - 1
)

// Marks of a record beside those of its origin.
const (
	flagActive byte = 1 << (iota + 5) // an arriving entity with StateActive
	flagMade                          // a held entity that a call made
	flagHeld                          // a held entity
)

// The texts of a record, in order.
const (
	textID = iota
	textType
	textName
	textSlug
	textDescription
	textTool
	textPath
	textAliases // packed, see aliasList
	textSource
	textState
	textOrigins // packed, see packOrigins
	texts       // the number of texts
)

const (
	marksAt    = 1
	stampAt    = 2
	stampBytes = 9
	usesAt     = stampAt + stampBytes
	repeatsAt  = usesAt + 1
	sizesAt    = repeatsAt + 1
)

// facts are the unpacked parts of a record. The texts share its memory.
type facts struct {
	role          byte // an index of roles
	marks         byte // of the origin
	held, made    bool
	fresh, active bool
	stamp         stamp
	text          [texts][]byte
	packed        bool // the id is a uuid
	uses, repeats int
	identity      identity
}

// identity is the identity of an entity, a Ref in packed form.
type identity struct {
	typ    []byte
	id     []byte
	packed bool // id is a uuid
}

var roles = [...]Role{RoleRecord, RoleReference, RoleCandidate}

func roleIndex(role Role) byte {
	switch role {
	case RoleReference:
		return 1
	case RoleCandidate:
		return 2
	default:
		return 0
	}
}

// header is the part of a record before the texts.
type header struct {
	flags, marks  byte
	stamp         stamp
	uses, repeats int
	sizes         [texts]int
}

// appendTo appends the header and reserves space for the texts, which begins at at.
func (h *header) appendTo(dst []byte) (_ []byte, at int) {
	all, largest := 0, 0
	for _, n := range h.sizes[:] {
		all += n
		largest = max(largest, n)
	}
	setFlag(&h.flags, flagWide, largest > 0xff)
	setFlag(&h.flags, flagCounts, max(h.uses, h.repeats) > 0xff)

	start, before := len(dst), sizesAt+texts
	if h.flags&flagWide != 0 {
		before += texts
	}
	dst = slices.Grow(dst, before+all)[:start+before+all]
	r := dst[start:]
	r[0], r[marksAt], r[usesAt], r[repeatsAt] = h.flags, h.marks, byte(h.uses), byte(h.repeats)
	h.stamp.put(r[stampAt:])
	if h.flags&flagWide != 0 {
		for i, n := range h.sizes[:] {
			binary.LittleEndian.PutUint16(r[sizesAt+2*i:], uint16(n))
		}
	} else {
		for i, n := range h.sizes[:] {
			r[sizesAt+i] = byte(n)
		}
	}
	return dst, start + before
}

// sizes returns the sizes of the texts and the position of the first.
func (r record) sizes() (sizes [texts]int, at int) {
	at = sizesAt
	if r[0]&flagWide != 0 {
		for i := range sizes[:] {
			sizes[i] = int(binary.LittleEndian.Uint16(r[at:]))
			at += 2
		}
		return sizes, at
	}
	for i, n := range r[at : at+texts] {
		sizes[i] = int(n)
	}
	return sizes, at + texts
}

// textsAt returns the start and the end of the texts.
func (r record) textsAt() (at, end int) {
	if r[0]&(flagWide|flagCounts|flagApart) == 0 {
		return sizesAt + texts, len(r)
	}
	sizes, at := r.sizes()
	end = at
	for _, n := range sizes[:] {
		end += n
	}
	return at, end
}

// facts unpacks a record.
func (r record) facts() (f facts) {
	flags := r[0]
	f.role, f.fresh, f.packed = flags&maskRole, flags&flagFresh != 0, flags&flagUUID != 0
	f.marks, f.held, f.made = r[marksAt]&maskMarks, r.held(), r.made()
	f.active = r[marksAt]&flagActive != 0
	f.stamp = readStamp(r[stampAt:])
	sizes, at := r.sizes()
	for i, n := range sizes[:] {
		f.text[i] = r[at : at+n]
		at += n
	}
	rest := r[at:]
	f.uses, f.repeats = int(r[usesAt]), int(r[repeatsAt])
	if flags&flagCounts != 0 {
		f.uses, f.repeats, rest = readCounts(rest)
	}
	f.identity = identity{id: f.text[textID], packed: f.packed}
	switch {
	case flags&flagApart != 0:
		f.identity = readIdentity(rest)
	case flags&flagTyped != 0:
		f.identity.typ = f.text[textType]
	}
	return f
}

func (r record) idAndType() (id, typ []byte) {
	if r[0]&flagWide == 0 {
		const at = sizesAt + texts
		end := at + int(r[sizesAt])
		return r[at:end], r[end : end+int(r[sizesAt+1])]
	}
	sizes, at := r.sizes()
	end := at + sizes[textID]
	return r[at:end], r[end : end+sizes[textType]]
}

func (r record) identity() identity {
	flags := r[0]
	if flags&flagApart != 0 {
		return r.facts().identity
	}
	id, typ := r.idAndType()
	if flags&flagTyped == 0 {
		typ = nil
	}
	return identity{id: id, typ: typ, packed: flags&flagUUID != 0}
}

// aliases returns the aliases of the entity.
func (r record) aliases() aliasList {
	if r[0]&flagWide == 0 && r[sizesAt+textAliases] == 0 { // the usual case
		return nil
	}
	sizes, at := r.sizes()
	for _, n := range sizes[:textAliases] {
		at += n
	}
	return aliasList(r[at : at+sizes[textAliases]])
}

func (r record) role() Role { return roles[r[0]&maskRole] }

func (r record) typ() []byte {
	_, typ := r.idAndType()
	return typ
}

func (r record) fresh() bool { return r[0]&flagFresh != 0 }

func (r record) authority() Authority { return authorities[r[marksAt]&maskAuthority>>shiftAuthority] }

func (r record) held() bool { return r[marksAt]&flagHeld != 0 }

func (r record) made() bool { return r[marksAt]&flagMade != 0 }

// seenAgain is a shortcut of merge for a sighting that adds nothing new: it counts the
// sighting in place. It returns false, without a change, if there may be something new
// or the count does not fit.
func (r record) seenAgain(newer record) bool {
	if (r[0]^newer[0])&^flagFresh != 0 || r[0]&flagCounts != 0 || (r[marksAt]^newer[marksAt])&maskMarks != 0 || newer.held() && !r.held() || newer.made() && !r.made() || !bytes.Equal(r[sizesAt:], newer[sizesAt:]) {
		return false
	}
	repeats := max(r[repeatsAt], newer[repeatsAt])
	if repeats == 0xff {
		return false
	}
	copy(r[stampAt:usesAt], newer[stampAt:])
	r[usesAt] = max(r[usesAt], newer[usesAt])
	r[repeatsAt] = repeats + 1
	return true
}

// entity unpacks the entity, with all its texts in one string.
func (r record) entity() (e Entity) {
	r.read(&e, string(r.appendText(nil)))
	return e
}

// appendText appends the texts of the entity.
func (r record) appendText(dst []byte) []byte {
	at, end := r.textsAt()
	if r[0]&flagUUID != 0 {
		dst = uuid(r[at:]).appendTo(dst)
		at += uuidBytes
	}
	return append(dst, r[at:end]...)
}

// read sets all fields of e. It takes the texts from the beginning of text and returns
// the rest.
func (r record) read(e *Entity, text string) string {
	sizes, _ := r.sizes()
	if r[0]&flagUUID != 0 {
		sizes[textID] = uuidText
	}
	e.ID, text = text[:sizes[textID]], text[sizes[textID]:]
	e.Type, text = text[:sizes[textType]], text[sizes[textType]:]
	e.Name, text = text[:sizes[textName]], text[sizes[textName]:]
	e.Slug, text = text[:sizes[textSlug]], text[sizes[textSlug]:]
	e.Description, text = text[:sizes[textDescription]], text[sizes[textDescription]:]
	e.Tool, text = text[:sizes[textTool]], text[sizes[textTool]:]
	e.Path, text = text[:sizes[textPath]], text[sizes[textPath]:]
	e.Aliases, e.Preferred = aliasList(text[:sizes[textAliases]]).read()
	text = text[sizes[textAliases]:]
	e.Source, text = text[:sizes[textSource]], text[sizes[textSource]:]
	e.State, text = text[:sizes[textState]], text[sizes[textState]:]
	e.Role, e.Held, e.Made = roles[r[0]&maskRole], r.held(), r.made()
	e.Place, e.Authority = places[r[marksAt]&maskPlace], r.authority()
	e.TypedBy, e.NamedBy = nil, nil
	if sizes[textOrigins] > 0 {
		text = text[sizes[textOrigins]:]
		f := r.facts()
		own := f.origin()
		typed, named := f.origins()
		e.TypedBy, e.NamedBy = typed.unpacked(&own), named.unpacked(&own)
	}
	e.Timestamp = readStamp(r[stampAt:]).time()
	e.Uses, e.Repeats = int(r[usesAt]), int(r[repeatsAt])
	if r[0]&flagCounts != 0 {
		_, end := r.textsAt()
		e.Uses, e.Repeats, _ = readCounts(r[end:])
	}
	return text
}

// appendTo appends the facts as a record.
func (f *facts) appendTo(dst []byte) []byte {
	h := header{flags: f.role, marks: f.marks, stamp: f.stamp, uses: f.uses, repeats: f.repeats}
	for i, text := range f.text[:] {
		h.sizes[i] = len(text)
	}
	setFlag(&h.marks, flagHeld, f.held || f.made)
	setFlag(&h.marks, flagMade, f.made)
	setFlag(&h.flags, flagFresh, f.fresh)
	setFlag(&h.flags, flagUUID, f.packed)
	switch {
	case f.identity.packed != f.packed || !bytes.Equal(f.identity.id, f.text[textID]):
		h.flags |= flagApart
	case len(f.identity.typ) == 0:
	case bytes.Equal(f.identity.typ, f.text[textType]):
		h.flags |= flagTyped
	default:
		h.flags |= flagApart
	}
	dst, at := h.appendTo(dst)
	for _, text := range f.text[:] {
		at += copy(dst[at:], text)
	}
	if h.flags&flagCounts != 0 {
		dst = appendCounts(dst, f.uses, f.repeats)
	}
	if h.flags&flagApart != 0 {
		dst = appendIdentity(dst, &f.identity)
	}
	return dst
}

func setFlag(flags *byte, flag byte, on bool) {
	if on {
		*flags |= flag
	}
}

func appendCounts(dst []byte, uses, repeats int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(uses)), uint64(repeats))
}

func readCounts(b []byte) (uses, repeats int, rest []byte) {
	u, n := binary.Uvarint(b)
	r, m := binary.Uvarint(b[n:])
	return int(u), int(r), b[n+m:]
}

func appendIdentity(dst []byte, id *identity) []byte {
	flags := byte(0)
	setFlag(&flags, flagUUID, id.packed)
	dst = binary.AppendUvarint(append(dst, flags), uint64(len(id.typ)))
	return append(append(dst, id.typ...), id.id...)
}

func readIdentity(b []byte) identity {
	typ, n := binary.Uvarint(b[1:])
	rest := b[1+n:]
	return identity{typ: rest[:typ], id: rest[typ:], packed: b[0]&flagUUID != 0}
}

// stamp is a point in time in the years 0 to 9999, to the nanosecond.
type stamp struct {
	seconds uint64 // since the year 0, under 1<<40
	nanos   uint32
}

// stampOf returns t, clamped to the years 0 to 9999.
func stampOf(t time.Time) stamp {
	return stamp{
		seconds: uint64(min(max(t.Unix(), state.MinUnix), state.MaxUnix) - state.MinUnix),
		nanos:   uint32(t.Nanosecond()),
	}
}

func (s stamp) time() time.Time {
	return time.Unix(int64(s.seconds)+state.MinUnix, int64(s.nanos)).UTC()
}

func (s stamp) put(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(s.seconds))
	b[4] = byte(s.seconds >> 32)
	binary.LittleEndian.PutUint32(b[5:], s.nanos)
}

func readStamp(b []byte) stamp {
	return stamp{
		seconds: uint64(binary.LittleEndian.Uint32(b)) | uint64(b[4])<<32,
		nanos:   binary.LittleEndian.Uint32(b[5:]),
	}
}
