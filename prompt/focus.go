package prompt

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Focus holds what the last messages of a conversation refer to: the words of the user,
// and the ids that the user and the assistant mention. The zero value is empty. It is
// immutable and safe for concurrent use.
type Focus struct {
	words map[string]focusWord
	// mentioned are the ids in the last messages of the user and of the assistant.
	mentioned [2]wordSet
}

// focusWord is a word of the user's message.
type focusWord struct {
	number int32
	stop   bool // a word such as "the", which only counts as a part of a whole name
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
		f.words = wordsIn(text)
		f.mentioned[0] = idsIn(text)
	case roleAssistant:
		f.mentioned[1] = idsIn(text)
	}
	return f
}

// wordsIn returns the words of a text. Two adjacent ones are a word as well, because people
// write "follow up" for "followup".
func wordsIn(text string) map[string]focusWord {
	words, isStop := make(map[string]focusWord), plaintext.StopWords(text)
	add := func(word []byte, stop bool) {
		if _, ok := words[string(word)]; !ok {
			words[string(word)] = focusWord{int32(len(words)), stop}
		}
	}
	var pair []byte
	for word := range plaintext.Words(text) {
		pair = append(pair, word...)
		add(word, isStop(word))
		add(pair, false)
		pair = append(pair[:0], word...)
	}
	return words
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
// known entities and candidates, given newest first, that the user's message names: at most 8,
// those whose type it names too before others.
func (f Focus) Mentioned(entities, candidates []memory.Entity) []memory.Ref {
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
	if len(f.words) == 0 {
		return refs
	}
	var m matcher
	var byUse [typed + 1][]memory.Ref
	c := Content{Focus: f, Entities: entities, Candidates: candidates}
	for i, match := range m.match(&c) {
		e := c.at(i)
		byUse[match.use] = append(byUse[match.use], memory.Ref{Type: e.Type, ID: e.ID})
	}
	all := append(byUse[typed], byUse[named]...)
	return append(refs, all[:min(len(all), maxNamed)]...)
}

func (f Focus) mentionsID(e *memory.Entity) bool {
	if f.mentioned[0] == nil && f.mentioned[1] == nil {
		return false
	}
	return slices.ContainsFunc(f.mentioned[:], func(ids wordSet) bool {
		return len(ids) > 0 && (ids.has(e.ID) || slices.ContainsFunc(e.Aliases, ids.has))
	})
}

// idsIn returns the words of a text that can be ids. A number with a sign, such as #4471, may be
// one without.
func idsIn(text string) wordSet {
	var ids wordSet
	for id := range plaintext.Identifiers(text) {
		if ids == nil {
			ids = make(wordSet)
		}
		id = strings.Clone(id)
		ids[id] = struct{}{}
		if number, ok := strings.CutPrefix(id, "#"); ok && number != "" && strings.Trim(number, "0123456789") == "" {
			ids[number] = struct{}{}
		}
	}
	return ids
}

// namesType reports whether the user's message has a word of a type.
func (f Focus) namesType(typ string) bool {
	if len(f.words) > 0 {
		for word := range plaintext.NameWords(typ) {
			if _, ok := f.words[string(word)]; ok {
				return true
			}
		}
	}
	return false
}
