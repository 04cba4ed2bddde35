package english

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plural returns the plural of a noun in lower_snake_case. A plural, or a noun
// without a plural of its own (media, news, metadata), is returned unchanged.
func Plural(noun string) string {
	head, word := splitLast(noun)
	if !inflects(word) || uninflected[word] || singular(word) != word {
		return noun
	}
	if p, ok := irregularPlurals[word]; ok {
		return head + p
	}
	stem, ending := pluralEnding(word)
	return head + stem + ending
}

// Singular returns the singular of a noun in lower_snake_case. A singular is returned
// unchanged, even if it ends in "s": status, address, series. Singular is idempotent.
func Singular(noun string) string {
	head, word := splitLast(noun)
	if !inflects(word) {
		return noun
	}
	s := singular(word)
	for next := singular(s); next != s; next = singular(s) { // peoples, people, person
		s = next
	}
	switch {
	case s == word:
		return noun
	case strings.HasPrefix(word, s):
		return noun[:len(head)+len(s)]
	default:
		return head + s
	}
}

// splitLast splits a noun before its last word: noun == head + word.
func splitLast(noun string) (head, word string) {
	i := strings.LastIndexByte(noun, '_') + 1
	return noun[:i], noun[i:]
}

// inflects reports whether a word follows the rules of this package.
func inflects(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return len(word) > 1 && unicode.Is(unicode.Latin, last)
}

// pluralEnding returns the stem and the plural ending of a regular noun.
func pluralEnding(word string) (stem, ending string) {
	n := len(word)
	switch {
	case strings.HasSuffix(word, "woman"):
		return word[:n-2], "en"
	case strings.HasSuffix(word, "person"):
		return word[:n-4], "ople"
	case strings.HasSuffix(word, "sis"):
		return word[:n-2], "es"
	case endsInAny(word, "s", "x", "z", "ch", "sh"):
		return word, "es"
	case word[n-1] == 'y' && !vowelBeforeY(word):
		return word[:n-1], "ies"
	default:
		return word, "s"
	}
}

// vowelBeforeY reports true for day and key, false for entry and soliloquy.
func vowelBeforeY(word string) bool {
	n := len(word)
	return strings.IndexByte("aeiou", word[n-2]) >= 0 && !strings.HasSuffix(word, "quy")
}

// singular is Singular of a single word that inflects.
func singular(word string) string {
	if uninflected[word] {
		return word
	}
	if s, ok := irregularSingulars[word]; ok {
		return s
	}
	if _, ok := irregularPlurals[word]; ok {
		return word
	}
	n := len(word)
	switch {
	case strings.HasSuffix(word, "women"):
		return word[:n-2] + "an"
	case strings.HasSuffix(word, "people"):
		return word[:n-4] + "rson"
	case n < 3 || word[n-1] != 's' || singularInS(word):
		return word
	case strings.HasSuffix(word, "es"):
		return singularOfES(word)
	default:
		return word[:n-1]
	}
}

// singularInS reports whether a noun ending in "s" is a singular.
func singularInS(word string) bool {
	switch word[len(word)-2] {
	case 's':
		return true
	case 'u', 'i':
		// -us and -is are singular endings (status, analysis), except in some plurals
		// of words in -u and -i.
		return !pluralsInUSAndIS[word]
	default:
		return false
	}
}

// singularOfES returns the singular of a plural in -es: movies, houses, boxes.
func singularOfES(word string) string {
	n := len(word)
	dropS, dropES := word[:n-1], word[:n-2]
	switch {
	case nounsInE[dropS]:
		return dropS
	case strings.HasSuffix(word, "ies"):
		if n <= 4 { // ties, pies
			return dropS
		}
		return word[:n-3] + "y"
	case strings.HasSuffix(word, "theses"), strings.HasSuffix(word, "yses"):
		return dropES + "is"
	case endsInAny(word, "sses", "xes", "ches", "shes", "oes", "zzes", "tzes"):
		return dropES
	case endsInAny(word, "ouses", "auses"): // houses, clauses
		return dropS
	case strings.HasSuffix(word, "uses"): // statuses
		return dropES
	default: // pages, databases, sizes, archives
		return dropS
	}
}

func endsInAny(word string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(word, e) {
			return true
		}
	}
	return false
}
