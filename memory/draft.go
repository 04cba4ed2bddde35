package memory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// draft is a change that is checked and packed but not yet applied. Preparing it calls
// the functions of the options and needs no lock. Entities and Refs become records; the
// record of a Ref has only a type, an id and an identity.
type draft struct {
	opts    *ContextOptions
	now     time.Time // zero until needed
	records []byte
	// The positions of the records.
	uses, changes, mentions, adds, removals []span

	// viewed is set if there are arriving elements of a view, and view is their source.
	viewed bool
	view   string

	forgets bool // nothing is kept of what is removed

	hashes []uint32 // of adds; set once the context is locked
	packed record   // the last result of pack

	recalled record // the last result of withCandidate
}

type span struct{ start, end int }

var drafts = sync.Pool{New: func() any { return new(draft) }}

// maxPooled is the size in bytes of the largest draft that is pooled.
const maxPooled = 64 << 10

func newDraft(opts *ContextOptions) *draft {
	d := drafts.Get().(*draft)
	d.opts = opts
	return d
}

// release returns the draft to the pool.
func (d *draft) release() {
	if cap(d.records) > maxPooled {
		return
	}
	d.clear()
	d.opts, d.now = nil, time.Time{}
	drafts.Put(d)
}

func (d *draft) clear() {
	d.records, d.packed, d.recalled, d.hashes = d.records[:0], d.packed[:0], d.recalled[:0], d.hashes[:0]
	d.viewed, d.view, d.forgets = false, "", false
	d.uses, d.changes, d.mentions, d.adds, d.removals = d.uses[:0], d.changes[:0], d.mentions[:0], d.adds[:0], d.removals[:0]
}

func (d *draft) record(s span) record { return d.records[s.start:s.end] }

// clock returns the time of the change. It reads the clock only once.
func (d *draft) clock() time.Time {
	if d.now.IsZero() {
		d.now = d.opts.now()
	}
	return d.now
}

// name packs the Refs of entities that move or are held, at the time of the change.
func (d *draft) name(dst []span, refs []Ref) []span {
	if len(refs) > 0 {
		d.clock()
	}
	for _, ref := range refs {
		dst = append(dst, d.addRef(ref))
	}
	return dst
}

func (d *draft) remove(refs []Ref) {
	for _, ref := range refs {
		d.removals = append(d.removals, d.addRef(ref))
	}
}

// addRef packs a Ref.
func (d *draft) addRef(ref Ref) span {
	text := [texts]string{
		textType: bounded(ref.Type, MaxTypeBytes),
		textID:   bounded(ref.ID, MaxIDBytes),
	}
	return d.append(&header{}, &text, d.opts.identify(ref.Type, ref.ID))
}

// addMany adds entities and returns the joined errors of those that are rejected.
func (d *draft) addMany(es []Entity) error {
	var errs []error
	for i := range es {
		if err := d.add(&es[i]); err != nil {
			errs = append(errs, fmt.Errorf("entity %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// add checks, cleans, identifies and packs an entity. It returns ErrNoID, ErrTooLong or
// ErrInvalidID for an entity that is rejected.
func (d *draft) add(e *Entity) error {
	typ := e.Type
	if typ == "" {
		typ = FallbackType
	}
	switch {
	case e.ID == "":
		return ErrNoID
	case len(e.ID) > MaxIDBytes || len(typ) > MaxTypeBytes:
		return ErrTooLong
	case !utf8.ValidString(e.ID) || !utf8.ValidString(typ):
		return ErrInvalidID
	}
	text := [texts]string{
		textID: e.ID, textType: typ, textName: realName(cleanText(e.Name), typ), textSlug: cleanText(e.Slug),
		textDescription: cleanText(e.Description), textTool: cleanText(e.Tool), textPath: cleanText(e.Path),
		textAliases: packAliases(e.ID, e.Aliases, e.Preferred), textSource: cleanText(e.Source),
		textState: cleanText(e.State),
	}
	if e.Place == PlaceView {
		d.viewed, d.view = true, text[textSource]
	}
	h := header{flags: roleIndex(e.Role), marks: marksOf(e.Place, e.Authority), stamp: d.cleanTime(e.Timestamp), uses: max(e.Uses, 0), repeats: max(e.Repeats, 0)}
	setFlag(&h.marks, flagHeld, e.Held || e.Made)
	setFlag(&h.marks, flagMade, e.Made)
	if e.State == StateActive {
		h.marks, text[textState] = h.marks|flagActive, ""
	}
	if e.TypedBy != nil || e.NamedBy != nil {
		own := origin{role: h.flags, marks: h.marks & maskMarks, tool: []byte(text[textTool]), source: []byte(text[textSource])}
		typed, named := originOf(e.TypedBy, own), originOf(e.NamedBy, own)
		text[textOrigins] = string(packOrigins(&own, &typed, &named))
	}
	identity := d.opts.identify(typ, e.ID)
	if e.Role == RoleCandidate {
		identity.Type = "" // a guess
		if e.Authority == AuthorityNone {
			text[textAliases] = "" // so that no guess claims the id of an entity
		}
	}
	d.adds = append(d.adds, d.append(&h, &text, identity))
	return nil
}

// cleanTime returns t, or the time of the change if t is zero or JSON cannot express
// it.
func (d *draft) cleanTime(t time.Time) stamp {
	if !state.HasTime(t) {
		t = d.clock()
	}
	return stampOf(t)
}

// append appends a record and returns its position.
func (d *draft) append(h *header, text *[texts]string, identity Ref) span {
	for i, s := range text {
		h.sizes[i] = len(s)
	}
	id, packed := parseUUID(text[textID])
	if packed {
		h.flags |= flagUUID
		h.sizes[textID] = uuidBytes
	}
	switch {
	case identity.ID != text[textID]:
		h.flags |= flagApart
	case identity.Type == "":
	case identity.Type == text[textType]:
		h.flags |= flagTyped
	default:
		h.flags |= flagApart
	}
	start := len(d.records)
	dst, at := h.appendTo(d.records)
	if packed {
		at += copy(dst[at:], id[:])
	} else {
		at += copy(dst[at:], text[textID])
	}
	for _, s := range text[textType:] {
		at += copy(dst[at:], s)
	}
	if h.flags&flagCounts != 0 {
		dst = appendCounts(dst, h.uses, h.repeats)
	}
	if h.flags&flagApart != 0 {
		dst = appendApart(dst, identity)
	}
	d.records = dst
	return span{start, len(dst)}
}

// pack returns f as a record, which is valid until the next call.
func (d *draft) pack(f *facts) record {
	d.packed = f.appendTo(d.packed[:0])
	return d.packed
}

// appendApart appends an identity that differs from the entity's type and id.
func appendApart(dst []byte, ref Ref) []byte {
	typ, id := []byte(bounded(ref.Type, MaxTypeBytes)), bounded(ref.ID, MaxIDBytes)
	if u, ok := parseUUID(id); ok {
		return appendIdentity(dst, &identity{typ: typ, id: u[:], packed: true})
	}
	return appendIdentity(dst, &identity{typ: typ, id: []byte(id)})
}

// bounded returns s, or its hash if s exceeds limit bytes: a Ref and the result of an
// IdentityFunc may have any length.
func bounded(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return string(sum[:])
}
