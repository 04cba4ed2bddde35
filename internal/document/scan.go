package document

import "bytes"

// signs are properties of the first tokens of a text that begins with a bracket.
type signs struct {
	loose    bool // syntax that JSON does not have
	strict   bool // syntax that only JSON has: a key in double quotes
	another  bool // a second value after the first
	footnote bool // brackets around less than a document, followed by text: [1] See …
}

// scan examines the tokens in the first 512 bytes without checking them.
func scan(text []byte) (s signs) {
	const window = 512
	text = text[:min(len(text), window)]
	depth, trivial := 0, text[0] == '['
	var last byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case depth == 0 && i > 0: // after the first value
			next := bytes.TrimLeft(text[i:], jsonSpace+",")
			s.another = len(next) > 0 && (next[0] == '{' || next[0] == '[')
			s.footnote = trivial && !s.another
			return s
		case c == '"':
			trivial = false
			end := stringEnd(text[i:])
			i += end
			if colon := spaceEnd(text, i+1); end > 0 && colon < len(text) && text[colon] == ':' {
				s.strict = true
			}
		case c == '{' || c == '[':
			trivial = trivial && c == '['
			depth++
		case c == '}' || c == ']':
			if last == ',' {
				s.loose = true
				return s
			}
			depth--
		case isLetter(c):
			n := wordEnd(text[i:])
			if word := string(text[i : i+n]); word != "true" && word != "false" && word != "null" && i+n < len(text) {
				s.loose = true
				return s
			}
			i += n - 1
		case c == '-' || c == '+' || c == '.' || isDigit(c):
			i += wordEnd(text[i:]) - 1
		case c != ',' && c != ':':
			s.loose = true // quotes, parentheses, comments
			return s
		}
		last = c
	}
	return s
}

// stringEnd returns the offset of the quote that ends the string at the start of
// text, or of the last byte.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}

// wordEnd returns the length of the number or name at the start of text.
func wordEnd(text []byte) int {
	n := 1
	for n < len(text) && (isWord(text[n]) || text[n] == '.' || text[n] == '+' || text[n] == '-') {
		n++
	}
	return n
}
