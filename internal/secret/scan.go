package secret

// kind is a kind of byte.
type kind uint8

const (
	other kind = iota
	// lower, upper and digit are those of ASCII.
	lower
	upper
	digit
	// joint is a byte of base64 that is none of these.
	joint
	// special may begin a secret, or an escaped character.
	special
)

// kinds are the kinds of bytes.
var kinds = [256]kind{
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': lower, 'b': lower, 'c': lower, 'd': lower, 'e': lower, 'f': lower, 'g': lower, 'h': lower, 'i': lower, 'j': lower,
	'k': lower, 'l': lower, 'm': lower, 'n': lower, 'o': lower, 'p': lower, 'q': lower, 'r': lower, 's': lower, 't': lower,
	'u': lower, 'v': lower, 'w': lower, 'x': lower, 'y': lower, 'z': lower,
	'A': upper, 'B': upper, 'C': upper, 'D': upper, 'E': upper, 'F': upper, 'G': upper, 'H': upper, 'I': upper, 'J': upper,
	'K': upper, 'L': upper, 'M': upper, 'N': upper, 'O': upper, 'P': upper, 'Q': upper, 'R': upper, 'S': upper, 'T': upper,
	'U': upper, 'V': upper, 'W': upper, 'X': upper, 'Y': upper, 'Z': upper,
	'+': joint, '/': joint, ':': special, '-': special, '\\': special, '%': special,
}

// isWordByte reports whether a byte is an ASCII letter or digit.
func isWordByte(c byte) bool { return kinds[c]-lower <= digit-lower }

// find returns the first secret of a text from an offset on. Most words begin none, which
// their first bytes tell.
func (t *ruleTable) find(text []byte, from int) (start, end int, ok bool) {
	run := from // where the current run of base64 begins
	for i := from; i < len(text); {
		switch k := kinds[text[i]]; {
		case k == joint:
			i++
		case k == other, k == special:
			if i-run >= lenSecretAccessKey && isKeyMaterial(text, run, i) {
				return run, keyMaterialEnd(text, i), true
			}
			if k == other {
				i++
			} else if start, end, ok := findPlaced(text, i); ok {
				return max(start, from), end, true
			} else {
				i += escapeLen(text, i)
			}
			run = i
		default:
			next := wordEnd(text, i, k)
			if t.begins(text, i) {
				if start, end, ok := t.findWord(text, i, next); ok && end > from {
					return max(start, from), end, true
				}
			}
			if k == digit && mayBeCard(text, i) {
				if end := cardEnd(text, i); end > 0 {
					return i, end, true
				}
			}
			i = next
		}
	}
	return run, len(text), isKeyMaterial(text, run, len(text))
}

// wordEnd returns the end of a word that begins at an offset: at the next byte that is no
// letter or digit, or before a capital behind a small letter or a digit.
func wordEnd(text []byte, i int, k kind) int {
	for i++; i < len(text); i++ {
		next := kinds[text[i]]
		if next-lower > digit-lower || next == upper && k != upper {
			break
		}
		k = next
	}
	return i
}

// escapeLen returns the length of an escaped character, \n, \u003d or %3D, or 1.
func escapeLen(text []byte, i int) int {
	switch c := text[i]; {
	case c == '\\' && i+5 < len(text) && text[i+1] == 'u':
		return 6
	case c == '%' && i+2 < len(text) && isWordByte(text[i+1]) && isWordByte(text[i+2]):
		return 3
	case c == '\\' && i+1 < len(text):
		return 2
	}
	return 1
}

// findWord returns the secret that the word text[i:next] begins, or is the label of.
func (t *ruleTable) findWord(text []byte, i, next int) (start, end int, ok bool) {
	whole := beginsWord(text, i)
	for _, e := range t.entries[hash2(text[i], text[i+1])] {
		switch {
		case e.rule == nil:
			if e.isLabelAt(text, i, next) {
				if start, end, ok := findLabelled(text, i, next); ok {
					return start, end, true
				}
			}
		case whole || e.rule.back > 0:
			if start, end, ok := e.rule.match(text, i-e.lead, e.keyword); ok {
				return start, end, true
			}
		}
	}
	return 0, 0, false
}

// beginsWord reports whether no letter or digit is before an offset, or only that of an escaped
// character.
func beginsWord(text []byte, i int) bool {
	return i == 0 || !isWordByte(text[i-1]) || isEscaped(text, i)
}

// isEscaped reports whether an escaped character ends before an offset.
func isEscaped(text []byte, i int) bool {
	return i > 1 && text[i-2] == '\\' || i > 2 && text[i-3] == '%' || i > 5 && text[i-6] == '\\' && text[i-5] == 'u'
}
