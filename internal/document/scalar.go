package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// view returns the bytes of a string without copying a result of possibly many
// megabytes. They must not be modified: decoders only read, and Visitor forbids it.
func view(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// valid replaces invalid UTF-8.
func valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}

// plainKind returns the kind of a scalar in formats that do not mark strings.
func plainKind(text []byte) Kind {
	switch string(text) {
	case "", "~", "null", "Null", "NULL", "None":
		return Null
	case "true", "false":
		return Bool
	}
	if number, exponent := isNumber(text); number && !exponent {
		return Number
	}
	return String
}

// plain delivers a scalar in such a format.
func (e *emitter) plain(text []byte) {
	e.scalar(plainKind(text), valid(text))
}

// isNumber reports whether text is a number in JSON's grammar, and whether it has an
// exponent.
func isNumber(text []byte) (number, exponent bool) {
	end, exponent, ok := numberEnd(text, 0)
	return ok && end == len(text), exponent
}

// numberEnd returns the end of the JSON number at i and whether it has an exponent. Not ok
// means that it is malformed there.
func numberEnd(text []byte, i int) (end int, exponent, ok bool) {
	if i < len(text) && text[i] == '-' {
		i++
	}
	if end = digitsEnd(text, i); end == i {
		return end, false, false
	}
	if text[i] == '0' {
		end = i + 1
	}
	if end < len(text) && text[end] == '.' {
		if i, end = end+1, digitsEnd(text, end+1); end == i {
			return end, false, false
		}
	}
	if end < len(text) && text[end]|0x20 == 'e' {
		if i = end + 1; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		end = digitsEnd(text, i)
		return end, true, end > i
	}
	return end, false, true
}

func digitsEnd(text []byte, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter counts every byte beyond ASCII as part of a letter.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

// isWord reports whether c can be part of an identifier.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// startsWith reports whether the first byte of text is one of some characters.
func startsWith(text []byte, chars string) bool {
	return len(text) > 0 && strings.IndexByte(chars, text[0]) >= 0
}

// isAny reports whether a name is one of some words in lower case.
func isAny(name []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return len(word) == len(name) && strings.EqualFold(word, string(name)) })
}

// unwrap strips one pair of marks around text.
func unwrap(text []byte, marks ...string) (inner []byte, ok bool) {
	for _, mark := range marks {
		rest, opened := bytes.CutPrefix(text, []byte(mark))
		if inner, closed := bytes.CutSuffix(rest, []byte(mark)); opened && closed {
			return inner, true
		}
	}
	return text, false
}
