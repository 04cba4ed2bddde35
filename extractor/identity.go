package extractor

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
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
	case fr.has.Has(naming.TraitEnvelope): // JSON-RPC's id is that of the request
		return identity{}
	case !fr.has.Has(naming.TraitIdentifies) && !fr.mapKey:
		return identity{field: f.namesake(fr, fields)}
	}
	var best, other *field // other is the only typed id
	bestRank := noIdentity
	typed, named := 0, false
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested, fd.key.Class == naming.ClassTypedID && !fd.key.Traits.Has(naming.TraitRefers):
		case fd.key.Class == naming.ClassName:
			named = named || !fd.key.Traits.Has(naming.TraitSlug)
		case fd.key.Class == naming.ClassID, fd.key.Class == naming.ClassTypedID, fd.key.Class == naming.ClassTrace:
			if fd.key.Class == naming.ClassTypedID && !fd.key.Plural && fd.key.Noun != pageToken && f.isTypedID(fd) {
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
		return identity{key: fr.key.Name}
	case fr.key != nil && fr.key.Traits.Has(naming.TraitPart):
		return identity{}
	case typed == 1 && (named || f.inList()) && !fr.adoptable(f):
		// {"name": "Laptop", "product_id": "4760268021"}, or an item of a list; but a row
		// that begins with a code of its own refers to the other: sku, name, supplier_id
		if weak := f.weakIdentity(fr, fields, named); weak.field != nil && weak.field.key == fr.first && !naming.SameNoun(other.key.Noun, fr.noun) {
			return weak
		}
		return identity{field: other}
	}
	return f.weakIdentity(fr, fields, named)
}

// pageToken is the type of the token of a next page, which identifies no record.
const pageToken = "page_token"

// hasBlankID reports whether a record has an id field without a value.
func (f *finder) hasBlankID(fr *frame, fields []field) bool {
	return fr.blank || slices.ContainsFunc(fields, func(fd field) bool {
		return fd.key.Class == naming.ClassID && !fd.nested && !fd.key.Plural && !f.isID(&fd)
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
	return n >= 2 && f.frames[n-2].hoisted && f.frames[n-2].key.Name == "properties"
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
	switch k.Class {
	case naming.ClassID:
		if !k.Plural && f.isID(fd) {
			return int(k.Rank)
		}
	case naming.ClassTypedID:
		if k.Plural || !f.isTypedID(fd) || k.Noun == pageToken {
			return noIdentity
		}
		switch {
		case fd.own:
			return 5
		case fr.noun != "" && naming.SameNoun(k.Noun, fr.noun):
			return 10 + int(k.Rank)
		case fr.wrapper != "" && naming.SameNoun(k.Noun, fr.wrapper):
			return 15 + int(k.Rank)
		case fr.mapKey && !isIndex(fr.key.Name) && string(f.value(fd)) != fr.key.Name: // another entity's
			return noIdentity
		case fr.inherited && slices.Contains(f.tool.Words, naming.LastWord(k.Noun)) && fr.first == k:
			return 20 + int(k.Rank)
		case fr.first == k && (k.Rank <= 3 || bytes.ContainsAny(f.value(fd), "0123456789")):
			return 30 + int(k.Rank)
		case fr.inherited && k.Rank == 0 && slices.Contains(f.tool.Words, naming.LastWord(k.Noun)):
			return 40
		}
	case naming.ClassTrace:
		if fr.inherited && slices.Contains(f.tool.Words, naming.LastWord(k.Noun)) && f.looksLikeID(fd) { // inspect_request
			return 45
		}
	case naming.ClassPlain:
		if f.isNamesake(fr, fd) {
			return rankNamesake
		}
	}
	return noIdentity
}

// namesake returns a record's first namesake field, or nil.
func (f *finder) namesake(fr *frame, fields []field) *field {
	if !fr.has.Has(naming.TraitRefers) || fr.noun == "" {
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
	if k.Class != naming.ClassPlain || k.Plural || !k.Traits.Has(naming.TraitRefers) || !naming.IsWithin(k.Noun, fr.noun) {
		return false
	}
	if fd.kind == document.Number {
		return f.looksLikeID(fd) && f.isID(fd)
	}
	return fd.kind == document.String && shape.MayLookLikeID(f.value(fd)) && f.shape(fd) >= shape.MaybeID && f.isID(fd)
}

// isTypedID reports whether the value of a typed identifier is one. Values of keys
// such as asset_tag must have an identifier's shape.
func (f *finder) isTypedID(fd *field) bool {
	return f.isID(fd) && (fd.key.Rank < naming.RankTag || f.looksLikeID(fd))
}

// isIndex reports whether the key of a map may be a mere index: "0", "12".
func isIndex(key string) bool { return len(key) <= 4 && shape.IsDigits([]byte(key)) }

// weakIdentity returns a key, number, code, SKU or path as identifier of a record
// without a better one.
func (f *finder) weakIdentity(fr *frame, fields []field, named bool) identity {
	if fr.has.Has(naming.TraitRow) {
		if fd := f.leading(fr, fields); fd != nil && fd.key.Traits.Has(naming.TraitRow) {
			return identity{field: fd}
		}
	}
	var best *field
	for i := range fields {
		fd := &fields[i]
		if !fd.nested && fd.key.Class == naming.ClassWeakID && (best == nil || fd.key.Rank < best.key.Rank) && f.isWeakID(fd, named) {
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
	case fd.key.Traits.Has(naming.TraitClock):
		return true
	case fd.key.Rank == naming.RankURL:
		return named && bytes.Contains(text, []byte("://")) || shape.IsURN(text)
	}
	if fd.key.Rank >= naming.RankSlug {
		return fd.kind == document.String && !f.failed
	}
	if fd.key.Name == "reference" && bytes.IndexByte(text, '/') > 0 { // FHIR: Practitioner/929177
		return true
	}
	if fd.kind == document.Number {
		return named && fd.key.Rank <= 1 || fd.key.Rank == naming.RankPrinted && f.looksLikeID(fd)
	}
	return named || f.looksLikeID(fd)
}

// namedIdentity returns a name built like an identifier, web-7d9f8b-x2x1z, or a
// single-word name, prod-db, in a record of the tool's type.
func (f *finder) namedIdentity(fr *frame, fields []field) *field {
	listed := f.inList() && fr.noun != "" && (fr.inherited || fr.noun == f.tool.Noun) || isManifest(fields)
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.kind != document.String || fd.key.Class != naming.ClassName && fd.key.Class != naming.ClassTypedName {
			continue
		}
		if s := f.shape(fd); s >= shape.LikelyID || listed && s == shape.MaybeID && shape.IsHandle(f.value(fd)) {
			return fd
		}
	}
	return nil
}

// isManifest reports whether an object describes a resource of Kubernetes, which its name
// identifies.
func isManifest(fields []field) bool {
	return slices.ContainsFunc(fields, func(fd field) bool { return fd.key.Snake == "api_version" && !fd.nested })
}

// isPlausibleID reports whether the value of an identifier's key can be one: a whole
// number, or a string without line breaks that is not a sentence.
func isPlausibleID(kind document.Kind, text []byte) bool {
	if len(text) == 0 || len(text) > shape.MaxID || secret.HasShape(text) || secret.HasPassword(text) {
		return false
	}
	switch kind {
	case document.Number:
		return shape.IsDigits(bytes.TrimPrefix(text, []byte("-")))
	case document.String:
		return isUTF8Line(text) && bytes.Count(text, []byte(" ")) <= 3 && !shape.IsNoValue(text)
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
		if fd.key.Class == naming.ClassPlain && (!alone || fd.key.Traits.Has(naming.TraitRow)) && f.isRowCode(fd) && f.isID(fd) {
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
	text, t := f.value(fd), fd.key.Traits
	switch {
	case !shape.MayLookLikeID(text) || shape.IsDigits(text):
		return false
	case t.Has(naming.TraitRow):
		return f.shape(fd) >= shape.LikelyID || shape.IsNumberBehindLetters(text)
	}
	return t.Has(naming.TraitRefers) && !t.Has(naming.TraitThing) && (f.shape(fd) == shape.SurelyID || shape.IsSerialCode(text))
}
