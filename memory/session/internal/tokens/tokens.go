// Package tokens counts and cuts texts by tokens.
package tokens

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Cut returns a text of at most limit tokens whole, and of a longer one a
// beginning: whole sentences if these are more than half of what has room, else
// whole words, and a mark of the cut behind them.
func Cut(text string, limit int, counter memory.TokenCounter) string {
	if counter.CountTokens(text) <= limit {
		return text
	}
	// A counter may count the whole higher than its parts: then it is less that fits.
	for room := limit - counter.CountTokens(plaintext.CutMark); room > 0; room -= 1 + room/8 {
		shown := wholeSentences(strings.TrimSpace(Split(text, room, counter)[0]))
		if shown != "" && counter.CountTokens(shown) <= limit {
			return shown
		}
	}
	if first := Split(text, limit, counter); limit > 0 && counter.CountTokens(first[0]) <= limit {
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

// Split returns the parts of a text: see plaintext.SplitTokens.
func Split(text string, limit int, counter memory.TokenCounter) []string {
	return plaintext.SplitTokens(text, limit, counter.CountTokens)
}
