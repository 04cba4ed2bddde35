package naming

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
)

// Class classifies field names by what their values mean.
type Class uint8

const (
	// ClassPlain is a fact, or the noun of the value's records.
	ClassPlain Class = iota
	// ClassID identifies its record: id, _id, uuid.
	ClassID
	// ClassTypedID identifies an entity of the type in its name, order_id or
	// flightNumber: the record itself or another one (a foreign key).
	ClassTypedID
	// ClassWeakID identifies a record without a better identifier: key, number, code,
	// sku, path.
	ClassWeakID
	// ClassName names the record: name, title, subject.
	ClassName
	// ClassTypedName names an entity of the type in its name: page_name,
	// sectionTitle.
	ClassTypedName
	// ClassType gives the record's type: type, kind, __typename.
	ClassType
	// ClassSecret holds a secret: password, api_key. Its text is never read; of the values below
	// it, only names of secrets are.
	ClassSecret
	// ClassMapKey is an identifier used as a key: {"4202497723": {…}}.
	ClassMapKey
	// ClassTrace identifies a request, a trace or the like, by the name's noun. It is not a
	// record, but a tool may take it.
	ClassTrace
	// ClassLink is a link to the thing in the name's noun: html_url, avatar_href.
	ClassLink
	// ClassNoise is neither an identifier nor a useful fact: timestamps, links,
	// checksums.
	ClassNoise
)

// Key describes a field name. It is immutable.
type Key struct {
	// Name is the name as it was written, without secrets.
	Name string
	// Snake is the name in lower case, its words joined by "_"; empty for identifiers.
	Snake string
	// Class is the meaning of the field's value.
	Class Class
	// Rank orders keys of a class, best first.
	Rank uint8
	// Noun is the type in the name of a typed class (order of order_id), else the
	// type of the value's records (page of pages). It is empty if the name is
	// generic: data, results.
	Noun string
	// Wrapper is item for keys such as items and order_items, which hardly describe
	// their values. It is a type only inside a record.
	Wrapper string
	// Plural is set for names of lists: pages, item_ids.
	Plural bool
	// Given and Family mark the parts of a person's name.
	Given, Family bool
	// Traits are further properties.
	Traits Traits
	// Shape is the form of the name as an identifier.
	Shape shape.Shape
}

// isPlain reports whether a name needs no quotes in a path.
func isPlain(key string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return strings.Trim(key, letters+"0123456789") == "" && strings.IndexAny(key, letters) == 0
}

// IsID reports whether the name is that of an identifier: id, order_id.
func (k *Key) IsID() bool { return k.Class == ClassID || k.Class == ClassTypedID }

// Opaque reports whether the name is that of an identifier beside the usual ones, for machines or
// other systems: node_id, routing_number.
func (k *Key) Opaque() bool { return k.Class == ClassTypedID && !k.Traits.Has(TraitRefers) }
