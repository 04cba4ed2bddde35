// Package tokens truncates and splits texts by tokens.
package tokens

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Cut returns a text of at most limit tokens as it is. A longer one is truncated after a
// whole sentence if that keeps more than half of what fits, else after a whole word, and
// ends with a mark.
func Cut(text string, limit int, counter memory.TokenCounter) string {
	if counter.CountTokens(text) <= limit {
		return text
	}
	// The whole may have more tokens than its parts: then less fits.
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

// wholeSentences drops an incomplete last sentence, or marks the cut if that would drop too
// much.
func wholeSentences(text string) string {
	begin, end := 0, 0 // of the incomplete sentence
	for sentence := range plaintext.Sentences(text) {
		begin = end + strings.Index(text[end:], sentence)
		end = begin + len(sentence)
	}
	if begin > len(text)/2 {
		return strings.TrimSpace(text[:begin])
	}
	return text + plaintext.CutMark
}

// Split returns the parts of a text; see plaintext.SplitTokens.
func Split(text string, limit int, counter memory.TokenCounter) []string {
	return plaintext.SplitTokens(text, limit, counter.CountTokens)
}
