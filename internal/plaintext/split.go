package plaintext

import (
	"unicode"
	"unicode/utf8"
)

// SplitTokens returns the parts of a text, at least one, that have at most limit
// tokens each: they end with a word where words are not longer than that, else with
// a letter. Together they are the text. Only a single letter may have more tokens.
func SplitTokens(text string, limit int, count func(text string) int) []string {
	if count(text) <= limit {
		return []string{text}
	}
	var parts []string
	begin, tokens := 0, 0
	for at := 0; at < len(text); {
		size := pieceSize(text[at:])
		n := count(text[at : at+size])
		for n > limit && size > 1 {
			if size = runeStart(text[at:], size/2); size == 0 {
				_, size = utf8.DecodeRuneInString(text[at:])
				n = limit // one letter cannot be less
				break
			}
			n = count(text[at : at+size])
		}
		if tokens+n > limit && at > begin {
			parts = append(parts, text[begin:at])
			begin, tokens = at, 0
		}
		at += size
		tokens += n
	}
	return append(parts, text[begin:])
}

// pieceSize is the size of the spaces and the word, or a part of one, that a text
// begins with. A piece is short, so that counting pieces takes as long as the text
// is.
func pieceSize(text string) int {
	const most = 64
	word := false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if i > 0 && (word && space || i >= most) {
			return i
		}
		word = word || !space
	}
	return len(text)
}

// runeStart is the start of the rune that the byte at i is of.
func runeStart(text string, i int) int {
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
