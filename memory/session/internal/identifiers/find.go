package identifiers

import (
	"iter"
	"slices"
	"unicode"
)

// finder finds identifiers in texts, as whole words: what stands around one
// is no letter, digit or underscore where it begins or ends with one. They may have
// several words and marks.
//
// A search takes time in proportion to the text, whatever their number: at each word
// it looks up, for each length that an identifier beginning with this word has,
// whether the words there are one. Lengths are in words and marks.
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

// in returns those that stand in a text, in its order, as often as they do.
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

// wordEnds appends where the words of a text end, and the marks between them, which
// are a rune each. Together these are the text.
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
