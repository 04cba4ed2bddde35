package secret

import "bytes"

const (
	// maxValue is the length in bytes of the longest value of a label.
	maxValue = 4 << 10
	// maxJudged is how much of a value without quotes decides whether it is a secret.
	maxJudged = 128
	// minCode is the length of the shortest code without a sign before it.
	minCode = 4
)

// link is what connects a label with its value.
type link uint8

const (
	// adjacent: the PIN 1234.
	adjacent link = iota
	// verb: the PIN is 1234, | PIN | 1234 |.
	verb
	// sign: PIN: 1234, "pin": "1234".
	sign
	// equals: pin=1234, <pin>1234</pin>.
	equals
)

// value is what may be the secret of a label.
type value struct {
	text       []byte
	start, end int
	link       link
	quoted     bool
	// spaced is set if there is space before the value, and last if nothing is behind it on
	// its line.
	spaced, last bool
}

// readValue returns the value that begins at an offset, behind spaces and an opening mark.
func readValue(text []byte, at int, by link) value {
	start := skip(text, at, " \t")
	v := value{link: by, spaced: start > at}
	switch {
	case start == len(text):
		return v
	case by >= sign && (text[start] == '|' || text[start] == '>'): // a block of YAML
		start = skip(text, start, "|>+- \r\n")
	case by >= sign && (text[start] == '[' || text[start] == '{'):
		return v.between(text, start, bracketEnd(text, start))
	}
	if end := privateKeyEnd(text, start); end > 0 {
		return v.between(text, start, end)
	}
	start = skip(text, start, "(*<[\\")
	if start < len(text) && bytes.IndexByte([]byte("\"'`"), text[start]) >= 0 {
		return v.between(text, start+1, quoteEnd(text, start))
	}
	end := valueEnd(text, start, maxJudged)
	v.last = end == len(text) || text[end] == '\r' || text[end] == '\n'
	v.start, v.end = start, start+len(bytes.TrimRight(text[start:end], ".:!?*"))
	v.text = text[v.start:v.end]
	return v
}

// valueEnd returns the end of a value without quotes that begins at an offset, or the offset
// behind so many bytes of it.
func valueEnd(text []byte, start, most int) int {
	head := text[start:min(len(text), start+most)]
	if i := bytes.IndexAny(head, " \t\r\n\"'`,;&<>)]}|\\"); i >= 0 {
		return start + i
	}
	return start + len(head)
}

func (v value) between(text []byte, start, end int) value {
	v.quoted, v.start, v.end, v.text = true, start, end, text[start:end]
	return v
}

// isSecret reports whether the value of a label is a secret and not just the next word of a
// sentence.
func (v *value) isSecret(label string) bool {
	switch {
	case len(v.text) == 0 || isNothing(v.text) || isToken(label) && len(trimDigits(v.text)) == 0:
		return false
	case v.quoted && v.link != adjacent, v.link == equals:
		return true
	case v.link == sign:
		return isOpaque(v.text) || hasDigit(v.text) || v.spaced && v.last
	case v.link == verb:
		return isOpaque(v.text)
	}
	return v.spaced && len(v.text) >= minCode && hasDigit(v.text) && (isOfDigits(label) || len(v.text) >= 2*minCode && len(trimDigits(v.text)) > 0)
}

// isNothing reports whether a value is none, or was hidden before.
func isNothing(text []byte) bool {
	switch string(bytes.ToLower(text[:min(len(text), len(Mark))])) {
	case "true", "false", "null", "none", "nil", "undefined", Mark:
		return true
	}
	return len(bytes.Trim(text, "*•")) == 0
}

// isOpaque reports whether a word has a digit, a symbol or a capital behind a small letter.
func isOpaque(word []byte) bool {
	for i, c := range word {
		if kinds[c] == upper && i > 0 && kinds[word[i-1]] == lower {
			return true
		}
	}
	return len(word) >= minCode && (hasDigit(word) || bytes.ContainsAny(word, "!@#$%^&*+=?~"))
}

func hasDigit(text []byte) bool { return bytes.ContainsAny(text, "0123456789") }

// isOfDigits reports whether the secrets of a label often are numbers.
func isOfDigits(label string) bool {
	switch label {
	case "pin", "otp", "totp", "code", "codes", "passcode", "password", "ssn", "security", "number", "insurance", "id":
		return true
	}
	return false
}

// extendToEnd extends the value of a header of HTTP to the end of its line: "Bearer …".
func (v *value) extendToEnd(text []byte, most int) {
	if v.link < sign || v.quoted {
		return
	}
	rest := text[v.end:min(len(text), v.end+most)]
	if i := bytes.IndexAny(rest, "\r\n\"'`"); i >= 0 {
		rest = rest[:i]
	}
	v.end += len(rest)
	v.text, v.last = text[v.start:v.end], true
}

// extendOverGroups extends a number over its further groups: 4111 1111 1111 1111.
func (v *value) extendOverGroups(text []byte) {
	const groups = 4
	for range groups {
		if v.end+1 >= len(text) || !hasDigit(v.text) || text[v.end] != ' ' || kinds[text[v.end+1]] != digit {
			return
		}
		for v.end++; v.end < len(text) && kinds[text[v.end]] == digit; v.end++ {
		}
		v.text = text[v.start:v.end]
	}
}

// skip returns the offset of the first byte, among the next few, that is not in a set.
func skip(text []byte, at int, set string) int {
	const most = 16
	for end := min(len(text), at+most); at < end && bytes.IndexByte([]byte(set), text[at]) >= 0; at++ {
	}
	return at
}

// quoteEnd returns the offset of the quote that closes the one at an offset, or where a value
// ends at most.
func quoteEnd(text []byte, open int) int {
	escaped := open > 0 && text[open-1] == '\\'
	end := min(len(text), open+1+maxValue)
	for i := open + 1; i < end; i++ {
		switch c := text[i]; {
		case c == text[open] && escaped:
			return max(open+1, i-1)
		case c == text[open], c == '\n':
			return i
		case c == '\\' && !escaped:
			i++
		}
	}
	return end
}

// bracketEnd returns the offset behind the bracket that closes the one at an offset, or where
// a value ends at most.
func bracketEnd(text []byte, open int) int {
	depth := 0
	end := min(len(text), open+maxValue)
	for i := open; i < end; i++ {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return end
}
