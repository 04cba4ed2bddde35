package plaintext

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// minWordRunes is the length of the shortest word.
	minWordRunes = 3
	// minTermRunes is the length of the shortest word of Terms that is not a number.
	minTermRunes = 2
	// maxWordBytes is how much of a word is kept.
	maxWordBytes = 48
)

// Words returns the words of a text between spaces and punctuation that have at least
// three runes. Hyphenated words are returned in parts and once more as a whole
// (T-Shirt: shirt, tshirt). Words are in lower case, without the s of a plural and
// cut at about 48 bytes. A word is valid until the next one.
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
	part   int    // start of the part after the last hyphen
	named  bool   // it begins with a capital letter
	terms  bool   // words of Terms: with accents, vowel signs (Hindi) and the s of a plural
	yield  func([]byte) bool
}

func (w *wordReader) read(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || w.terms && isWordMark(r):
		if len(w.joined) == 0 {
			w.named = unicode.IsUpper(r)
		}
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
	if w.terms {
		return utf8.RuneCount(word) < minTermRunes && !isNumber(word) || w.yield(word)
	}
	if n := len(word); n > minWordRunes && word[n-1] == 's' {
		word = word[:n-1]
	}
	return utf8.RuneCount(word) < minWordRunes || w.yield(word)
}

// isWordMark reports whether a rune that is neither letter nor digit belongs to a
// word.
func isWordMark(r rune) bool { return unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r) }

func isNumber(word []byte) bool { return len(word) > 0 && '0' <= word[0] && word[0] <= '9' }
