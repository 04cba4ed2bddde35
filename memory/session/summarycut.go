package session

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// cutToTokens returns a text of at most limit tokens whole, and of a longer one a
// beginning: whole sentences if these are more than half of what has room, else
// whole words, and a mark of the cut behind them.
func cutToTokens(text string, limit int, counter memory.TokenCounter) string {
	if counter.CountTokens(text) <= limit {
		return text
	}
	// A counter may count the whole higher than its parts: then it is less that fits.
	for room := limit - counter.CountTokens(plaintext.CutMark); room > 0; room -= 1 + room/8 {
		shown := wholeSentences(strings.TrimSpace(splitAtTokens(text, room, counter)[0]))
		if shown != "" && counter.CountTokens(shown) <= limit {
			return shown
		}
	}
	if first := splitAtTokens(text, limit, counter); limit > 0 && counter.CountTokens(first[0]) <= limit {
		return strings.TrimSpace(first[0])
	}
	return ""
}

// wholeSentences leaves out the last sentence of a text that was cut, or marks the
// cut where that would be too much.
func wholeSentences(text string) string {
	begin, end := 0, 0 // of the last sentence
	for sentence := range plaintext.Sentences(text) {
		begin = end + strings.Index(text[end:], sentence)
		end = begin + len(sentence)
	}
	if begin > len(text)/2 {
		return strings.TrimSpace(text[:begin])
	}
	return text + plaintext.CutMark
}

// splitAtTokens returns the parts of a text, at least one, that have at most limit
// tokens each: they end with a word where words are not longer than that, else with
// a letter. Together they are the text. Only a single letter may have more tokens.
func splitAtTokens(text string, limit int, counter memory.TokenCounter) []string {
	if counter.CountTokens(text) <= limit {
		return []string{text}
	}
	var parts []string
	begin, tokens := 0, 0
	for at := 0; at < len(text); {
		size := pieceSize(text[at:])
		n := counter.CountTokens(text[at : at+size])
		for n > limit && size > 1 {
			if size = runeStart(text[at:], size/2); size == 0 {
				_, size = utf8.DecodeRuneInString(text[at:])
				n = limit // one letter cannot be less
				break
			}
			n = counter.CountTokens(text[at : at+size])
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
