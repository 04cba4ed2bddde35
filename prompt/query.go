package prompt

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Focus is what was said last, as far as it can tell entities apart: the words
// of the user, and the ids that the user and the assistant mention. The zero
// value says nothing. It is immutable and safe for concurrent use.
type Focus struct {
	words map[string]int // numbered
	// mentioned are the ids in what the user said, and the assistant.
	mentioned [2]wordSet
}

type wordSet map[string]struct{}

// maxQueryBytes is how much of a text a Focus is made of: its end.
const maxQueryBytes = 8 << 10

// NewFocus is the focus of what a user said.
func NewFocus(text string) Focus {
	return Focus{}.After(Message{Role: roleUser, Content: text})
}

// After is the focus after one more message of the conversation: what the same
// role said before no longer counts. Messages of other roles than the user and
// the assistant change nothing, and neither do empty ones, such as those of
// models that only call tools. Of a message of more than 8 KiB the end counts.
func (q Focus) After(m Message) Focus {
	text := m.Content[max(0, len(m.Content)-maxQueryBytes):]
	if text == "" {
		return q
	}
	switch m.Role {
	case roleUser:
		q.words = make(map[string]int)
		for word := range plaintext.Words(text) {
			if _, ok := q.words[string(word)]; !ok {
				q.words[string(word)] = len(q.words)
			}
		}
		q.mentioned[0] = idsIn(text)
	case roleAssistant:
		q.mentioned[1] = idsIn(text)
	}
	return q
}

// idsIn are the words of a text that can be ids.
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

// speaksOf is how much a query says of an entity: the different words of its
// label that the query has, at most maxWords of them, which is also what its id
// is worth.
func (q Focus) speaksOf(e *memory.Entity) int {
	for _, ids := range q.mentioned {
		if _, ok := ids[e.ID]; ok {
			return maxWords
		}
	}
	if len(q.words) == 0 {
		return 0
	}
	return q.sharedWords(e.Name, e.Description)
}

// sharedWords counts the different words of texts that the query has, up to
// maxWords.
func (q Focus) sharedWords(texts ...string) int {
	var shared [maxWords]int
	n := 0
	for _, text := range texts {
		for word := range plaintext.Words(text) {
			i, ok := q.words[string(word)]
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

// has reports whether the query has a word of a text.
func (q Focus) has(text string) bool {
	for word := range plaintext.Words(text) {
		if _, ok := q.words[string(word)]; ok {
			return true
		}
	}
	return false
}

// namesType reports whether the query speaks of a type, in the singular or plural.
func (q Focus) namesType(typ string) bool {
	if len(q.words) == 0 {
		return false
	}
	for noun := range strings.SplitSeq(typ, "_") {
		if q.has(noun) || q.has(english.Plural(noun)) {
			return true
		}
	}
	return false
}
