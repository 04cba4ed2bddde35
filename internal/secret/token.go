package secret

// minChanges is how often small letters, capitals and digits alternate at least in a generated
// token. In the words of a name, as in rk_live_billing_sync_2, they hardly do.
const minChanges = 4

// equalFold reports whether a text is a keyword but for the case of letters.
func equalFold(text []byte, keyword string) bool {
	if len(text) != len(keyword) {
		return false
	}
	for i, c := range text {
		if k := keyword[i]; c != k && (c|0x20 != k|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// tokenLen returns the length of the token that a text begins with.
func tokenLen(text []byte) int {
	for i, c := range text {
		if !isWordByte(c) && c != '-' && c != '_' && c != '+' && c != '/' && c != '=' {
			return i
		}
	}
	return len(text)
}

// changes counts how often a small letter, a capital and a digit follow one another.
func changes(token []byte) (n int) {
	for i := 1; i < len(token); i++ {
		if isWordByte(token[i]) && isWordByte(token[i-1]) && kinds[token[i]] != kinds[token[i-1]] {
			n++
		}
	}
	return n
}

// isGenerated reports whether a token is none of words: letters, capitals and digits alternate
// often, or a part of it is longer than words with a digit, or without, are.
func isGenerated(token []byte) bool {
	const longWithDigit, long = 16, 24
	if changes(token) >= minChanges {
		return true
	}
	start, digits := 0, false
	for i := 0; i <= len(token); i++ {
		if i < len(token) && isWordByte(token[i]) {
			digits = digits || kinds[token[i]] == digit
			continue
		}
		if n := i - start; n >= long || n >= longWithDigit && digits {
			return true
		}
		start, digits = i+1, false
	}
	return false
}

// trimDigits strips the digits at the end of a word.
func trimDigits(word []byte) []byte {
	for len(word) > 0 && kinds[word[len(word)-1]] == digit {
		word = word[:len(word)-1]
	}
	return word
}
