package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Identifiers returns the words of a text that can be identifiers, unchanged and in
// order. They share memory with the text.
func Identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, separatesIdentifiers) {
			if word = strings.TrimRight(word, ".:!?"); mayIdentify(word) && !yield(word) {
				return
			}
		}
	}
}

// separatesIdentifiers reports whether a rune separates identifiers.
func separatesIdentifiers(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || '\t' <= r && r <= '\r' || strings.IndexByte("\"'`*()[]{}<>,;|", byte(r)) >= 0
	}
	return r >= 0x2000 && strings.ContainsRune("“”‘’。，、！？：；（）", r) || r == '«' || r == '»' || unicode.IsSpace(r)
}

// mayIdentify reports whether a word can be an identifier: it has a digit and is not
// a short number, as in "the first 3".
func mayIdentify(word string) bool {
	return strings.ContainsAny(word, "0123456789") && (len(word) > 4 || strings.Trim(word, "0123456789") != "")
}
