package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences are the parts of a text that end with a line, or with a mark that
// ends sentences and has a space behind it, or needs none. They are not empty and
// have no space around them. No word or identifier is in two of them, and each
// one is in one.
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

// sentenceEnd returns where the first sentence of a text ends.
func sentenceEnd(text string) int {
	marked := false // the last rune was a mark that needs a space behind it
	for i, r := range text {
		switch {
		case r == '\n' || marked && unicode.IsSpace(r), strings.ContainsRune("。！？", r):
			return i + utf8.RuneLen(r)
		}
		marked = strings.ContainsRune(".!?…", r) || marked && strings.ContainsRune(`"')]”’»`, r)
	}
	return len(text)
}
