package identifiers

import (
	"iter"
	"slices"
	"unicode"
)

// finder finds identifiers in texts as whole words: an identifier that begins or ends with a
// letter, digit or underscore is not found beside another one. Identifiers may consist of
// several words and marks.
//
// The time of a search is proportional to the text, not to the number of identifiers: at
// each word, it looks up the words there for each length that an identifier with this first
// word has. Lengths are in words and marks.
type finder struct {
	ids     map[string]bool
	lengths map[string][]int // by first words, ascending
}

func newFinder(ids iter.Seq[string]) finder {
	s := finder{ids: map[string]bool{}, lengths: map[string][]int{}}
	var ends []int
	for id := range ids {
		if id == "" || s.ids[id] {
			continue
		}
		s.ids[id] = true
		ends = wordEnds(ends[:0], id)
		first, n := id[:ends[0]], len(ends)
		if at, found := slices.BinarySearch(s.lengths[first], n); !found {
			s.lengths[first] = slices.Insert(s.lengths[first], at, n)
		}
	}
	return s
}

// in yields the identifiers in a text, in order and with repetitions.
func (s finder) in(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(s.ids) == 0 {
			return
		}
		ends := wordEnds(nil, text)
		begin := 0
		for i, end := range ends {
			for _, n := range s.lengths[text[begin:end]] {
				if i+n > len(ends) {
					break
				}
				if id := text[begin:ends[i+n-1]]; s.ids[id] && !yield(id) {
					return
				}
			}
			begin = end
		}
	}
}

// wordEnds appends the ends of the words of a text, and of the marks between them, each one
// rune. Together they cover the text.
func wordEnds(ends []int, text string) []int {
	inWord := false
	for i, r := range text {
		word := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		if i > 0 && !(inWord && word) {
			ends = append(ends, i)
		}
		inWord = word
	}
	if text != "" {
		ends = append(ends, len(text))
	}
	return ends
}
