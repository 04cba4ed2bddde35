package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits a text at line breaks and after sentence marks, which need a space
// after them in scripts with spaces. Sentences are not empty and have no surrounding
// space. No word or identifier is split or lost.
func Sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := sentenceEnd(text)
			sentence := strings.TrimSpace(text[:end])
			text = text[end:]
			if sentence != "" && !yield(sentence) {
				return
			}
		}
	}
}

// sentenceEnd returns the end of the first sentence of a text.
func sentenceEnd(text string) int {
	marked := false // the last rune was a mark that needs a space after it
	for i, r := range text {
		switch {
		case r == '\n' || marked && unicode.IsSpace(r), strings.ContainsRune("。！？", r):
			return i + utf8.RuneLen(r)
		}
		marked = strings.ContainsRune(".!?…", r) || marked && strings.ContainsRune(`"')]”’»`, r)
	}
	return len(text)
}
