package record

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// MaxFields is the number of fields kept for one object.
const MaxFields = 64

// Field is a scalar of an object, or of a part of it that is not a record itself.
type Field struct {
	Key *naming.Key
	// Text is the value.
	Text []byte
	Kind document.Kind
	// Nested is set for fields of an inner object: facts about the record, not its
	// identity.
	Nested bool
	// Hoisted is set for a type stated by a part of the record, and for a name in a
	// part that describes the record.
	Hoisted bool
	// Child is set for the name of a record in a list of this one.
	Child bool
	// Spaced is set if the key or the tool names things whose names have spaces.
	Spaced bool
	// Type is that of what the field refers to, if an explanation is asked for.
	Type string
	// Called is the name in the same value of what the field refers to: {"value": "24", "name":
	// "Ann Lee"}, or [24, "Ann Lee"].
	Called []byte
	// pass is when the text is added to a description.
	pass pass
	// own is set for a typed identifier found under "id".
	own bool
	// became is what the field was taken for, so far.
	became Reason
	// looks and id cache the results of shape.Of and IsPlausibleID.
	looks judgement[shape.Shape]
	id    judgement[bool]
}

// judgement is a cached property of a value.
type judgement[T any] struct {
	made bool
	is   T
}

func (fd *Field) settle(as Reason) { fd.became = as }

func (fd *Field) settleIf(is bool, as Reason) bool {
	if is {
		fd.became = as
	}
	return is
}

// isTaken reports whether a field is an entity or an alias of one.
func (fd *Field) isTaken() bool { return fd.became >= OwnID && fd.became < Candidate }

// LeaveOut marks a field whose entity was not taken after all.
func (fd *Field) LeaveOut(why Reason) { fd.settle(why) }

// Reason returns the reason for the role of the field.
func (fd *Field) Reason() Reason { return fd.became }

func (fd *Field) shape() shape.Shape {
	if !fd.looks.made {
		fd.looks = judgement[shape.Shape]{true, shape.Of(fd.Text)}
	}
	return fd.looks.is
}

// looksLikeID reports whether a field's value is at least shape.LikelyID.
func (fd *Field) looksLikeID() bool {
	return shape.MayLookLikeID(fd.Text) && fd.shape() >= shape.LikelyID
}

// isID reports whether the value of an identifier's key can be one.
func (fd *Field) isID() bool {
	if !fd.id.made {
		fd.id = judgement[bool]{true, IsPlausibleID(fd.Kind, fd.Text, fd.Spaced) && (!fd.Key.Traits.Has(naming.TraitClock) || shape.IsMessageTime(fd.Text))}
	}
	return fd.id.is
}

// isTypedID reports whether the value of a typed identifier is one. Values of keys
// such as asset_tag must have an identifier's shape.
func (fd *Field) isTypedID() bool {
	return fd.isID() && (fd.Key.Rank < naming.RankTag || fd.looksLikeID())
}

// IsPlausibleID reports whether the value of an identifier's key can be one: a whole
// number, or a string that is not a sentence, with spaces only where spaced is set.
func IsPlausibleID(kind document.Kind, text []byte, spaced bool) bool {
	if len(text) == 0 || len(text) > shape.MaxID {
		return false
	}
	switch kind {
	case document.Number:
		return shape.IsDigits(bytes.TrimPrefix(text, []byte("-"))) || shape.IsMessageTime(text)
	case document.String:
		return (HasLetter(text) || shape.HasDigit(text)) && IsIDText(text, spaced) && bytes.Count(text, []byte(" ")) <= 3 && !shape.IsNoValue(text)
	}
	return false
}

// IsListedID reports whether an item of a list of scalars has the shape of an
// identifier.
func IsListedID(kind document.Kind, text []byte) bool {
	return kind != document.Number && shape.MayLookLikeID(text) && shape.Of(text) >= shape.LikelyID || kind == document.Number && shape.IsDigits(text) && len(text) >= 5
}

// hasField reports whether any field of an object satisfies a condition.
func (o *Object) hasField(is func(*Field) bool) bool {
	return slices.ContainsFunc(o.Fields, func(fd Field) bool { return is(&fd) })
}

// IsSecret reports whether a value under a key, or in its list, is or holds a secret. The key may
// be nil.
func IsSecret(k *naming.Key, text []byte) bool {
	if k != nil && k.IsID() {
		return finding.IsSecretID(k.Noun, text)
	}
	return secret.Within(text)
}
