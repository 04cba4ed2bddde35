package plaintext

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// minWordRunes is the shortest word that counts.
	minWordRunes = 3
	// maxWordBytes is how much of a word counts.
	maxWordBytes = 48
)

// Words are the words of a text between spaces and marks, of at least three
// runes, and those that a hyphen joins once more as one (T-Shirt: shirt, tshirt).
// They are in lower case and without the s of a plural, of at most some 48
// bytes, and valid until the next one.
func Words(text string) iter.Seq[[]byte] {
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
	marks  bool   // whether words have accents and vowel signs of their own (Hindi)
	yield  func([]byte) bool
}

func (w *wordReader) read(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || w.marks && isWordMark(r):
		if len(w.joined) < maxWordBytes {
			w.joined = utf8.AppendRune(w.joined, unicode.ToLower(r))
		}
		return true
	case len(w.joined) == 0:
		return true
	case r == '-':
		ok := w.yieldWord(w.joined[w.part:])
		w.part = len(w.joined)
		return ok
	}
	ok := w.yieldWord(w.joined[w.part:]) && (w.part == 0 || w.yieldWord(w.joined))
	w.joined, w.part = w.joined[:0], 0
	return ok
}

func (w *wordReader) yieldWord(word []byte) bool {
	if n := len(word); n > minWordRunes && word[n-1] == 's' {
		word = word[:n-1]
	}
	return utf8.RuneCount(word) < minWordRunes || w.yield(word)
}

// isWordMark reports whether a rune beyond letters and digits is within words.
func isWordMark(r rune) bool { return unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r) }
