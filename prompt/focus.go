package prompt

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Focus holds what the last messages of a conversation refer to: the words of the user,
// and the ids that the user and the assistant mention. The zero value is empty. It is
// immutable and safe for concurrent use.
type Focus struct {
	words map[string]int // numbered
	// mentioned are the ids in the last messages of the user and of the assistant.
	mentioned [2]wordSet
	heldOnly  bool // see meaning
}

type wordSet map[string]struct{}

func (s wordSet) has(word string) bool { _, ok := s[word]; return ok }

// maxFocusBytes is the number of bytes, at the end of a text, that a Focus is made from.
const maxFocusBytes = 8 << 10

// NewFocus returns the focus of a message of the user.
func NewFocus(text string) Focus {
	return Focus{}.After(Message{Role: roleUser, Content: text})
}

// After returns the focus after one more message of the conversation, which replaces the
// previous message of its role. Messages of roles other than the user and the assistant
// change nothing, nor do empty ones, such as those of models that only call tools. Only
// the last 8 KiB of a message count.
func (f Focus) After(m Message) Focus {
	text := m.Content[max(0, len(m.Content)-maxFocusBytes):]
	if text == "" {
		return f
	}
	switch m.Role {
	case roleUser:
		f.words = make(map[string]int)
		for word := range plaintext.Words(text) {
			if _, ok := f.words[string(word)]; !ok {
				f.words[string(word)] = len(f.words)
			}
		}
		f.mentioned[0] = idsIn(text)
	case roleAssistant:
		f.mentioned[1] = idsIn(text)
	}
	return f
}

// MapIDs returns the focus with other ids in place of those that are mentioned.
func (f Focus) MapIDs(replace func(id string) string) Focus {
	for i, ids := range f.mentioned {
		if ids == nil {
			continue
		}
		mapped := make(wordSet, len(ids))
		for id := range ids {
			mapped[replace(id)] = struct{}{}
		}
		f.mentioned[i] = mapped
	}
	return f
}

// Bounds of Mentioned. Names are few: anything may have the name of something else. An answer
// with many ids repeats a result, which a stranger may have written.
const (
	maxMentioned = 256 // ids of the user's message
	maxAnswered  = 4   // ids of the assistant's message; of one with more there are none
	maxNamed     = 8   // entities by their names
)

// Mentioned returns the ids that the last messages mention, without types: at most 256 of the
// user's message, and those of the assistant's unless it has more than 4. To these it adds the
// known entities, given newest first, that the user's message names: at most 8, those whose
// type it names too before others.
func (f Focus) Mentioned(known []memory.Entity) []memory.Ref {
	var refs []memory.Ref
	for i, ids := range f.mentioned {
		if i == 1 && len(ids) > maxAnswered {
			continue
		}
		sorted := slices.Sorted(maps.Keys(ids))
		for _, id := range sorted[:min(len(sorted), maxMentioned)] {
			refs = append(refs, memory.Ref{ID: id})
		}
	}
	var typed, others []memory.Ref
	f = f.meaning(known)
	for i := range known {
		switch e := &known[i]; {
		case !f.means(e):
		case f.namesType(e.Type):
			typed = append(typed, memory.Ref{Type: e.Type, ID: e.ID})
		default:
			others = append(others, memory.Ref{Type: e.Type, ID: e.ID})
		}
	}
	named := append(typed, others...)
	return append(refs, named[:min(len(named), maxNamed)]...)
}

// meaning returns the focus on known entities: if one of those that the user's message names
// is held, the held ones are meant, and not whatever else has that name.
func (f Focus) meaning(known []memory.Entity) Focus {
	f.heldOnly = false
	for i := 0; i < len(known) && len(f.words) > 0 && !f.heldOnly; i++ {
		f.heldOnly = known[i].Held && f.names(&known[i])
	}
	return f
}

// means reports whether the user's message names an entity and means it.
func (f Focus) means(e *memory.Entity) bool { return (e.Held || !f.heldOnly) && f.names(e) }

func (f Focus) mentionsID(e *memory.Entity) bool {
	if f.mentioned[0] == nil && f.mentioned[1] == nil {
		return false
	}
	return slices.ContainsFunc(f.mentioned[:], func(ids wordSet) bool { return ids.has(e.ID) || slices.ContainsFunc(e.Aliases, ids.has) })
}

// names reports whether the user's message has all words of an entity's name. A tool that
// the entity is not the subject of cannot give it a name that counts.
func (f Focus) names(e *memory.Entity) bool {
	return len(f.words) > 0 && e.Name != "" && e.NameOrigin().Authority != memory.AuthorityNone && f.hasAllWordsOf(e.Name)
}

// hasAllWordsOf reports whether the focus has all words of a text, and the text has any.
func (f Focus) hasAllWordsOf(text string) bool {
	found := false
	for word := range plaintext.Words(text) {
		if _, found = f.words[string(word)]; !found {
			return false
		}
	}
	return found
}

// idsIn returns the words of a text that can be ids.
func idsIn(text string) wordSet {
	var ids wordSet
	for id := range plaintext.Identifiers(text) {
		if ids == nil {
			ids = make(wordSet)
		}
		ids[strings.Clone(id)] = struct{}{}
	}
	return ids
}

// relevance returns the number of different words of an entity's label in the focus, at
// most maxWords, or maxWords if its id is mentioned.
func (f Focus) relevance(e *memory.Entity) int {
	if f.mentionsID(e) {
		return maxWords
	}
	if len(f.words) == 0 {
		return 0
	}
	return f.sharedWords(e.Name, e.Description, e.ID)
}

// sharedWords counts the different words of texts in the focus, up to maxWords.
func (f Focus) sharedWords(texts ...string) int {
	var shared [maxWords]int
	n := 0
	for _, text := range texts {
		for word := range plaintext.Words(text) {
			i, ok := f.words[string(word)]
			if !ok || slices.Contains(shared[:n], i) {
				continue
			}
			shared[n] = i
			if n++; n == maxWords {
				return n
			}
		}
	}
	return n
}

// hasWordOf reports whether the focus has a word of a text.
func (f Focus) hasWordOf(text string) bool {
	for word := range plaintext.Words(text) {
		if _, ok := f.words[string(word)]; ok {
			return true
		}
	}
	return false
}

// namesType reports whether the focus has a type, in the singular or plural.
func (f Focus) namesType(typ string) bool {
	if len(f.words) == 0 {
		return false
	}
	for noun := range strings.SplitSeq(typ, "_") {
		if f.hasWordOf(noun) || f.hasWordOf(english.Plural(noun)) {
			return true
		}
	}
	return false
}
