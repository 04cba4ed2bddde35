package tiktoken

import (
	"unicode"
	"unicode/utf8"

	bpe "github.com/pkoukk/tiktoken-go"
)

const (
	// partBytes is the size from which a text is cut at the next good place,
	// and at twice of which it is cut anywhere.
	partBytes = 32 << 10
	// runBytes is the longest run of one class of characters that is encoded
	// as a whole: tiktoken-go takes time quadratic in it.
	runBytes = 512
	// unsure is how many tokens before a cut may look different without it.
	unsure = 8
)

// class is a class of characters. All patterns break a text between two
// classes, if not everywhere between them.
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

// cutPart returns the beginning of a text that is encoded next: all of a short
// text. If it is long, it is the beginning of a run that goes on; see countStart.
func cutPart(text string) (part string, long bool) {
	if len(text) <= runBytes {
		return text, false
	}
	run, lead, prev := 0, 0, 0 // where the run, what belongs to it, and the rune before begin
	runClass := other
	for i, r := range text {
		if c := classOf(r); c != runClass {
			if i >= partBytes && c == space && isLetterAt(text, prev) && isLetterAt(text, i+1) {
				return text[:i], false // in no pattern does a space belong to the word before it
			}
			lead = i
			if text[prev] == ' ' || runClass == other && run == prev {
				lead = prev // but it, or a sign alone, may belong to the word after it
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

// countStart counts tokens at the start of a run that was cut, without those
// near the cut, and returns the size of what it counted.
func countStart(enc *bpe.Tiktoken, run string) (count, size int) {
	tokens := enc.EncodeOrdinary(run)
	count = max(len(tokens)-unsure, len(tokens)/2)
	for ; count > 0; count-- {
		size = len(enc.Decode(tokens[:count]))
		if size < len(run) && utf8.RuneStart(run[size]) {
			return count, size
		}
	}
	return len(tokens), len(run)
}
