package record

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Identity identifies a record.
type Identity struct {
	// field holds the id; nil if the id is the record's key in a map.
	field *Field
	key   string
	why   Reason
}

func (id Identity) is() bool { return id.field != nil || id.key != "" }

// Why returns why the identifier was chosen, and the identifier itself if it is no field.
func (id Identity) Why() (why Reason, key string) { return id.why, id.key }

// idText returns the text of an id.
func (o *Object) idText(id Identity) []byte {
	if id.field != nil {
		return id.field.Text
	}
	return o.scratch.join(nil, "", []byte(id.key))
}

// identify returns the best identifier of an object.
func (o *Object) identify() Identity {
	switch {
	case o.has.Has(naming.TraitEnvelope) || o.Void: // JSON-RPC's id is that of the request
		return Identity{}
	case !o.has.Has(naming.TraitIdentifies) && !o.ByID:
		return Identity{field: o.namesake(), why: Namesake}
	}
	var best, other *Field // other is the only typed id
	bestRank := noIdentity
	typed, named := 0, false
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Nested, fd.Key.Opaque():
		case fd.Key.Class == naming.ClassName:
			named = named || !fd.Key.Traits.Has(naming.TraitSlug)
		case fd.Key.Class == naming.ClassID, fd.Key.Class == naming.ClassTypedID, fd.Key.Class == naming.ClassTrace:
			if fd.Key.Class == naming.ClassTypedID && !fd.Key.Plural && fd.Key.Noun != naming.PageToken && fd.isTypedID() {
				typed++
				other = fd
			}
			if rank := o.identityRank(fd); rank < bestRank {
				best, bestRank = fd, rank
			}
		case bestRank > rankNamesake && o.isNamesake(fd):
			best, bestRank = fd, rankNamesake
		}
	}
	switch {
	case o.Property:
		return Identity{}
	case best != nil:
		return Identity{field: best, why: rankReason(bestRank)}
	case o.hasBlankID() && !o.isRow():
		return Identity{}
	case o.ByID && (len(o.Fields) > 0 || o.HasParts):
		return Identity{key: o.Key.Name, why: MapKey}
	case o.Key != nil && o.Key.Traits.Has(naming.TraitPart):
		return Identity{}
	case typed == 1 && (named || o.Listed) && !o.isAdoptable() && !o.isGiven(other):
		// {"name": "Laptop", "product_id": "4760268021"}, or an item of a list; but a row
		// that begins with a code of its own refers to the other: sku, name, supplier_id
		if weak := o.weakIdentity(named); weak.field != nil && weak.field.Key == o.First && weak.field.Key.Rank < naming.RankURL && !english.SameNoun(other.Key.Noun, o.Noun) {
			return weak
		}
		return Identity{field: other, why: OnlyTypedID}
	}
	return o.weakIdentity(named)
}

// isGiven reports whether a call that creates something had an identifier among its arguments:
// it is not that of what was created.
func (o *Object) isGiven(fd *Field) bool {
	c := o.call
	return c.Tool.Effect == naming.EffectCreated && c.TypeOf != nil && c.TypeOf(fd.Text) != "" && !english.SameNoun(fd.Key.Noun, c.Tool.Noun)
}

// hasBlankID reports whether a record has an id field without a value.
func (o *Object) hasBlankID() bool {
	return o.Blank || o.hasField(func(fd *Field) bool {
		return fd.Key.Class == naming.ClassID && !fd.Nested && !fd.Key.Plural && !fd.isID()
	})
}

// Fields rank as identifiers of their record by classes, best first. The rank of the
// key in its class is added.
const (
	rankOwnTyped = 5
	// rankSameNoun is the rank of order_id in an order.
	rankSameNoun = 10
	// rankWrapper is the rank of item_id among items.
	rankWrapper = 15
	// rankToolFirst is the rank of a first key whose noun is in the tool's name.
	rankToolFirst = 20
	rankFirst     = 30
	rankTool      = 40
	// rankTraced is the rank of a request's id where requests are what the tool is about.
	rankTraced = 45
	// rankNamesake is the rank of a code under the noun of the record itself.
	rankNamesake = 60
	// noIdentity is the rank of fields that identify nothing, behind all others.
	noIdentity = 100
)

// rankReason returns why a field of a rank identifies its record.
func rankReason(rank int) Reason {
	switch {
	case rank < rankOwnTyped:
		return OwnID
	case rank < rankToolFirst:
		return OwnTypedID
	case rank < rankTraced:
		return FirstTypedID
	case rank < rankNamesake:
		return TracedID
	}
	return Namesake
}

// identityRank ranks a field as an identifier of its record, lowest first. It returns
// noIdentity for other fields.
func (o *Object) identityRank(fd *Field) int {
	k := fd.Key
	switch k.Class {
	case naming.ClassID:
		if !k.Plural && fd.isID() && !(o.Around != nil && string(fd.Text) == "0") { // no image
			return int(k.Rank)
		}
	case naming.ClassTypedID:
		if k.Plural || !fd.isTypedID() || k.Noun == naming.PageToken {
			return noIdentity
		}
		switch {
		case fd.own:
			return rankOwnTyped
		case o.Noun != "" && english.SameNoun(k.Noun, o.Noun):
			return rankSameNoun + int(k.Rank)
		case o.Wrapper != "" && english.SameNoun(k.Noun, o.Wrapper):
			return rankWrapper + int(k.Rank)
		case o.ByID && !isIndex(o.Key.Name) && string(fd.Text) != o.Key.Name: // another entity's
			return noIdentity
		case o.Inherited && o.isToolNoun(k.Noun) && o.First == k:
			return rankToolFirst + int(k.Rank)
		case o.First == k && (k.Rank <= 3 || shape.HasDigit(fd.Text)):
			return rankFirst + int(k.Rank)
		case o.Inherited && k.Rank == 0 && o.isToolNoun(k.Noun):
			return rankTool
		}
	case naming.ClassTrace:
		if (english.SameNoun(k.Noun, o.Noun) || o.Inherited && o.isToolNoun(k.Noun)) && fd.looksLikeID() { // inspect_request
			return rankTraced
		}
	case naming.ClassPlain:
		if o.isNamesake(fd) {
			return rankNamesake
		}
	}
	return noIdentity
}

// isToolNoun reports whether the tool's name contains the last word of a noun.
func (o *Object) isToolNoun(noun string) bool {
	return slices.Contains(o.call.Tool.Words, naming.LastWord(noun))
}

// namesake returns a record's first namesake field, or nil.
func (o *Object) namesake() *Field {
	for i := range o.Fields {
		if fd := &o.Fields[i]; !fd.Nested && o.isNamesake(fd) {
			return fd
		}
	}
	return nil
}

// isNamesake reports whether a field has the name of the record's type and holds a
// code: {"departments": [{"department": "D-661", "title": "Finance"}]}.
func (o *Object) isNamesake(fd *Field) bool {
	k := fd.Key
	if k.Snake == "version" && fd.Kind == document.String {
		return o.Listed && vocabulary.VersionedNouns.Has(naming.LastWord(o.Noun)) && fd.isID()
	}
	if k.Class != naming.ClassPlain || k.Plural && !(o.isRow() && len(o.Fields) == 1) || !k.Traits.Has(naming.TraitRefers) || !english.IsHead(k.Noun, o.Noun) {
		return false
	}
	if fd.Kind == document.Number {
		return fd.looksLikeID() && fd.isID()
	}
	return fd.Kind == document.String && fd.isID() &&
		(shape.MayLookLikeID(fd.Text) && fd.shape() >= shape.MaybeID || o.isRow() && k == o.First && shape.IsHandle(fd.Text))
}

// isIndex reports whether the key of a map may be a mere index: "0", "12".
func isIndex(key string) bool { return len(key) <= 4 && shape.IsDigits([]byte(key)) }

// weakIdentity returns a key, number, code, SKU or path as identifier of a record
// without a better one.
func (o *Object) weakIdentity(named bool) Identity {
	if o.isRow() && o.First.Class == naming.ClassName { // before the path of its configuration
		if fd := o.namedIdentity(); fd != nil && fd.Key == o.First {
			return Identity{field: fd, why: NameAsID}
		}
	}
	if o.has.Has(naming.TraitRow) {
		if fd := o.leading(); fd != nil && fd.Key.Traits.Has(naming.TraitRow) {
			return Identity{field: fd, why: LeadingCode}
		}
	}
	var best *Field
	for i := range o.Fields {
		fd := &o.Fields[i]
		if !fd.Nested && fd.Key.Class == naming.ClassWeakID && (best == nil || fd.Key.Rank < best.Key.Rank) && o.isWeakID(fd, named) {
			best = fd
		}
	}
	if best == nil {
		best = o.namedIdentity()
		if opaque := o.opaqueID(); best == nil && opaque != nil {
			return Identity{field: opaque, why: OnlyTypedID}
		}
		return Identity{field: best, why: NameAsID}
	}
	return Identity{field: best, why: WeakID}
}

// opaqueID returns the identifier for machines of a listed or outermost record that has no
// other: the node_id of a thread.
func (o *Object) opaqueID() *Field {
	if !o.Listed && !o.Outermost || o.call.Tool.Noun == "" || !o.Inherited || o.call.Failed {
		return nil
	}
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.Key.Opaque() && !fd.Nested && !fd.Key.Plural && fd.Key.Noun != naming.PageToken && fd.isID() && shape.Of(fd.Text) == shape.SurelyID {
			return fd
		}
	}
	return nil
}

// isWeakID reports whether the value of a weak identifier can be one. A code beside a
// message is a status, and a short word needs a name beside it.
func (o *Object) isWeakID(fd *Field, named bool) bool {
	text := fd.Text
	if !fd.isID() {
		return false
	}
	switch {
	case fd.Key.Traits.Has(naming.TraitClock):
		return true
	case fd.Key.Rank >= naming.RankURL:
		isResource := o.hasField(func(fd *Field) bool { return fd.Key.Snake == "mime_type" }) // of the Model Context Protocol
		return (named || isResource || o.Listed && fd.Key.Rank == naming.RankSelf) && isAddressOf(fd) || shape.IsURN(text)
	case fd.Key.Rank >= naming.RankSlug:
		return fd.Kind == document.String && !o.call.Failed
	case fd.Key.Name == "reference" && bytes.IndexByte(text, '/') > 0: // FHIR: Practitioner/929177
		return true
	case fd.Kind == document.Number && o.isNumbered(fd):
		return true
	case fd.Kind == document.Number:
		first := o.First == fd.Key && o.Inherited && len(o.Fields) > 2 && (o.Listed || string(text) == o.call.Own.ID)
		first = first || o.First == fd.Key && o.Outermost && o.call.Tool.Noun != "" && (len(o.Fields) > 2 || o.call.Tool.Effect == naming.EffectCreated) && fd.Key.Snake == "number"
		return (named || first) && fd.Key.Rank <= 1 || fd.Key.Rank == naming.RankPrinted && fd.looksLikeID()
	}
	return named || fd.looksLikeID() || o.isNumbered(fd) || o.Listed && o.First == fd.Key && len(o.Fields) > 1 && shape.IsUpperWord(text)
}

// isNumbered reports whether a field is the number at the start of an item of a list of things that
// have one, rather than are counted: {"rooms": [{"number": "101", "beds": 2}]}.
func (o *Object) isNumbered(fd *Field) bool {
	return fd.Key.Rank == 0 && o.First == fd.Key && o.Listed && len(o.Fields) > 1 && shape.HasDigit(fd.Text) &&
		(o.Inherited || o.List != nil && o.List.Traits.Has(naming.TraitThing)) && !vocabulary.OrdinalNouns.Has(naming.LastWord(o.Noun))
}

// isAddressOf reports whether a link may be the address of one thing: https://… or, where the key is
// not that of a link for people, /calendars/ann/work/.
func isAddressOf(fd *Field) bool {
	return bytes.Contains(fd.Text, []byte("://")) || fd.Key.Snake != "url" && len(fd.Text) > 1 && fd.Text[0] == '/' && bytes.IndexByte(fd.Text, '?') < 0
}

// namedIdentity returns a name built like an identifier, web-7d9f8b-x2x1z, or a
// single-word name, prod-db, in a record of the tool's type.
func (o *Object) namedIdentity() *Field {
	stated := o.hasField(func(fd *Field) bool { return fd.Key.Class == naming.ClassType && !fd.Nested && o.isNamedBy(fd) })
	listed := o.Listed && o.Noun != "" && (o.Inherited || o.Noun == o.call.Tool.Noun) || o.isRow() || o.isManifest()
	handled := o.InList && vocabulary.HandledNouns.Has(naming.LastWord(o.Noun)) && naming.LastWord(o.Noun) == naming.LastWord(o.call.Tool.Noun)
	listed = listed || o.call.Tool.Effect == naming.EffectCreated && !o.InList && o.Noun == o.call.Tool.Noun && o.Noun != "" // of a thing that was made
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.Nested || fd.Kind != document.String || fd.Key.Class != naming.ClassName && fd.Key.Class != naming.ClassTypedName {
			continue
		}
		s := fd.shape()
		if len(o.Fields) == 1 && fd.Key.Class == naming.ClassTypedName && o.Listed && english.SameNoun(fd.Key.Noun, o.Noun) && bytes.IndexByte(fd.Text, ' ') < 0 {
			return fd // a table of one column: TABLE_NAME
		}
		if kind, _ := o.kindAndName(fd.Text); kind != "" {
			return fd
		}
		if stated && fd.Key.Class == naming.ClassName && IsPlausibleID(fd.Kind, fd.Text, true) {
			return fd
		}
		if s >= shape.LikelyID || handled && shape.IsHandle(fd.Text) || isResourceName(fd) || listed && (s == shape.MaybeID || o.call.Tool.Lists) && shape.IsHandle(fd.Text) {
			return fd
		}
	}
	return nil
}

// isResourceName reports whether a field has the name of a resource with its collection, by which
// Google's APIs take it: people/c4417.
func isResourceName(fd *Field) bool {
	return fd.Key.Snake == "resource_name" && bytes.IndexByte(fd.Text, '/') > 0 && bytes.IndexByte(fd.Text, ' ') < 0
}

// isNamedBy reports whether a stated type is that of things which their names identify: the nodes of
// a graph, {"name": "Ann Lee", "entityType": "person"}, and the entries of a directory.
func (o *Object) isNamedBy(typ *Field) bool {
	return typ.Key.Rank <= 1 || vocabulary.MixedNouns.Has(o.Noun) || vocabulary.TreeNouns.Has(strings.ToLower(string(typ.Text)))
}

// isRow reports whether an object is a row that a command lists.
func (o *Object) isRow() bool { return o.call.Tool.Lists && o.Listed && o.Inherited }

// isManifest reports whether an object describes a resource of Kubernetes, which its name
// identifies.
func (o *Object) isManifest() bool {
	return o.hasField(func(fd *Field) bool { return fd.Key.Snake == "api_version" && !fd.Nested })
}

// leading returns the code that starts a row without an identifier, {"item":
// "qz75622-001", "stem": …}. It returns nil if the first text is not a code or may
// belong to another entity.
func (o *Object) leading() *Field {
	alone := o.Outermost && !o.HasParts
	if o.call.Failed || len(o.Fields) < 2 || !alone && !o.Listed {
		return nil
	}
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.Nested || fd.Kind != document.String && fd.Key != o.First || fd.Key.Name == "heading" { // what the row is called
			continue
		}
		if fd.Key.Class == naming.ClassPlain && (!alone || fd.Key.Traits.Has(naming.TraitRow)) && isRowCode(fd) && fd.isID() {
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
func isRowCode(fd *Field) bool {
	text, t := fd.Text, fd.Key.Traits
	switch {
	case strings.HasSuffix(fd.Key.Snake, "id") && fd.looksLikeID(): // zpid
		return true
	case !shape.MayLookLikeID(text) || shape.IsDigits(text) || bytes.IndexByte(text, '!') > 0: // or cells of a sheet
		return false
	case t.Has(naming.TraitRow):
		return fd.shape() >= shape.LikelyID || shape.IsNumberBehindLetters(text)
	}
	return t.Has(naming.TraitRefers) && !t.Has(naming.TraitThing) && (fd.shape() == shape.SurelyID || shape.IsSerialCode(text))
}
