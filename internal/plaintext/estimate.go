package plaintext

import (
	"unicode"
	"unicode/utf8"
)

// Estimator counts tokens with EstimateTokens. The zero value is ready for use.
type Estimator struct{}

// CountTokens returns EstimateTokens of a text.
func (Estimator) CountTokens(text string) int { return EstimateTokens(text) }

// EstimateTokens estimates the number of tokens of a text by the rule documented for
// prompt.Estimator.
func EstimateTokens(text string) int {
	n := 0
	for i := 0; i < len(text); {
		size, tokens := piece(text, i)
		i += size
		n += tokens
	}
	return n
}

// piece returns the size and tokens of the piece of text that begins at i.
func piece(text string, i int) (size, tokens int) {
	switch c := text[i]; {
	case isDigit(c):
		return span(text, i, min(i+3, len(text)), isDigit), 1
	case isLetter(c):
		return wordPiece(text, i)
	case c == ' ' && i+1 < len(text) && isLetter(text[i+1]):
		size, tokens = wordPiece(text, i+1)
		return size + 1, tokens
	case c < utf8.RuneSelf:
		return signPiece(text, i)
	default:
		return foreignPiece(text[i:])
	}
}

// wordPiece reads a word, or one word of an id or a camel-case name.
func wordPiece(text string, i int) (size, tokens int) {
	capitals := span(text, i, len(text), isUpper)
	size = capitals + span(text, i+capitals, len(text), isLower)
	end := i + size
	switch {
	case capitals > 1, end < len(text) && isDigit(text[end]):
		return size, (size + 1) / 2
	case i > 0 && (isLetter(text[i-1]) || isDigit(text[i-1])):
		return size, (size + 2) / 3
	default:
		return size, (size + 5) / 6
	}
}

// signPiece reads a run of punctuation and line breaks, with a space before it.
func signPiece(text string, i int) (size, tokens int) {
	if text[i] == ' ' {
		size = 1
	}
	signs := span(text, i+size, len(text), isSign)
	return size + signs, max(1, (signs+2)/3)
}

// foreignPiece reads a run of letters beyond ASCII, or a single symbol.
func foreignPiece(text string) (size, tokens int) {
	halves := 0
	for i, r := range text {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		halves++
		if r >= 0x0530 { // the first script after Cyrillic
			halves++
		}
		size = i + utf8.RuneLen(r)
	}
	if size > 0 {
		return size, (halves + 1) / 2
	}
	if _, size = utf8.DecodeRuneInString(text); size > 3 {
		return size, 3
	}
	return size, 2
}

// span returns the length of the run of bytes of a class from i, up to end.
func span(text string, i, end int, in func(byte) bool) int {
	n := i
	for n < end && in(text[n]) {
		n++
	}
	return n - i
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }
func isSign(c byte) bool {
	return c < utf8.RuneSelf && c != ' ' && !isLetter(c) && !isDigit(c)
}
