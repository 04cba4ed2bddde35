package plaintext

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// minTermRunes is the length of the shortest word of Terms that is not a number.
	minTermRunes = 2
	// maxWordBytes is how much of a word is kept.
	maxWordBytes = 48
)

// NameWords returns the words of a name: letters and digits between spaces, hyphens and
// punctuation, in a form that does not depend on case, accents or the s of a plural, and in
// scripts without spaces the short runs of letters that identify words. Words are cut at about
// 48 bytes. A word is valid until the next one.
func NameWords(name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { (&nameReader{yield: yield}).read(name) }
}

// NameReader reads the words of many names. The zero value is ready for use. It must not be copied.
type NameReader struct {
	reader nameReader
	words  []byte // one after another
	ends   []int
	most   int
}

// Read reads the words of a name in the form of NameWords, at most as many as given.
func (n *NameReader) Read(name string, most int) {
	if n.reader.yield == nil {
		n.reader.yield = n.add
	}
	n.words, n.ends, n.most, n.reader.done = n.words[:0], n.ends[:0], most, false
	n.reader.read(name)
}

func (n *NameReader) add(word []byte) bool {
	n.words = append(n.words, word...)
	n.ends = append(n.ends, len(n.words))
	return len(n.ends) < n.most
}

// All returns the words of the name that was read last. They are valid until the next Read.
func (n *NameReader) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for _, end := range n.ends {
			if !yield(n.words[start:end]) {
				return
			}
			start = end
		}
	}
}

// Words returns the words of a text in the form of NameWords. The words of each name in the text
// are among them: in scripts without spaces it returns all short runs of letters.
func Words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { (&nameReader{yield: yield, all: true}).read(text) }
}

// StopWords returns a function that reports whether a word of Words is one that names nothing,
// in English or in the language of a text. A text has two words of its language: "Open Sei." is
// not in Italian.
func StopWords(text string) func(word []byte) bool {
	in, told := languageOf(text)
	if told < 2 {
		in = 0
	}
	in |= inEnglish | inAny&^inLatin
	stops := nameStops()
	return func(word []byte) bool { return stops[string(word)]&in != 0 }
}

// nameStops are the stop words of all languages in the form of Words.
var nameStops = sync.OnceValue(func() map[string]languageSet {
	stops := make(map[string]languageSet)
	for i, l := range words().languages {
		for word := range Words(l.stops + " " + l.shared) {
			stops[string(word)] |= 1 << i
		}
	}
	return stops
})

// nameReader finds the words of names.
type nameReader struct {
	yield func([]byte) bool
	all   bool // all runs of letters, not only those that identify words
	buf   [maxWordBytes + utf8.UTFMax]byte
	word  int  // length of the word in buf
	quote bool // the word follows an apostrophe
	done  bool
}

func (n *nameReader) read(text string) {
	for i := 0; i < len(text) && !n.done; {
		if c := text[i]; c < utf8.RuneSelf {
			n.readASCII(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch s := scriptOf(r); {
		case s != spaced:
			n.end()
			size = tokenSize(text[i:], s)
			n.runs(text[i:i+size], s)
		case r == 'ß' || r == 'ẞ':
			n.add('s')
			n.add('s')
		case isAccent(r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n.addRune(unaccented(unicode.ToLower(fold(r))))
		case unicode.IsMark(r): // the vowel signs of Hindi and its neighbours
			n.addRune(r)
		default:
			if r = fold(r); r < utf8.RuneSelf {
				n.readASCII(byte(r))
			} else {
				n.end()
				n.quote = r == '’'
			}
		}
		i += size
	}
	n.end()
}

func (n *nameReader) readASCII(c byte) {
	switch {
	case 'A' <= c && c <= 'Z':
		n.add(c + 'a' - 'A')
	case isLower(c), isDigit(c):
		n.add(c)
	default:
		n.end()
		n.quote = c == '\''
	}
}

func (n *nameReader) add(c byte) {
	if n.word < maxWordBytes {
		n.buf[n.word] = c
		n.word++
	}
}

func (n *nameReader) addRune(r rune) {
	if n.word < maxWordBytes {
		n.word += utf8.EncodeRune(n.buf[n.word:], r)
	}
}

// end yields the word before a space or mark. A letter after an apostrophe is an ending.
func (n *nameReader) end() {
	word := n.buf[:n.word]
	n.word = 0
	if len(word) > 0 && !n.done && !(n.quote && len(word) == 1) {
		n.done = !n.yield(singular(word))
	}
	n.quote = false
}

// runs yields the runs of letters of a text in a script without spaces.
func (n *nameReader) runs(letters string, s script) {
	longest := min(neighbours[s], utf8.RuneCountInString(letters))
	shortest := longest
	if n.all {
		shortest = 1
	}
	for size := shortest; size <= longest && !n.done; size++ {
		for run := range runsOf(letters, size) {
			if n.done = !n.yield(append(n.buf[:0], run...)); n.done {
				return
			}
		}
	}
}

// singular returns a word without the ending of a plural, as far as the ending alone tells.
func singular(word []byte) []byte {
	n := len(word)
	if n < 4 || word[n-1] != 's' {
		return word
	}
	switch before := word[n-2]; {
	case before == 's' || before == 'u' || before == 'i':
		return word
	case before == 'e' && word[n-3] == 'i' && n > 4: // entries
		word[n-3] = 'y'
		return word[:n-2]
	case before == 'e' && strings.HasSuffix(string(word[:n-2]), "ss"), before == 'e' && strings.IndexByte("xz", word[n-3]) >= 0,
		before == 'e' && word[n-3] == 'h' && (word[n-4] == 'c' || word[n-4] == 's'): // boxes
		return word[:n-2]
	}
	return word[:n-1]
}

// unaccented returns a letter without its accents.
func unaccented(r rune) rune {
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ':
		return 'd'
	case 'ı':
		return 'i'
	}
	if r < 0xc0 || r >= 0x0530 && r < 0x1e00 || r >= 0x2000 { // neither Latin, Greek nor Cyrillic
		return r
	}
	var buf [utf8.UTFMax]byte
	if parts := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition(); len(parts) > 0 {
		r, _ = utf8.DecodeRune(parts)
	}
	return r
}

// isAccent reports whether a rune is an accent of Latin, Greek or Cyrillic letters, or a vowel
// sign or a lengthening that Hebrew and Arabic texts leave out.
func isAccent(r rune) bool {
	return 0x0300 <= r && r <= 0x036f || 0x0591 <= r && r <= 0x05c7 || 0x064b <= r && r <= 0x065f || r == 0x0670 || r == 0x0640
}

// wordReader finds the words of Terms.
type wordReader struct {
	joined []byte // since the last space or mark
	part   int    // start of the part after the last hyphen
	named  bool   // it begins with a capital letter
	yield  func([]byte) bool
}

func (w *wordReader) read(r rune) bool {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || isWordMark(r):
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
	return utf8.RuneCount(word) < minTermRunes && !isNumber(word) || w.yield(word)
}

// isWordMark reports whether a rune that is neither letter nor digit belongs to a
// word.
func isWordMark(r rune) bool { return unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r) }

func isNumber(word []byte) bool { return len(word) > 0 && '0' <= word[0] && word[0] <= '9' }
