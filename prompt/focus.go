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

// maxMentioned is the number of ids of a message that Mentioned returns.
const maxMentioned = 256

// Mentioned returns the ids that the last messages mention, without types: at most 256 of
// each message.
func (f Focus) Mentioned() []memory.Ref {
	var refs []memory.Ref
	for _, ids := range f.mentioned {
		sorted := slices.Sorted(maps.Keys(ids))
		for _, id := range sorted[:min(len(sorted), maxMentioned)] {
			refs = append(refs, memory.Ref{ID: id})
		}
	}
	return refs
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
	for _, ids := range f.mentioned {
		if _, ok := ids[e.ID]; ok || slices.ContainsFunc(e.Aliases, ids.has) {
			return maxWords
		}
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
