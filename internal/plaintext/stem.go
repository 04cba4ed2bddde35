package plaintext

import (
	"bytes"
	"unicode/utf8"
)

// endings are what words of a script end with in their cases and numbers, the
// longest first, and how many bytes of a word have to be left.
type endings struct {
	least int
	texts []string
}

var (
	// latin has those of German, which are much of those of its neighbours.
	latin = endings{5, []string{"en", "es", "e", "n", "s"}}
	// cyrillic has those of Russian.
	cyrillic = endings{2 * 3, []string{
		"ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ов", "ев", "ей", "ам", "ям", "ах", "ях", "ом", "ем", "ой", "ый", "ий", "ая", "яя",
		"ое", "ее", "ые", "ие", "ую", "юю", "ых", "их", "ым", "им", "ью", "ия", "ию", "ии", "а", "е", "и", "о", "у", "ы", "ю", "я", "ь", "й",
	}}
)

// stem returns a word without its ending, so that one case or number of it finds
// the others. One with a digit has none: it may be of an identifier.
func stem(word []byte) []byte {
	if bytes.ContainsAny(word, "0123456789") {
		return word
	}
	e := &latin
	if r, _ := utf8.DecodeLastRune(word); r >= 'а' && r <= 'я' {
		e = &cyrillic
	}
	for _, ending := range e.texts {
		if n := len(word) - len(ending); n >= e.least && string(word[n:]) == ending {
			return word[:n]
		}
	}
	return word
}
