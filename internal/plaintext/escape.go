package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Enclosure is what an escaped text stands in. Each but quotes, which are escaped
// in all, is a bit.
type Enclosure uint8

const (
	// InQuotes is between quotes: labels, and types that are not plain words.
	InQuotes Enclosure = 0
	// InParentheses is between parentheses: ids.
	InParentheses Enclosure = 1
	// InBrackets is between square brackets: ids in a catalogue.
	InBrackets Enclosure = 2
)

const hexDigits = "0123456789abcdef"

// MustEscape reports whether a rune may not stand for itself.
func MustEscape(r rune, in Enclosure) bool {
	if r < utf8.RuneSelf {
		return mustEscapeASCII(byte(r), in)
	}
	return r == utf8.RuneError || !unicode.IsPrint(r) || isInvisible(r)
}

// mustEscapeASCII is MustEscape for ASCII: control characters, what ends the
// enclosure, and characters that are harmless in the block itself. "<" and
// braces are escaped so that role markers (<|im_start|>) and template syntax
// ({{…}}, {%…%}) stay inert where someone pastes the block into a template's source.
func mustEscapeASCII(c byte, in Enclosure) bool {
	const (
		low      uint64 = 1<<' ' - 1 | 1<<'"' | 1<<'<'
		high     uint64 = (1<<'\\' | 1<<'{' | 1<<'}' | 1<<0x7f) >> 64
		parens   uint64 = 1<<'(' | 1<<')'
		brackets uint64 = (1<<'[' | 1<<']') >> 64
	)
	if c >= 64 {
		return (high|uint64(in>>1)*brackets)>>(c-64)&1 != 0
	}
	return (low|uint64(in&1)*parens)>>c&1 != 0
}

// isInvisible is true for what has no shape although unicode.IsPrint says yes
// to it: fillers and joiners, variation selectors (with the format characters,
// to which it says no, these make up Unicode's Default_Ignorable_Code_Point),
// and the empty Braille pattern.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// isPlainASCII reports whether a text is ASCII that needs no escape, as most is.
func isPlainASCII(text string, in Enclosure) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || mustEscapeASCII(c, in) {
			return false
		}
	}
	return true
}

// AppendEscaped appends text with what MustEscape names escaped as in a JSON
// string: \", \\, \n, \t, else \uXXXX with lower-case digits, a surrogate pair
// above U+FFFF. Text that is not valid UTF-8 is escaped as if each wrong byte
// were U+FFFD.
func AppendEscaped(dst []byte, text string, in Enclosure) []byte {
	if isPlainASCII(text, in) {
		return append(dst, text...)
	}
	clean := 0 // where the runes begin that are not appended yet
	for i, r := range text {
		if !MustEscape(r, in) {
			continue
		}
		dst = append(dst, text[clean:i]...)
		dst = appendEscape(dst, r)
		_, size := utf8.DecodeRuneInString(text[i:]) // not RuneLen: r may stand for a wrong byte
		clean = i + size
	}
	return append(dst, text[clean:]...)
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendHex(appendHex(dst, high), low)
	}
	return appendHex(dst, r)
}

func appendHex(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&0xf], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf])
}

// Unescape is the inverse of AppendEscaped. It is false for what AppendEscaped
// could not have written. The result is a copy.
func Unescape(escaped string, in Enclosure) (string, bool) {
	text := make([]byte, 0, len(escaped))
	for rest := escaped; rest != ""; {
		i := strings.IndexByte(rest, '\\')
		if i < 0 {
			text = append(text, rest...)
			break
		}
		text = append(text, rest[:i]...)
		r, size := decodeEscape(rest[i:])
		if size == 0 {
			return "", false
		}
		text = utf8.AppendRune(text, r)
		rest = rest[i+size:]
	}
	// What was not escaped, or was without need, is found by escaping it again.
	if string(AppendEscaped(nil, string(text), in)) != escaped {
		return "", false
	}
	return string(text), true
}

// decodeEscape decodes the escape that text begins with. Its size is 0 if it is none.
func decodeEscape(text string) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '"', '\\':
		return rune(text[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	}
	high, ok := decodeHex(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	low, ok := decodeHex(text[6:])
	if r := utf16.DecodeRune(high, low); ok && r != utf8.RuneError {
		return r, 12
	}
	return 0, 0
}

// decodeHex decodes \uXXXX.
func decodeHex(text string) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		digit := strings.IndexByte(hexDigits, text[i])
		if digit < 0 {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}
