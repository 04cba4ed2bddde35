package extractor

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// identity identifies a record.
type identity struct {
	// field holds the id; nil if the id is the record's key in a map.
	field *field
	key   string
}

// idText returns the text of an id.
func (f *finder) idText(id identity) []byte {
	if id.field != nil {
		return f.value(id.field)
	}
	start := len(f.scratch)
	f.scratch = append(f.scratch, id.key...)
	return f.scratch[start:]
}

// identify returns the best identifier of an object.
func (f *finder) identify(fr *frame, fields []field) identity {
	switch {
	case fr.has.has(traitEnvelope): // JSON-RPC's id is that of the request
		return identity{}
	case !fr.has.has(traitIdentifies) && !fr.mapKey:
		return identity{field: f.namesake(fr, fields)}
	}
	var best, other *field // other is the only typed id
	bestRank := noIdentity
	typed, named := 0, false
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested, fd.key.class == classTypedID && !fd.key.traits.has(traitRefers):
		case fd.key.class == className:
			named = named || !fd.key.traits.has(traitSlug)
		case fd.key.class == classID, fd.key.class == classTypedID:
			if fd.key.class == classTypedID && !fd.key.plural && f.isTypedID(fd) {
				typed++
				other = fd
			}
			if rank := f.identityRank(fr, fd); rank < bestRank {
				best, bestRank = fd, rank
			}
		case bestRank > rankNamesake && f.isNamesake(fr, fd):
			best, bestRank = fd, rankNamesake
		}
	}
	switch {
	case f.isProperty():
		return identity{}
	case best != nil:
		return identity{field: best}
	case f.hasBlankID(fr, fields):
		return identity{}
	case fr.mapKey && (len(fields) > 0 || fr.objects):
		return identity{key: fr.key.name}
	case fr.key != nil && fr.key.traits.has(traitPart):
		return identity{}
	case typed == 1 && (named || f.inList()) && !fr.adoptable(f):
		// {"name": "Laptop", "product_id": "4760268021"}, or an item of a list
		return identity{field: other}
	}
	return f.weakIdentity(fr, fields, named)
}

// partKeys name parts of a record that have codes and names without being entities.
var partKeys = wordSet{list: `status state stage severity priority level currency country language locale unit type kind`}

// hasBlankID reports whether a record has an id field without a value.
func (f *finder) hasBlankID(fr *frame, fields []field) bool {
	return fr.blank || slices.ContainsFunc(fields, func(fd field) bool {
		return fd.key.class == classID && !fd.nested && !fd.key.plural && !f.isID(&fd)
	})
}

// inList reports whether the innermost frame is an item of an array.
func (f *finder) inList() bool {
	n := len(f.frames)
	return n >= 2 && f.frames[n-2].array
}

// isProperty reports whether the innermost frame describes a property of the
// record around it: {"properties": {"Name": {"id": "title", …}}}.
func (f *finder) isProperty() bool {
	n := len(f.frames)
	return n >= 2 && f.frames[n-2].hoisted && f.frames[n-2].key.name == "properties"
}

const (
	// rankNamesake is the rank of a code under the noun of the record itself.
	rankNamesake = 60
	// noIdentity is the rank of fields that identify nothing, behind all others.
	noIdentity = 100
)

// identityRank ranks a field as an identifier of its record, lowest first. It returns
// noIdentity for other fields.
func (f *finder) identityRank(fr *frame, fd *field) int {
	k := fd.key
	switch k.class {
	case classID:
		if !k.plural && f.isID(fd) {
			return int(k.rank)
		}
	case classTypedID:
		if k.plural || !f.isTypedID(fd) || k.noun == "page_token" {
			return noIdentity
		}
		switch {
		case fd.own:
			return 5
		case fr.noun != "" && sameNoun(k.noun, fr.noun):
			return 10 + int(k.rank)
		case fr.wrapper != "" && sameNoun(k.noun, fr.wrapper):
			return 15 + int(k.rank)
		case fr.mapKey && !isIndex(fr.key.name) && string(f.value(fd)) != fr.key.name: // another entity's
			return noIdentity
		case fr.inherited && slices.Contains(f.tool.words, lastWord(k.noun)) && fr.first == k:
			return 20 + int(k.rank)
		case fr.first == k && (k.rank <= 3 || bytes.ContainsAny(f.value(fd), "0123456789")):
			return 30 + int(k.rank)
		case fr.inherited && k.rank == 0 && slices.Contains(f.tool.words, lastWord(k.noun)):
			return 40
		}
	case classPlain:
		if f.isNamesake(fr, fd) {
			return rankNamesake
		}
	}
	return noIdentity
}

// namesake returns a record's first namesake field, or nil.
func (f *finder) namesake(fr *frame, fields []field) *field {
	if !fr.has.has(traitRefers) || fr.noun == "" {
		return nil
	}
	for i := range fields {
		if fd := &fields[i]; !fd.nested && f.isNamesake(fr, fd) {
			return fd
		}
	}
	return nil
}

// isNamesake reports whether a field has the name of the record's type and holds a
// code: {"departments": [{"department": "D-661", "title": "Finance"}]}.
func (f *finder) isNamesake(fr *frame, fd *field) bool {
	k := fd.key
	if k.class != classPlain || k.plural || !k.traits.has(traitRefers) || !isWithin(k.noun, fr.noun) {
		return false
	}
	if fd.kind == document.Number {
		return f.looksLikeID(fd) && f.isID(fd)
	}
	return fd.kind == document.String && mayLookLikeID(f.value(fd)) && f.shape(fd) >= maybeID && f.isID(fd)
}

// isWithin reports whether noun equals whole or is its head: cycle of review_cycle.
func isWithin(noun, whole string) bool {
	head, ok := strings.CutSuffix(whole, noun)
	return ok && (head == "" || head[len(head)-1] == '_')
}

// isTypedID reports whether the value of a typed identifier is one. Values of keys
// such as asset_tag must have an identifier's shape.
func (f *finder) isTypedID(fd *field) bool {
	return f.isID(fd) && (fd.key.rank < rankTag || f.looksLikeID(fd))
}

// isIndex reports whether the key of a map may be a mere index: "0", "12".
func isIndex(key string) bool { return len(key) <= 4 && isDigits([]byte(key)) }

// sameNoun reports whether two types name the same kind of entity: order and
// purchase_order, pull_request and request.
func sameNoun(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	head, ok := strings.CutSuffix(a, b)
	return ok && (head == "" || head[len(head)-1] == '_')
}

// weakIdentity returns a key, number, code, SKU or path as identifier of a record
// without a better one.
func (f *finder) weakIdentity(fr *frame, fields []field, named bool) identity {
	if fr.has.has(traitRow) {
		if fd := f.leading(fr, fields); fd != nil && fd.key.traits.has(traitRow) {
			return identity{field: fd}
		}
	}
	var best *field
	for i := range fields {
		fd := &fields[i]
		if !fd.nested && fd.key.class == classWeakID && (best == nil || fd.key.rank < best.key.rank) && f.isWeakID(fd, named) {
			best = fd
		}
	}
	if best == nil {
		best = f.namedIdentity(fr, fields)
	}
	return identity{field: best}
}

// isWeakID reports whether the value of a weak identifier can be one. A code beside a
// message is a status, and a short word needs a name beside it.
func (f *finder) isWeakID(fd *field, named bool) bool {
	text := f.value(fd)
	if !f.isID(fd) {
		return false
	}
	switch {
	case fd.key.traits.has(traitClock):
		return true
	case fd.key.rank == rankURL:
		return named && bytes.Contains(text, []byte("://")) || isURN(text)
	}
	if fd.key.rank >= rankSlug {
		return fd.kind == document.String && !f.failed
	}
	if fd.key.name == "reference" && bytes.IndexByte(text, '/') > 0 { // FHIR: Practitioner/929177
		return true
	}
	if fd.kind == document.Number {
		return named && fd.key.rank <= 1 || fd.key.rank == rankPrinted && f.looksLikeID(fd)
	}
	return named || f.looksLikeID(fd)
}

// namedIdentity returns a name built like an identifier, web-7d9f8b-x2x1z, or a
// single-word name, prod-db, in a record of the tool's type.
func (f *finder) namedIdentity(fr *frame, fields []field) *field {
	listed := f.inList() && fr.noun != "" && (fr.inherited || fr.noun == f.tool.noun)
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.kind != document.String || fd.key.class != className && fd.key.class != classTypedName {
			continue
		}
		if s := f.shape(fd); s >= likelyID || listed && s == maybeID && isHandle(f.value(fd)) {
			return fd
		}
	}
	return nil
}

// isHandle reports whether a name is written in the style of programs: prod-db, logs.
func isHandle(text []byte) bool {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

// isPlausibleID reports whether the value of an identifier's key can be one: a whole
// number, or a string without line breaks that is not a sentence.
func isPlausibleID(kind document.Kind, text []byte) bool {
	if len(text) == 0 || len(text) > maxID || secret.HasShape(text) || secret.HasPassword(text) {
		return false
	}
	switch kind {
	case document.Number:
		return isDigits(bytes.TrimPrefix(text, []byte("-")))
	case document.String:
		return isUTF8Line(text) && bytes.Count(text, []byte(" ")) <= 3 && !isNoValue(text)
	}
	return false
}

// isNoValue reports whether a text means that a value is absent.
func isNoValue(text []byte) bool {
	for _, word := range [...]string{"null", "none", "n/a", "undefined"} {
		if len(text) == len(word) && strings.EqualFold(string(text), word) {
			return true
		}
	}
	return false
}

// leading returns the code that starts a row without an identifier, {"item":
// "qz75622-001", "stem": …}. It returns nil if the first text is not a code or may
// belong to another entity.
func (f *finder) leading(fr *frame, fields []field) *field {
	alone := len(f.frames) == f.base+1 && !fr.objects
	if f.failed || len(fields) < 2 || !alone && !f.inList() {
		return nil
	}
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.kind != document.String {
			continue
		}
		if fd.key.class == classPlain && (!alone || fd.key.traits.has(traitRow)) && f.isRowCode(fd) && f.isID(fd) {
			return fd
		}
		return nil
	}
	return nil
}

// isRowCode reports whether a field's value is a code that can identify a row. Under
// a key that only means the row itself, an identifier's shape and a letter suffice:
// qz75622-001, b97535404. Under other keys the value must certainly be a code, and
// the key must not be a common noun for entities.
func (f *finder) isRowCode(fd *field) bool {
	text, t := f.value(fd), fd.key.traits
	switch {
	case !mayLookLikeID(text) || isDigits(text):
		return false
	case t.has(traitRow):
		return f.shape(fd) >= likelyID || isNumberBehindLetters(text)
	}
	return t.has(traitRefers) && !t.has(traitThing) && (f.shape(fd) == surelyID || isSerialCode(text))
}

// rowNouns name fields that hold the identifier of a row without naming its type.
var rowNouns = wordSet{list: `item record row entry element entity object resource thing`}
