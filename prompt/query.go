package prompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Query is what was said last, as far as it can tell entities apart: the words
// of the user, and the ids that the user and the assistant mention. The zero
// value says nothing. It is immutable and safe for concurrent use.
type Query struct {
	words map[string]int // numbered
	// mentioned are the ids in what the user said, and the assistant.
	mentioned [2]wordSet
}

type wordSet map[string]struct{}

const (
	// maxQueryBytes is how much of a text a Query is made of: its end.
	maxQueryBytes = 8 << 10
	// minWordRunes is the shortest word that counts.
	minWordRunes = 3
	// maxWordBytes is how much of a word counts.
	maxWordBytes = 48
)

// NewQuery is the query of what a user said.
func NewQuery(text string) Query {
	return Query{}.Said(Message{Role: roleUser, Content: text})
}

// Said is the query after one more message of the conversation: what the same
// role said before no longer counts. Messages of other roles than the user and
// the assistant change nothing, and neither do empty ones, such as those of
// models that only call tools. Of a message of more than 8 KiB the end counts.
func (q Query) Said(m Message) Query {
	text := m.Content[max(0, len(m.Content)-maxQueryBytes):]
	if text == "" {
		return q
	}
	switch m.Role {
	case roleUser:
		q.words = make(map[string]int)
		for word := range words(text) {
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
	for word := range strings.FieldsFuncSeq(text, separatesIDs) {
		if word = strings.TrimRight(word, ".:!?"); mayBeID(word) {
			if ids == nil {
				ids = make(wordSet)
			}
			ids[strings.Clone(word)] = struct{}{}
		}
	}
	return ids
}

// separatesIDs reports whether a rune stands between ids of a text.
func separatesIDs(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`*()[]{}<>,;|“”‘’«»。，、！？：；（）", r)
}

// mayBeID reports whether a word of a text can be an id: it has a digit, and is
// no short number, as in "the first 3".
func mayBeID(word string) bool {
	return strings.ContainsAny(word, "0123456789") && (len(word) > 4 || strings.Trim(word, "0123456789") != "")
}

// speaksOf is how much a query says of an entity: the different words of its
// label that the query has, at most maxWords of them, which is also what its id
// is worth.
func (q Query) speaksOf(e *memory.Entity) int {
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
func (q Query) sharedWords(texts ...string) int {
	var shared [maxWords]int
	n := 0
	for _, text := range texts {
		for word := range words(text) {
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
func (q Query) has(text string) bool {
	for word := range words(text) {
		if _, ok := q.words[string(word)]; ok {
			return true
		}
	}
	return false
}

// namesType reports whether the query speaks of a type, in the singular or plural.
func (q Query) namesType(typ string) bool {
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

// words are the words of a text between spaces and marks, and those that a
// hyphen joins once more as one (T-Shirt: shirt, tshirt). They are in lower
// case and without the s of a plural, and valid until the next one.
func words(text string) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var buf [maxWordBytes + utf8.UTFMax]byte
		w := wordReader{joined: buf[:0], yield: yield}
		for _, r := range text {
			if !w.read(r) {
				return
			}
		}
		w.read(' ')
	}
}

// wordReader finds words.
type wordReader struct {
	joined []byte // since the last space or mark
	part   int    // where in it the part behind the last hyphen begins
	yield  func([]byte) bool
}

func (w *wordReader) read(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		if len(w.joined) < maxWordBytes {
			w.joined = utf8.AppendRune(w.joined, unicode.ToLower(r))
		}
		return true
	case len(w.joined) == 0:
		return true
	case r == '-':
		ok := w.give(w.joined[w.part:])
		w.part = len(w.joined)
		return ok
	}
	ok := w.give(w.joined[w.part:]) && (w.part == 0 || w.give(w.joined))
	w.joined, w.part = w.joined[:0], 0
	return ok
}

func (w *wordReader) give(word []byte) bool {
	if n := len(word); n > minWordRunes && word[n-1] == 's' {
		word = word[:n-1]
	}
	return utf8.RuneCount(word) < minWordRunes || w.yield(word)
}
