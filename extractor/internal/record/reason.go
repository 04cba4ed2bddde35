package record

import (
	"cmp"
	"strings"
)

// Reason tells what a value was taken for and why, as "role: reason". It is empty for a value that was
// not considered as an identifier.
type Reason string

// The reasons.
const (
	Undecided      Reason = ""
	Fact           Reason = "label: tells the record apart"
	Name           Reason = "label: names the record"
	OwnID          Reason = "record: its key is that of an identifier"
	OwnTypedID     Reason = "record: its key names the identifier of what the record is"
	FirstTypedID   Reason = "record: the record begins with it, and its key is that of an identifier"
	OnlyTypedID    Reason = "record: the only identifier of a record with a name or in a list"
	TracedID       Reason = "record: the tool's name says that it is about such identifiers"
	Namesake       Reason = "record: a code under the name of what the record is"
	WeakID         Reason = "record: no better identifier: a number, key, code or path"
	NameAsID       Reason = "record: no better identifier: a name that programs use"
	LeadingCode    Reason = "record: no better identifier: a code at the start of a row"
	MapKey         Reason = "record: its key in a map of records"
	Adopted        Reason = "record: the call's argument identifies it"
	NamedInMap     Reason = "record: an entry in a map from names to identifiers"
	KeyInMap       Reason = "record: a key in a map from identifiers to names"
	Alias          Reason = "alias: a further identifier of its record"
	ForeignKey     Reason = "reference: its key names something else"
	OwnPrefix      Reason = "reference: it begins with the noun of its key"
	NamedReference Reason = "reference: an identifier behind a name"
	CodeOfThing    Reason = "reference: a code whose key names a thing"
	Listed         Reason = "reference: an item of a list of identifiers"
	ListedOwn      Reason = "record: an item of the tool's list of identifiers"
	Announced      Reason = "record: the words around it announce it"
	Candidate      Reason = "candidate: looks like an identifier, and no record says what it is"
	Secret         Reason = "nothing: may be a secret"
	Noise          Reason = "nothing: its key is that of times, checksums and the like"
	StatedType     Reason = "nothing: states the type of its record"
	LinkOfRecord   Reason = "nothing: leads to the record, which has an identifier"
	WrittenLink    Reason = "nothing: a link in a text that a person may have written"
	OwnAddress     Reason = "nothing: the address of what the record is about, which has an identifier"
	NoIdentifier   Reason = "nothing: no identifier looks like that"
	Figure         Reason = "nothing: a figure"
	NoRoom         Reason = "nothing: beyond the limits"
	ByRule         Reason = "record: a rule reads it"
)

// Is returns what the value was taken for: record, alias, reference, candidate, label or
// nothing.
func (r Reason) Is() string {
	is, _, _ := strings.Cut(string(r), ": ")
	return cmp.Or(is, "nothing")
}

// String returns the reason without the role.
func (r Reason) String() string {
	_, why, _ := strings.Cut(string(r), ": ")
	return cmp.Or(why, "nothing takes it for an identifier")
}

// TypeReason is the source of a record's type.
type TypeReason string

// The sources of types, in order of precedence. The source of an unknown type is empty.
const (
	TypeUnknown        TypeReason = ""
	TypeOfRule         TypeReason = "a rule"
	TypeStated         TypeReason = "stated by the record"
	TypeOfKey          TypeReason = "the identifier's key"
	TypeOfSurroundings TypeReason = "the key of the record or its list"
	TypeOfTool         TypeReason = "the tool"
)
