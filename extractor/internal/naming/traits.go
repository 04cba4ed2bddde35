package naming

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Traits is a set of further properties of a field name, computed once. The union of
// the traits of several fields tells which lookups can be skipped.
type Traits uint32

const (
	// TraitPlain needs no quotes in a path.
	TraitPlain Traits = 1 << iota
	// TraitHoisted is a part with a record's own fields.
	TraitHoisted
	// TraitPart is a part with codes and names that is not an entity.
	TraitPart
	// TraitValue is the value of a key-value pair.
	TraitValue
	// TraitEnvelope occurs only in the envelope of a protocol.
	TraitEnvelope
	// TraitRefers allows a value to be another entity's id.
	TraitRefers
	// TraitThing has a noun that is common for entities.
	TraitThing
	// TraitType is a type.
	TraitType
	// TraitPerson is a part of a person's name.
	TraitPerson
	// TraitName is a name.
	TraitName
	// TraitIdentifies allows a value to be the record's identifier.
	TraitIdentifies
	// TraitRow marks a code as that of the row and gives no type: item, record.
	TraitRow
	// TraitClock identifies a message by its time in microseconds.
	TraitClock
	// TraitSpaced names things whose names have spaces: path, sheet_title.
	TraitSpaced
	// TraitDescribes is a part that describes the record around it: snippet, details.
	TraitDescribes
	// TraitNames is a part with the name of the record around it: profile, settings.
	TraitNames
	// TraitSetting is the name of a setting or of anything else, and TraitSettingValue its value.
	TraitSetting
	TraitSettingValue
	// TraitState holds the state of the record: status, in_trash.
	TraitState
)

// Has reports whether the set contains any of the given traits.
func (t Traits) Has(of Traits) bool { return t&of != 0 }

// traitsOf returns the traits of a name whose other properties are set.
func traitsOf(k *Key) Traits {
	var t Traits
	set := func(trait Traits, is bool) {
		if is {
			t |= trait
		}
	}
	set(TraitPlain, isPlain(k.Name))
	set(TraitHoisted, vocabulary.HoistedKeys.Has(k.Name))
	set(TraitNames, vocabulary.NamingKeys.Has(k.Snake))
	set(TraitPart, vocabulary.PartKeys.Has(k.Name))
	set(TraitValue, strings.EqualFold(k.Name, "value"))
	set(TraitEnvelope, k.Name == "jsonrpc")
	set(TraitRefers, k.Class == ClassTypedID && !vocabulary.OpaqueNouns.Has(k.Noun) && !strings.HasSuffix(k.Noun, "_node") ||
		k.Class == ClassPlain && k.Noun != "" && !vocabulary.NotReferenced.Has(LastWord(k.Noun)))
	set(TraitThing, vocabulary.EntityNouns.Has(LastWord(k.Noun)))
	set(TraitType, k.Class == ClassType)
	set(TraitPerson, k.Given || k.Family)
	set(TraitName, k.Class == ClassName || k.Class == ClassTypedName || k.Name == "plain_text" || k.Snake == "filename")
	set(TraitRow, k.Class == ClassPlain && vocabulary.RowNouns.Has(k.Snake))
	set(TraitClock, k.Snake == "ts" || k.Snake == "message_ts")
	set(TraitSpaced, vocabulary.SpacedNouns.Has(english.Singular(LastWord(k.Snake))) || vocabulary.SpacedNouns.Has(LastWord(k.Noun)))
	set(TraitSetting, k.Class == ClassName || vocabulary.SettingKeys.Has(k.Snake))
	set(TraitSettingValue, vocabulary.SettingValueKeys.Has(k.Snake))
	set(TraitState, vocabulary.StateKeys.Has(k.Snake) || flagState(k.Snake) != "")
	set(TraitDescribes, k.Class == ClassPlain && vocabulary.DescribingKeys.Has(LastWord(k.Snake)))
	set(TraitIdentifies, slices.Contains([]Class{ClassID, ClassTypedID, ClassTrace, ClassWeakID, ClassName, ClassTypedName}, k.Class))
	return t
}
