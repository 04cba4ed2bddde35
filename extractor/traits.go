package extractor

import "strings"

// traits is a set of further properties of a field name, computed once. The union of
// the traits of several fields tells which lookups can be skipped.
type traits uint32

const (
	// traitPlain needs no quotes in a path.
	traitPlain traits = 1 << iota
	// traitHoisted is a part with a record's own fields.
	traitHoisted
	// traitPart is a part with codes and names that is not an entity.
	traitPart
	// traitValue is the value of a key-value pair.
	traitValue
	// traitSlug is a slug.
	traitSlug
	// traitEnvelope occurs only in the envelope of a protocol.
	traitEnvelope
	// traitAvailable marks a record as unavailable by a false.
	traitAvailable
	// traitStatus marks a record as unavailable by a word.
	traitStatus
	// traitRefers allows a value to be another entity's id.
	traitRefers
	// traitThing has a noun that is common for entities.
	traitThing
	// traitType is a type.
	traitType
	// traitPerson is a part of a person's name.
	traitPerson
	// traitName is a name.
	traitName
	// traitIdentifies allows a value to be the record's identifier.
	traitIdentifies
	// traitRow marks a code as that of the row and gives no type: item, record.
	traitRow
	// traitClock identifies a message by its time in microseconds.
	traitClock
	// traitDescribes is a part that describes the record around it: snippet, details.
	traitDescribes
)

// has reports whether the set contains any of the given traits.
func (t traits) has(of traits) bool { return t&of != 0 }

// traitsOf returns the traits of a name whose other properties are set.
func traitsOf(k *keyInfo) traits {
	var t traits
	set := func(trait traits, is bool) {
		if is {
			t |= trait
		}
	}
	set(traitPlain, isPlainKey(k.name))
	set(traitHoisted, hoistedKeys.has(k.name))
	set(traitPart, partKeys.has(k.name))
	set(traitValue, strings.EqualFold(k.name, "value"))
	set(traitSlug, k.name == "slug")
	set(traitEnvelope, k.name == "jsonrpc")
	set(traitAvailable, availabilityKeys.has(k.snake))
	set(traitStatus, k.name == "status" || k.name == "availability")
	set(traitRefers, k.class == classTypedID && !opaqueNouns.has(k.noun) ||
		k.class == classPlain && k.noun != "" && !notReferenced.has(lastWord(k.noun)))
	set(traitThing, entityNouns.has(lastWord(k.noun)))
	set(traitType, k.class == classType)
	set(traitPerson, k.given || k.family)
	set(traitName, k.class == className || k.class == classTypedName || k.name == "plain_text")
	set(traitRow, k.class == classPlain && rowNouns.has(k.snake))
	set(traitClock, k.snake == "ts" || k.snake == "message_ts")
	set(traitDescribes, k.class == classPlain && describingKeys.has(lastWord(k.snake)))
	switch k.class {
	case classID, classTypedID, classWeakID, className, classTypedName:
		t |= traitIdentifies
	}
	return t
}
