package prompt

import (
	"unicode"
	"unicode/utf8"
)

// TokenCounter counts the tokens a model would see in a text. It must be safe
// for concurrent use, give the same count for the same text, and 0 for "".
// The package prompt/tiktoken has exact ones for OpenAI's models.
type TokenCounter interface {
	CountTokens(text string) int
}

// TokenCounterFunc makes a TokenCounter of a function.
type TokenCounterFunc func(text string) int

// CountTokens calls the function.
func (f TokenCounterFunc) CountTokens(text string) int { return f(text) }

// Estimator is a TokenCounter that needs no encoding: it breaks a text where
// tokenizers break it, and counts
//
//   - one token per three digits,
//   - one per word of up to six letters and per six more (per two in capitals
//     or before a digit, per three within a word: ids look like that),
//   - one per three punctuation marks in a row,
//   - a space with what follows it, but for digits,
//   - one per two letters of Latin with accents, Greek and Cyrillic, one per
//     letter of any other script, two to three per symbol.
//
// The rule was fitted to o200k_base, on the high side, so that a block within a
// budget by the Estimator seldom exceeds it by the real count. TestEstimator
// holds the bounds it keeps. The zero value is ready to use.
type Estimator struct{}

var _ TokenCounter = Estimator{}

// CountTokens estimates the number of tokens of a text.
func (Estimator) CountTokens(text string) int {
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

// wordPiece is a word, or what an id or a name in camel case has of one.
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

// signPiece is a run of punctuation and line breaks, with a space before it.
func signPiece(text string, i int) (size, tokens int) {
	if text[i] == ' ' {
		size = 1
	}
	signs := span(text, i+size, len(text), isSign)
	return size + signs, max(1, (signs+2)/3)
}

// foreignPiece is a run of letters beyond ASCII, or a single symbol.
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

// span returns the length of the run of bytes from i, up to end, that are in a class.
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
