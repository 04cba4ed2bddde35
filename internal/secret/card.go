package secret

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// shortestCard is the number of digits of the shortest number of a card.
const shortestCard = 15

// mayBeCard reports whether the number at an offset may be that of a card, by its first digits
// and what is before it.
func mayBeCard(text []byte, at int) bool {
	switch {
	case len(text)-at < shortestCard, at > 0 && text[at-1] == '_', at > 1 && text[at-1] == '.' && kinds[text[at-2]] == digit:
		return false
	}
	switch first, second := text[at], text[at+1]; first {
	case '2':
		return '2' <= second && second <= '7'
	case '3':
		return second == '4' || second == '5' || second == '7'
	default:
		return '4' <= first && first <= '6'
	}
}

// cardEnd returns the end of the number of a payment card that begins at an offset, or 0: 15
// or 16 digits of a known issuer, in groups or not, whose check digit is right. Of 16 random
// digits 2 % are.
func cardEnd(text []byte, at int) int {
	const group, longest = 4, 16
	var digits [longest]byte
	n, end := 0, at
	for ; end < len(text) && n < longest; end++ {
		c := text[end]
		switch {
		case kinds[c] == digit:
			digits[n] = c - '0'
			n++
			continue
		case (c == ' ' || c == '-') && n >= group && end+1 < len(text) && kinds[text[end+1]] == digit:
			continue
		}
		break
	}
	if !beginsWord(text, at) || end < len(text) && (isWordByte(text[end]) || text[end] == '_') || !isIssued(digits[:n]) || !isLuhn(digits[:n]) || end-at == n && isNamedID(text, at) {
		return 0
	}
	return end
}

// IsCardNumber reports whether a text is the number of a payment card without spaces, and nothing
// else.
func IsCardNumber(text []byte) bool {
	return len(text) >= shortestCard && len(trimDigits(text)) == 0 && cardEnd(text, 0) == len(text)
}

// cardWords tell that a number nearby is that of a card.
var cardWords = [...]string{"card", "cards", "credit", "debit", "cc", "pan", "visa", "mastercard", "amex", "payment", "exp", "expires", "cvv", "cvc"}

// isNamedID reports whether the name before an offset is that of an identifier, though not of a
// card, of which nothing around it tells either: "team_id": 4509…, ID: 4509….
func isNamedID(text []byte, at int) bool {
	head := bytes.TrimRight(text[max(0, at-maxLabel):at], "\"'`*\\:=(# \t")
	from, to := nameAround(head, len(head), len(head))
	words := english.Words(string(head[from:to]))
	if n := len(words); n == 0 || words[n-1] != "id" && words[n-1] != "ids" {
		return false
	}
	around := english.Words(string(text[max(0, at-maxLabel):min(len(text), at+2*maxLabel)]))
	return !slices.ContainsFunc(cardWords[:], func(word string) bool { return slices.Contains(around, word) })
}

// isIssued reports whether digits begin as those of Visa, Mastercard, Discover, JCB or
// UnionPay, or as American Express has them.
func isIssued(digits []byte) bool {
	if len(digits) < shortestCard {
		return false
	}
	two := 10*int(digits[0]) + int(digits[1])
	four := 100*two + 10*int(digits[2]) + int(digits[3])
	if len(digits) == shortestCard {
		return two == 34 || two == 37
	}
	return digits[0] == 4 || 51 <= two && two <= 55 || 2221 <= four && four <= 2720 || four == 6011 || two == 65 || two == 62 || 3528 <= four && four <= 3589
}

// isLuhn reports whether the last digit is the check digit of ISO/IEC 7812.
func isLuhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}
