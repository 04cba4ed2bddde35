package record

// Reason is the reason for the role of a value. Those from OwnID to Candidate are reasons
// for identifiers.
type Reason uint8

// The reasons. The ranks of identifiers depend on the order of those from OwnID to WeakID.
const (
	Undecided Reason = iota
	Fact
	Name
	OwnID
	OwnTypedID
	FirstTypedID
	OnlyTypedID
	TracedID
	Namesake
	WeakID
	NameAsID
	LeadingCode
	MapKey
	Adopted
	NamedInMap
	KeyInMap
	Alias
	ForeignKey
	OwnPrefix
	NamedReference
	CodeOfThing
	Listed
	ListedOwn
	Announced
	Candidate
	Secret
	Noise
	StatedType
	LinkOfRecord
	WrittenLink
	OwnAddress
	BadLength
	NoIdentifier
	Words
	Figure
	ShortWord
	NoRoom
	ByRule
)

// reasons are the texts and outcomes of the reasons.
var reasons = [...]struct{ is, why string }{
	Undecided:      {"nothing", "nothing takes it for an identifier"},
	Fact:           {"label", "tells the record apart"},
	Name:           {"label", "names the record"},
	OwnID:          {"record", "its key is that of an identifier"},
	OwnTypedID:     {"record", "its key names the identifier of what the record is"},
	FirstTypedID:   {"record", "the record begins with it, and its key is that of an identifier"},
	OnlyTypedID:    {"record", "the only identifier of a record with a name or in a list"},
	TracedID:       {"record", "the tool's name says that it is about such identifiers"},
	Namesake:       {"record", "a code under the name of what the record is"},
	WeakID:         {"record", "no better identifier: a number, key, code or path"},
	NameAsID:       {"record", "no better identifier: a name that programs use"},
	LeadingCode:    {"record", "no better identifier: a code at the start of a row"},
	MapKey:         {"record", "its key in a map of records"},
	Adopted:        {"record", "the call's argument identifies it"},
	NamedInMap:     {"record", "an entry in a map from names to identifiers"},
	KeyInMap:       {"record", "a key in a map from identifiers to names"},
	Alias:          {"alias", "a further identifier of its record"},
	ForeignKey:     {"reference", "its key names something else"},
	OwnPrefix:      {"reference", "it begins with the noun of its key"},
	NamedReference: {"reference", "an identifier behind a name"},
	CodeOfThing:    {"reference", "a code whose key names a thing"},
	Listed:         {"reference", "an item of a list of identifiers"},
	ListedOwn:      {"record", "an item of the tool's list of identifiers"},
	Announced:      {"record", "the words around it announce it"},
	Candidate:      {"candidate", "looks like an identifier, and no record says what it is"},
	Secret:         {"nothing", "may be a secret"},
	Noise:          {"nothing", "its key is that of times, checksums and the like"},
	StatedType:     {"nothing", "states the type of its record"},
	LinkOfRecord:   {"nothing", "leads to the record, which has an identifier"},
	WrittenLink:    {"nothing", "a link in a text that a person may have written"},
	OwnAddress:     {"nothing", "the address of what the record is about, which has an identifier"},
	BadLength:      {"nothing", "too short or too long for an identifier"},
	NoIdentifier:   {"nothing", "no identifier looks like that"},
	Words:          {"nothing", "several words"},
	Figure:         {"nothing", "a figure"},
	ShortWord:      {"nothing", "a short word with a digit under a key that is not an identifier's"},
	NoRoom:         {"nothing", "beyond the limits"},
	ByRule:         {"record", "a rule reads it"},
}

// Is returns what the value was taken for: record, alias, reference, candidate, label or
// nothing.
func (r Reason) Is() string { return reasons[r].is }

// String returns why.
func (r Reason) String() string { return reasons[r].why }

// TypeReason says where a type comes from.
type TypeReason uint8

// The sources of types, in their order.
const (
	TypeUnknown TypeReason = iota
	TypeOfRule
	TypeStated
	TypeOfKey
	TypeOfSurroundings
	TypeOfTool
)

// typeReasons are the texts of the sources.
var typeReasons = [...]string{
	TypeUnknown: "unknown", TypeOfRule: "a rule", TypeStated: "stated by the record", TypeOfKey: "the identifier's key",
	TypeOfSurroundings: "the key of the record or its list", TypeOfTool: "the tool",
}

// String returns the source.
func (r TypeReason) String() string { return typeReasons[r] }
