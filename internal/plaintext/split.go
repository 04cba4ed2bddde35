package plaintext

import (
	"unicode"
	"unicode/utf8"
)

// SplitTokens splits a text into parts of at most limit tokens. There is at least one
// part, and joined they are the text. Parts end at a word, or within a word that is
// longer than limit. Only a single letter may exceed the limit.
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
				n = limit // a single letter
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

// pieceSize returns the size of the white space and the word, or the part of one, at
// the start of a text. Pieces are short, so that counting them takes linear time.
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

// runeStart returns the start of the rune that contains the byte at i.
func runeStart(text string, i int) int {
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
