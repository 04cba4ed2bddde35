package naming

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// State tells whether a thing still exists: Active, a word for how it ended, or "" if
// unknown. It is the State of a memory.Entity.
type State string

// Active is the state of a thing that has not ended.
const Active State = "active"

// IsGone reports whether the thing no longer exists.
func (s State) IsGone() bool { return vocabulary.GoneStates.Has(string(s)) }

// EndState returns the state in which calls of a tool leave their subject: cancelled for
// cancel_order. It is empty if the subject does not end.
func (t *Tool) EndState() State {
	for _, ending := range [...]string{"led", "ped", "ed", "d", "n"} {
		if state := t.Verb + ending; vocabulary.EndingVerbs.Has(t.Verb) && vocabulary.EndedStates.Has(state) {
			return State(state)
		}
	}
	return ""
}

// Restores reports whether calls of a tool restore a thing that ended.
func (t *Tool) Restores() bool { return vocabulary.RestoringVerbs.Has(t.Verb) }

// maxState is the length in bytes of the longest state.
const maxState = 24

// StateOf returns the state that a field states: {"status": "cancelled"}, {"in_trash": true}.
// isFlag is set for a value that is true or false.
func StateOf(k *Key, isFlag bool, text []byte) State {
	if !k.Traits.Has(TraitState) || len(text) > maxState || len(text) == 0 {
		return ""
	}
	if isFlag {
		word := flagState(k.Snake)
		if word != "" && string(text) != "true" {
			return Active
		}
		return State(word)
	}
	var buf [maxState]byte
	switch word := AppendStateWord(buf[:0], text); {
	case vocabulary.EndedStates.HasBytes(word), vocabulary.GoneStates.HasBytes(word):
		return State(word)
	case vocabulary.LivingStates.HasBytes(word):
		return Active
	}
	return ""
}

// IsTrash reports whether a value names the place of deleted things: {"folder": "Trash"}.
func IsTrash(text []byte) bool {
	return len(text) <= maxState && vocabulary.TrashPlaces.HasBytes(AppendStateWord(nil, text))
}

// AppendStateWord appends a state in lower case, its words joined by "_": shutting_down of
// Shutting-Down.
func AppendStateWord(dst, text []byte) []byte {
	for _, c := range text {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '-' || c == ' ':
			c = '_'
		}
		dst = append(dst, c)
	}
	return dst
}

// flagState returns the state that a flag of the given name stands for: trashed for in_trash.
func flagState(name string) string {
	name = strings.TrimPrefix(name, "is_")
	if name == "in_trash" {
		return "trashed"
	}
	if name != "void" && (vocabulary.EndedStates.Has(name) || vocabulary.GoneStates.Has(name)) {
		return name
	}
	return ""
}
