package record

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
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
	var best Identity
	var other *Field // the only typed id
	bestRank, typed, named := 0, 0, false
	for fd := range o.own() {
		if fd.Key.Opaque() || o.isPosition(fd) {
			continue
		}
		named = named || fd.Key.Class == naming.ClassName && fd.Key.Name != "slug"
		if fd.Key.Class == naming.ClassTypedID && fd.mayIdentify() {
			typed++
			other = fd
		}
		if rank, why := o.identityRank(fd); why != Undecided && (best.field == nil || rank < bestRank) {
			best, bestRank = Identity{field: fd, why: why}, rank
		}
	}
	switch {
	case best.field != nil:
		return best
	case o.Blank:
		return Identity{}
	case o.ByID:
		return Identity{key: o.Key.Name, why: MapKey}
	case o.Key != nil && o.Key.Traits.Has(naming.TraitPart):
		return Identity{}
	}
	weak := o.weakIdentity(named)
	isGiven := typed == 1 && o.call.Tool.Effect == naming.EffectCreated && o.call.TypeOf(other.Text) != "" // so it is not what was created
	if typed == 1 && (named || o.Listed) && !isGiven && (weak.field == nil || weak.field.Key != o.First) {
		// {"name": "Laptop", "product_id": "4760268021"}, or an item of a list; but a row
		// that begins with a code of its own refers to the other: sku, name, supplier_id
		return Identity{field: other, why: OnlyTypedID}
	}
	return weak
}

// isPosition reports whether a field is a position in a series whose length is in another field:
// {"thoughtNumber": 2, "totalThoughts": 7}.
func (o *Object) isPosition(fd *Field) bool {
	return fd.Kind == document.Number && fd.Key.Class == naming.ClassTypedID && o.find(func(total *Field) bool {
		noun, isTotal := strings.CutPrefix(total.Key.Snake, "total_")
		return isTotal && english.SameNoun(fd.Key.Noun, english.Singular(noun))
	}) != nil
}

// identityRank returns why a field may identify its record, Undecided if it does not, and its rank
// among such fields, lowest first.
func (o *Object) identityRank(fd *Field) (rank int, why Reason) {
	const typed, first, last = 100, 200, 300 // above the ranks of keys
	k := fd.Key
	rank = int(k.Rank)
	switch {
	case k.Class == naming.ClassID && !k.Plural && fd.isID() && !(o.Around != nil && string(fd.Text) == "0"): // no image
		return rank, OwnID
	case k.Class == naming.ClassTrace && (english.SameNoun(k.Noun, o.Noun) || o.isToolNoun(k.Noun)) && fd.looksLikeID(): // inspect_request
		return last, TracedID
	case k.Class == naming.ClassPlain && o.isNamesake(fd):
		return last + 1, Namesake
	case k.Class != naming.ClassTypedID || !fd.mayIdentify():
	case fd.own:
		return typed + rank, OwnTypedID
	case english.SameNoun(k.Noun, o.Noun): // order_id in an order
		return typed + 10 + rank, OwnTypedID
	case o.Wrapper != "" && english.SameNoun(k.Noun, o.Wrapper): // item_id among items
		return typed + 20 + rank, OwnTypedID
	case o.ByID && len(o.Key.Name) > 4 && string(fd.Text) != o.Key.Name: // another entity's, unless the key is an index
	case o.First == k && (k.Rank <= 3 || shape.HasDigit(fd.Text) || o.isToolNoun(k.Noun)):
		return first + rank, FirstTypedID
	case k.Rank == 0 && o.isToolNoun(k.Noun):
		return first + 20, FirstTypedID
	}
	return 0, Undecided
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

// weakIdentity returns a key, number, code, SKU or path as identifier of a record
// without a better one, else its name, or an identifier for machines: the node_id of a thread.
func (o *Object) weakIdentity(named bool) Identity {
	if fd := o.leading(); fd != nil {
		return Identity{field: fd, why: LeadingCode}
	}
	var best *Field
	for fd := range o.own() {
		if fd.Key.Class == naming.ClassWeakID && (best == nil || fd.Key.Rank < best.Key.Rank) && o.isWeakID(fd, named) {
			best = fd
		}
	}
	if best != nil {
		return Identity{field: best, why: WeakID}
	}
	if fd := o.namedIdentity(); fd != nil {
		return Identity{field: fd, why: NameAsID}
	}
	return Identity{why: OnlyTypedID, field: o.find(func(fd *Field) bool {
		return fd.Key.Opaque() && !fd.Nested && (o.Listed || o.Outermost) && fd.shape() == shape.SurelyID
	})}
}

// isWeakID reports whether the value of a weak identifier can be an identifier. A code beside a
// message is a status, and a short word needs a name beside it.
func (o *Object) isWeakID(fd *Field, named bool) bool {
	k := fd.Key
	switch {
	case !fd.isID():
		return false
	case k.Traits.Has(naming.TraitClock), o.isNumbered(fd), k.Name == "reference" && bytes.IndexByte(fd.Text, '/') > 0: // Patient/p-7
		return true
	case k.Rank >= naming.RankURL:
		isResource := func(fd *Field) bool { return fd.Key.Snake == "mime_type" }            // of the Model Context Protocol
		isPath := k.Snake != "url" && fd.Text[0] == '/' && bytes.IndexByte(fd.Text, '?') < 0 // /calendars/ann/work/, but no link for people
		isAddress := isPath || bytes.Contains(fd.Text, []byte("://"))
		return isAddress && (named || o.Listed && k.Rank == naming.RankSelf || o.find(isResource) != nil) || shape.IsURN(fd.Text)
	case k.Rank >= naming.RankSlug:
		return fd.Kind == document.String
	case fd.Kind == document.Number:
		isFirst := o.First == k && o.Outermost && k.Snake == "number" && (len(o.Fields) > 2 || o.call.Tool.Effect == naming.EffectCreated)
		return (named || isFirst) && k.Rank <= 1 || k.Rank == naming.RankPrinted && fd.looksLikeID()
	}
	return named || fd.looksLikeID() || o.Listed && o.First == k && shape.IsUpperWord(fd.Text)
}

// isNumbered reports whether a field is the number of a list item, at its start, rather than a
// count: {"rooms": [{"number": "101", "beds": 2}]}.
func (o *Object) isNumbered(fd *Field) bool {
	return o.Listed && o.First == fd.Key && fd.Key.Rank == 0 && len(o.Fields) > 1 && shape.HasDigit(fd.Text) &&
		(o.Inherited || o.List != nil && o.List.Traits.Has(naming.TraitThing)) && !vocabulary.OrdinalNouns.Has(naming.LastWord(o.Noun))
}

// namedIdentity returns a name built like an identifier, web-7d9f8b-x2x1z, or a
// single-word name, prod-db, in a record of the tool's type.
func (o *Object) namedIdentity() *Field {
	noun, tool := naming.LastWord(o.Noun), &o.call.Tool
	isTools := o.Noun != "" && o.Noun == tool.Noun
	// The nodes of a graph, {"name": "Ann Lee", "entityType": "person"}, and the entries of a directory.
	isStated := func(fd *Field) bool {
		return fd.Key.Class == naming.ClassType && !fd.Nested &&
			(fd.Key.Rank <= 1 || vocabulary.MixedNouns.Has(o.Noun) || vocabulary.TreeNouns.Has(strings.ToLower(string(fd.Text))))
	}
	isManifest := func(fd *Field) bool { return fd.Key.Snake == "api_version" } // of Kubernetes
	stated := o.find(isStated) != nil
	listed := o.Listed && (o.Inherited && o.Noun != "" || isTools) || isTools && tool.Effect == naming.EffectCreated || o.isRow() ||
		o.find(isManifest) != nil
	handled := o.InList && vocabulary.HandledNouns.Has(noun) && noun == naming.LastWord(tool.Noun)
	return o.find(func(fd *Field) bool {
		isName := fd.Key.Class == naming.ClassName
		if fd.Nested || fd.Kind != document.String || !isName && fd.Key.Class != naming.ClassTypedName {
			return false
		}
		kind, _ := o.kindAndName(fd.Text)
		isPath := fd.Key.Snake == "resource_name" && bytes.IndexByte(fd.Text, '/') > 0                 // Google's: people/c4417
		isColumn := o.Listed && len(o.Fields) == 1 && !isName && english.SameNoun(fd.Key.Noun, o.Noun) // TABLE_NAME
		return kind != "" || fd.looksLikeID() || isPath || isColumn && bytes.IndexByte(fd.Text, ' ') < 0 ||
			stated && isName && IsPlausibleID(fd.Kind, fd.Text, true) ||
			(handled || listed && (fd.shape() == shape.MaybeID || tool.Lists)) && shape.IsHandle(fd.Text)
	})
}

// isRow reports whether an object is a row that a command lists.
func (o *Object) isRow() bool { return o.call.Tool.Lists && o.Listed && o.Inherited }

// leading returns the code that starts a row without an identifier, {"item":
// "qz75622-001", "stem": …}. It returns nil if the first text is not a code or may
// belong to another entity: under a key that only means the row itself, an identifier's shape
// and a letter suffice; under others the value must certainly be a code, and the key must not be
// a common noun for entities.
func (o *Object) leading() *Field {
	fd := o.find(func(fd *Field) bool {
		return (fd.Kind == document.String || fd.Key == o.First) && !fd.Nested && fd.Key.Name != "heading"
	})
	if fd == nil || len(o.Fields) < 2 || fd.Key.Class != naming.ClassPlain || !fd.isID() {
		return nil
	}
	text, t := fd.Text, fd.Key.Traits
	isCode := o.Listed && (strings.HasSuffix(fd.Key.Snake, "id") && fd.looksLikeID() || // zpid
		t.Has(naming.TraitRefers) && !t.Has(naming.TraitThing) && (fd.shape() == shape.SurelyID || shape.IsSerialCode(text)))
	isRow := t.Has(naming.TraitRow) && !shape.IsDigits(text) && (fd.looksLikeID() || shape.IsNumberBehindLetters(text))
	if isCode || isRow {
		return fd
	}
	return nil
}

// maxAliases is the number of identifiers of a record besides the best one.
const maxAliases = 3

// aliases collects the further identifiers of a record, the key of an issue with an id or
// the number of a pull request, and notes which one people use.
func (o *Object) aliases(id Identity, record *finding.Sighting) {
	own := id.field
	hasID := own != nil && own.Key.Class == naming.ClassID
	start := len(o.scratch.text)
	add := func(alias []byte, isPreferred bool) {
		o.scratch.text = append(append(o.scratch.text, '\n'), alias...)
		record.AliasCount++
		if isPreferred && record.Prefers == 0 {
			record.Prefers = record.AliasCount
		}
	}
	for _, opaque := range [...]bool{false, true} { // those for machines last
		for fd := range o.own() {
			if fd == own || fd.Key.Opaque() != opaque || record.AliasCount == maxAliases || bytes.Equal(fd.Text, record.ID) {
				continue
			}
			if named := isUsedName(fd, own, record.Type); named || isAlias(fd, own, record.Type) {
				add(fd.Text, named && own.Kind != document.Number || hasID && peoplesKeys.Has(fd.Key.Snake))
				fd.Became = Alias
			}
		}
	}
	if id.why == NameAsID && record.AliasCount < maxAliases {
		if kind, name := o.kindAndName(record.ID); kind != "" {
			add(name, true)
		}
	}
	record.Aliases = o.scratch.text[start:]
}

// peoplesKeys are fields with an identifier that people use instead of the record's id.
var peoplesKeys = vocabulary.Set{List: `document_id number iid key path identifier short_id display_id login username symbol ticker`}

// isAlias reports whether a field is a further identifier of its record.
func isAlias(fd, own *Field, typ string) bool {
	k, hasID := fd.Key, own != nil && own.Key.Class == naming.ClassID
	switch k.Class {
	case naming.ClassID:
		return !k.Plural && fd.isID()
	case naming.ClassTypedID:
		isOwn := english.SameNoun(k.Noun, typ) || vocabulary.OwnNouns.Has(k.Noun) ||
			k.Rank == 2 && paperNouns.Has(k.Noun) || // the number on the paper that the record is: DocNumber
			own != nil && own.Kind == document.Number && k.Snake == "document_id" && len(fd.Text) == 24 // of a system for content
		return isOwn && !k.Plural && fd.isID() && (k.Rank <= 3 || fd.looksLikeID())
	case naming.ClassWeakID:
		if k.Name == "sha" { // the content of a file, else the commit of a pipeline or a tag
			return own != nil && own.Key.Snake == "path"
		}
		return fd.isID() && (fd.Kind == document.Number && k.Rank == 0 || k.Rank <= 4 && fd.looksLikeID() ||
			hasID && (isShortKey(fd) || k.Rank == naming.RankSlug && shape.IsHandle(fd.Text)) ||
			k.Rank == naming.RankURL && shape.IsURN(fd.Text))
	case naming.ClassName:
		return fd.shape() == shape.SurelyID || own != nil && shape.IsNumberedName(fd.Text) && shape.IsEncoded(own.Text)
	}
	return false
}

var paperNouns = vocabulary.Set{List: `doc document reference`}

// isShortKey reports whether a field is what people call a record that has an id: the key
// of a project, KITE, the symbol of a share, or a login.
func isShortKey(fd *Field) bool {
	switch fd.Key.Snake {
	case "key", "symbol", "ticker":
		return shape.IsUpperWord(fd.Text) || shape.IsProgramName(fd.Text)
	case "login", "username":
		return fd.Kind == document.String && !bytes.ContainsAny(fd.Text, " @")
	}
	return false
}

// isUsedName reports whether tools may take the name of a record instead of its identifier. The name is in
// the style of programs, and the identifier is unwieldy: an ARN, the uid of a Kubernetes object, an address,
// a hash, or the number of a tag.
func isUsedName(fd, own *Field, typ string) bool {
	isName := fd.Key.Class == naming.ClassName || fd.Key.Class == naming.ClassTypedName && english.SameNoun(fd.Key.Noun, typ)
	if own == nil || !isName || fd.Kind != document.String {
		return false
	}
	id := own.Text
	isUnwieldy := own.Key.Name == "uid" || bytes.HasPrefix(id, []byte("arn:")) || bytes.Contains(id, []byte("://")) || shape.IsHash(id)
	return isUnwieldy && (shape.IsProgramName(fd.Text) || shape.IsNumberedName(fd.Text)) ||
		own.Kind == document.Number && vocabulary.HandledNouns.Has(naming.LastWord(typ)) && shape.IsHandle(fd.Text)
}
