package tiktoken

import (
	"unicode"
	"unicode/utf8"

	bpe "github.com/pkoukk/tiktoken-go"
)

const (
	// partBytes is the size from which a text is cut at the next good position.
	// At twice that size it is cut anywhere.
	partBytes = 32 << 10
	// runBytes is the longest run of one class of characters that is encoded
	// whole: tiktoken-go takes quadratic time for a run.
	runBytes = 512
	// uncertainTokens is how many tokens before a cut may differ from those of the
	// uncut text.
	uncertainTokens = 8
)

// class is a class of characters. Every pattern breaks a text between two classes,
// though not at every such position.
type class uint8

const (
	letter class = iota
	number
	space
	other
)

func classOf(r rune) class {
	switch {
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	case unicode.IsNumber(r):
		return number
	case unicode.IsSpace(r):
		return space
	default:
		return other
	}
}

// cutPart returns the prefix of a text to encode next, which is all of a short
// text. If long is true, the prefix ends within a run; see countStart.
func cutPart(text string) (part string, long bool) {
	if len(text) <= runBytes {
		return text, false
	}
	run, lead, prev := 0, 0, 0 // the starts of the run, of what belongs to it, and of the previous rune
	runClass := other
	for i, r := range text {
		if c := classOf(r); c != runClass {
			if i >= partBytes && c == space && isLetterAt(text, prev) && isLetterAt(text, i+1) {
				return text[:i], false // no pattern joins a space to the word before it
			}
			lead = i
			if text[prev] == ' ' || runClass == other && run == prev {
				lead = prev // a space, or a single sign, may belong to the word after it
			}
			run, runClass = i, c
		}
		switch {
		case i-run >= runBytes && lead > 0:
			return text[:lead], false
		case i-run >= runBytes:
			return text[:i], true
		case i >= 2*partBytes:
			return text[:i], false
		}
		prev = i
	}
	return text, false
}

func isLetterAt(text string, i int) bool {
	return i < len(text) && ('a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
}

// countStart counts the tokens at the start of a run that was cut, except those
// near the cut, and returns the size of the counted text.
func countStart(enc *bpe.Tiktoken, run string) (count, size int) {
	tokens := enc.EncodeOrdinary(run)
	count = max(len(tokens)-uncertainTokens, len(tokens)/2)
	for ; count > 0; count-- {
		size = len(enc.Decode(tokens[:count]))
		if size < len(run) && utf8.RuneStart(run[size]) {
			return count, size
		}
	}
	return len(tokens), len(run)
}
