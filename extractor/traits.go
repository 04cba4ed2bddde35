package extractor

import "strings"

// traits are a set of what else a name says, worked out once; or of what the
// names of several fields say, to know what need not be looked for.
type traits uint32

const (
	// traitPlain: needs no quotes in a path.
	traitPlain traits = 1 << iota
	// traitHoisted: a part that holds a record's own fields.
	traitHoisted
	// traitPart: a part that has codes and names but is no thing.
	traitPart
	// traitValue: what a pair of key and value holds.
	traitValue
	// traitSlug: a slug.
	traitSlug
	// traitEnvelope: what only a protocol's wrapping has.
	traitEnvelope
	// traitAvailable: says by a false that a record cannot be had.
	traitAvailable
	// traitStatus: says by a word that a record cannot be had.
	traitStatus
	// traitRefers: allows its value to be another thing's id.
	traitRefers
	// traitThing: things are commonly named by its noun.
	traitThing
	// traitType: states a type.
	traitType
	// traitPerson: a part of a person's name.
	traitPerson
	// traitName: names something.
	traitName
	// traitIdentifies: its value may be what identifies a record.
	traitIdentifies
	// traitRow: says no more of a code than that it is of the row: item, record.
	traitRow
	// traitClock: identifies a message by the microsecond it was sent.
	traitClock
	// traitDescribes: a part that says more of the record around it: snippet, details.
	traitDescribes
)

// has reports whether any of the traits in of is in the set.
func (t traits) has(of traits) bool { return t&of != 0 }

// traitsOf are the traits of a name that is classified otherwise.
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
