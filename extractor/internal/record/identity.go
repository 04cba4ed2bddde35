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
	if o.has.Has(naming.TraitEnvelope) || o.Void || o.Property { // JSON-RPC's id is that of the request
		return Identity{}
	}
	var best, other *Field // other is the only typed id
	bestRank := noIdentity
	typed, named := 0, false
	for fd := range o.own() {
		if fd.Key.Opaque() || o.isPosition(fd) {
			continue
		}
		named = named || fd.Key.Class == naming.ClassName && fd.Key.Name != "slug"
		if fd.Key.Class == naming.ClassTypedID && fd.mayIdentify() {
			typed++
			other = fd
		}
		if rank := o.identityRank(fd); rank < bestRank {
			best, bestRank = fd, rank
		}
	}
	switch {
	case best != nil:
		return Identity{field: best, why: Reason(bestRank / ranks)}
	case o.Blank:
		return Identity{}
	case o.ByID:
		return Identity{key: o.Key.Name, why: MapKey}
	case o.Key != nil && o.Key.Traits.Has(naming.TraitPart):
		return Identity{}
	case typed == 1 && (named || o.Listed) && !o.isGiven(other):
		// {"name": "Laptop", "product_id": "4760268021"}, or an item of a list; but a row
		// that begins with a code of its own refers to the other: sku, name, supplier_id
		if weak := o.weakIdentity(named); weak.field != nil && weak.field.Key == o.First {
			return weak
		}
		return Identity{field: other, why: OnlyTypedID}
	}
	return o.weakIdentity(named)
}

// isPosition reports whether a field is a position in a series whose length another field gives:
// {"pageNumber": 2, "totalPages": 7}.
func (o *Object) isPosition(fd *Field) bool {
	return fd.Kind == document.Number && fd.Key.Class == naming.ClassTypedID && o.find(func(total *Field) bool {
		noun, isTotal := strings.CutPrefix(total.Key.Snake, "total_")
		return isTotal && english.SameNoun(fd.Key.Noun, english.Singular(noun))
	}) != nil
}

// isGiven reports whether a call that creates something had an identifier among its arguments:
// it is not that of what was created.
func (o *Object) isGiven(fd *Field) bool {
	return o.call.Tool.Effect == naming.EffectCreated && o.call.TypeOf(fd.Text) != ""
}

// Fields rank as identifiers of their record first by the reason and then by a number below
// ranks, to which the rank of the key in its class is added.
const ranks = 100

const (
	rankOwnTyped = int(OwnTypedID) * ranks
	// rankSameNoun is the rank of order_id in an order.
	rankSameNoun = rankOwnTyped + 10
	// rankWrapper is the rank of item_id among items.
	rankWrapper = rankOwnTyped + 20
	// rankToolFirst is the rank of a first key whose noun is in the tool's name.
	rankToolFirst = int(FirstTypedID) * ranks
	rankFirst     = rankToolFirst + 10
	rankTool      = rankToolFirst + 20
	// noIdentity is the rank of fields that identify nothing, behind all others.
	noIdentity = int(WeakID) * ranks
)

// identityRank ranks a field as an identifier of its record, lowest first. It returns
// noIdentity for other fields.
func (o *Object) identityRank(fd *Field) int {
	k := fd.Key
	switch {
	case k.Class == naming.ClassID && !k.Plural && fd.isID() && !(o.Around != nil && string(fd.Text) == "0"): // no image
		return int(OwnID)*ranks + int(k.Rank)
	case k.Class == naming.ClassTypedID && fd.mayIdentify():
		return o.typedRank(fd) + int(k.Rank)
	case k.Class == naming.ClassTrace && (english.SameNoun(k.Noun, o.Noun) || o.isToolNoun(k.Noun)) && fd.looksLikeID(): // inspect_request
		return int(TracedID) * ranks
	case k.Class == naming.ClassPlain && o.isNamesake(fd):
		return int(Namesake) * ranks
	}
	return noIdentity
}

// typedRank is identityRank for typed identifiers.
func (o *Object) typedRank(fd *Field) int {
	k := fd.Key
	switch {
	case fd.own:
		return rankOwnTyped
	case english.SameNoun(k.Noun, o.Noun):
		return rankSameNoun
	case o.Wrapper != "" && english.SameNoun(k.Noun, o.Wrapper):
		return rankWrapper
	case o.ByID && !isIndex(o.Key.Name) && string(fd.Text) != o.Key.Name: // another entity's
	case o.First == k && o.isToolNoun(k.Noun):
		return rankToolFirst
	case o.First == k && (k.Rank <= 3 || shape.HasDigit(fd.Text)):
		return rankFirst
	case k.Rank == 0 && o.isToolNoun(k.Noun):
		return rankTool
	}
	return noIdentity
}

// isToolNoun reports whether the tool's name, which gives the type, contains the last word of a noun.
func (o *Object) isToolNoun(noun string) bool {
	return o.Inherited && slices.Contains(o.call.Tool.Words, naming.LastWord(noun))
}

// isNamesake reports whether a field has the name of the record's type and holds a
// code: {"departments": [{"department": "D-661", "title": "Finance"}]}.
func (o *Object) isNamesake(fd *Field) bool {
	k, first := fd.Key, o.isRow() && fd.Key == o.First
	switch {
	case k.Snake == "version" && fd.Kind == document.String:
		return o.Listed && vocabulary.VersionedNouns.Has(naming.LastWord(o.Noun))
	case k.Plural && !(first && len(o.Fields) == 1) || !k.Traits.Has(naming.TraitRefers) || !english.IsHead(k.Noun, o.Noun):
		return false
	case fd.Kind == document.Number:
		return fd.looksLikeID()
	}
	return fd.isID() && (shape.HasDigit(fd.Text) && fd.shape() >= shape.MaybeID || first && shape.IsHandle(fd.Text))
}

// isIndex reports whether the key of a map may be a mere index: "0", "12".
func isIndex(key string) bool { return len(key) <= 4 && shape.IsDigits([]byte(key)) }

// weakIdentity returns a key, number, code, SKU or path as identifier of a record
// without a better one.
func (o *Object) weakIdentity(named bool) Identity {
	byName := o.namedIdentity()
	if o.isRow() && byName != nil && byName.Key == o.First && byName.Key.Class == naming.ClassName { // before the path of its configuration
		return Identity{field: byName, why: NameAsID}
	}
	if fd := o.leading(); fd != nil && fd.Key.Traits.Has(naming.TraitRow) {
		return Identity{field: fd, why: LeadingCode}
	}
	var best *Field
	for fd := range o.own() {
		if fd.Key.Class == naming.ClassWeakID && (best == nil || fd.Key.Rank < best.Key.Rank) && o.isWeakID(fd, named) {
			best = fd
		}
	}
	switch {
	case best != nil:
		return Identity{field: best, why: WeakID}
	case byName != nil:
		return Identity{field: byName, why: NameAsID}
	}
	return Identity{field: o.opaqueID(), why: OnlyTypedID}
}

// opaqueID returns the identifier for machines of a listed or outermost record that has no
// other: the node_id of a thread.
func (o *Object) opaqueID() *Field {
	if !o.Listed && !o.Outermost {
		return nil
	}
	return o.find(func(fd *Field) bool {
		return fd.Key.Opaque() && !fd.Nested && fd.Key.Noun != naming.PageToken && fd.isID() && fd.shape() == shape.SurelyID
	})
}

// isWeakID reports whether the value of a weak identifier can be one. A code beside a
// message is a status, and a short word needs a name beside it.
func (o *Object) isWeakID(fd *Field, named bool) bool {
	k := fd.Key
	switch {
	case !fd.isID():
		return false
	case k.Traits.Has(naming.TraitClock):
		return true
	case k.Rank >= naming.RankURL:
		isResource := func(fd *Field) bool { return fd.Key.Snake == "mime_type" } // of the Model Context Protocol
		return (named || o.Listed && k.Rank == naming.RankSelf || o.find(isResource) != nil) && isAddressOf(fd) || shape.IsURN(fd.Text)
	case k.Rank >= naming.RankSlug:
		return fd.Kind == document.String
	case k.Name == "reference" && bytes.IndexByte(fd.Text, '/') > 0, o.isNumbered(fd): // FHIR: Practitioner/929177
		return true
	case fd.Kind == document.Number:
		isFirst := o.First == k && o.Outermost && k.Snake == "number" && (len(o.Fields) > 2 || o.call.Tool.Effect == naming.EffectCreated)
		return (named || isFirst) && k.Rank <= 1 || k.Rank == naming.RankPrinted && fd.looksLikeID()
	}
	return named || fd.looksLikeID() || o.Listed && o.First == k && shape.IsUpperWord(fd.Text)
}

// isNumbered reports whether a field is the number at the start of an item of a list of things that
// have one, rather than are counted: {"rooms": [{"number": "101", "beds": 2}]}.
func (o *Object) isNumbered(fd *Field) bool {
	return o.Listed && o.First == fd.Key && fd.Key.Rank == 0 && len(o.Fields) > 1 && shape.HasDigit(fd.Text) &&
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
	isTools := o.Noun != "" && o.Noun == o.call.Tool.Noun
	stated := o.find(func(fd *Field) bool { return fd.Key.Class == naming.ClassType && !fd.Nested && o.isNamedBy(fd) }) != nil
	noun := naming.LastWord(o.Noun)
	listed := o.Listed && (o.Inherited && o.Noun != "" || isTools) || o.isRow() || o.isManifest() || isTools && o.call.Tool.Effect == naming.EffectCreated // of a thing that was made
	handled := o.InList && vocabulary.HandledNouns.Has(noun) && noun == naming.LastWord(o.call.Tool.Noun)
	for fd := range o.own() {
		if fd.Kind != document.String || fd.Key.Class != naming.ClassName && fd.Key.Class != naming.ClassTypedName {
			continue
		}
		kind, _ := o.kindAndName(fd.Text)
		switch {
		case kind != "", fd.looksLikeID(), fd.Key.Snake == "resource_name" && bytes.IndexByte(fd.Text, '/') > 0: // Google's: people/c4417
			return fd
		case stated && fd.Key.Class == naming.ClassName && IsPlausibleID(fd.Kind, fd.Text, true):
			return fd
		case (handled || listed && (fd.shape() == shape.MaybeID || o.call.Tool.Lists)) && shape.IsHandle(fd.Text):
			return fd
		case len(o.Fields) == 1 && o.Listed && fd.Key.Class == naming.ClassTypedName && english.SameNoun(fd.Key.Noun, o.Noun) && bytes.IndexByte(fd.Text, ' ') < 0:
			return fd // a table of one column: TABLE_NAME
		}
	}
	return nil
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
	return o.find(func(fd *Field) bool { return fd.Key.Snake == "api_version" }) != nil
}

// leading returns the code that starts a row without an identifier, {"item":
// "qz75622-001", "stem": …}. It returns nil if the first text is not a code or may
// belong to another entity.
func (o *Object) leading() *Field {
	fd := o.find(func(fd *Field) bool {
		return (fd.Kind == document.String || fd.Key == o.First) && !fd.Nested && fd.Key.Name != "heading" // what the row is called
	})
	if len(o.Fields) > 1 && fd != nil && fd.Key.Class == naming.ClassPlain && (o.Listed || fd.Key.Traits.Has(naming.TraitRow)) && isRowCode(fd) && fd.isID() {
		return fd
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
	case shape.IsDigits(text) || bytes.IndexByte(text, '!') > 0: // or cells of a sheet
		return false
	case t.Has(naming.TraitRow):
		return fd.looksLikeID() || shape.IsNumberBehindLetters(text)
	}
	return t.Has(naming.TraitRefers) && !t.Has(naming.TraitThing) && (fd.shape() == shape.SurelyID || shape.IsSerialCode(text))
}
