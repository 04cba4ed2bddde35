package plaintext

import (
	"bytes"
	"unicode/utf8"
)

// endings are the inflectional endings of a script's words, longest first, and the
// number of bytes that must remain.
type endings struct {
	least int
	texts []string
}

var (
	// latin has the German endings, which serve its neighbours too.
	latin = endings{5, []string{"en", "es", "e", "n", "s"}}
	// cyrillic has the Russian endings.
	cyrillic = endings{2 * 3, []string{
		"ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ов", "ев", "ей", "ам", "ям", "ах", "ях", "ом", "ем", "ой", "ый", "ий", "ая", "яя",
		"ое", "ее", "ые", "ие", "ую", "юю", "ых", "их", "ым", "им", "ью", "ия", "ию", "ии", "а", "е", "и", "о", "у", "ы", "ю", "я", "ь", "й",
	}}
)

// stem returns a word without its ending, so that one form of it matches the others.
// A word with a digit is not changed: it may be part of an identifier.
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
