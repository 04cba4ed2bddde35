package inert

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Enclosure is the kind of enclosure around an escaped text. Each but quotes, which
// are always escaped, is a bit.
type Enclosure uint8

const (
	// InQuotes encloses labels, and types that are not plain words.
	InQuotes Enclosure = 0
	// InParentheses encloses ids, joined by ", ".
	InParentheses Enclosure = 1
	// InBrackets encloses ids in a catalogue.
	InBrackets Enclosure = 2
)

const hexDigits = "0123456789abcdef"

// MustEscape reports whether a rune must be escaped in an enclosure.
func MustEscape(r rune, in Enclosure) bool {
	if r < utf8.RuneSelf {
		return mustEscapeASCII(byte(r), in)
	}
	return r == utf8.RuneError || !unicode.IsPrint(r) || isInvisible(r) || isLookAlike(r) || in == InParentheses && isParenthesis(r)
}

// mustEscapeASCII is MustEscape for ASCII: control characters, the end of the
// enclosure, and characters that are dangerous outside the block. "<" and braces are
// escaped so that role markers (<|im_start|>) and template syntax ({{…}}, {%…%}) stay
// inert if the block is pasted into a template.
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

// isInvisible reports whether a rune has no shape although unicode.IsPrint accepts
// it: fillers and joiners, variation selectors, and the empty Braille pattern. With
// the format characters, which unicode.IsPrint rejects, these cover Unicode's
// Default_Ignorable_Code_Point.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// isParenthesis reports whether a rune looks like an ASCII parenthesis.
func isParenthesis(r rune) bool {
	return r == '\uff08' || r == '\uff09' || r == '\ufe59' || r == '\ufe5a' || r == '\u2768' || r == '\u2769'
}

// isPlain reports whether a byte is ASCII that is escaped nowhere.
func isPlain(c byte, in Enclosure) bool {
	const (
		low  uint64 = 1<<' ' - 1 | 1<<'"' | 1<<'<' | 1<<'$' | 1<<'%' | 1<<':'
		high uint64 = (1<<'\\' | 1<<'{' | 1<<'}' | 1<<0x7f | 1<<'[' | 1<<']') >> 64
		both uint64 = 1<<'(' | 1<<')'
	)
	if c >= 64 {
		return c < utf8.RuneSelf && high>>(c-64)&1 == 0
	}
	return (low|uint64(in&1)*both)>>c&1 == 0
}

// isPlainASCII reports whether a text is ASCII without characters to escape and without
// those that markers have, the common case.
func isPlainASCII(text string, in Enclosure) bool {
	for i := range len(text) {
		if !isPlain(text[i], in) {
			return false
		}
	}
	return true
}

// AppendEscaped appends text, escaping the runes of MustEscape and one character of each
// marker, as in a JSON string: \", \\, \n, \t, else \uXXXX with lower-case digits, as a
// surrogate pair above U+FFFF. Each invalid byte is escaped as U+FFFD. In parentheses, a
// comma before a space is escaped, so that it separates no ids.
func AppendEscaped(dst []byte, text string, in Enclosure) []byte {
	if in == InParentheses {
		for i := strings.Index(text, ", "); i >= 0; i = strings.Index(text, ", ") {
			dst = appendHex(appendEscaped(dst, text[:i], in), ',')
			text = text[i+1:]
		}
	}
	return appendEscaped(dst, text, in)
}

func appendEscaped(dst []byte, text string, in Enclosure) []byte {
	if isPlainASCII(text, in) {
		return append(dst, text...)
	}
	clean := 0 // start of the runes not appended yet
	colon := roleColon(text)
	for i, r := range text {
		if isPlain(text[i], in) || !MustEscape(r, in) && i != colon && !isMarker(text, i) || (r == '{' || r == '}') && isNumbered(text, i) {
			continue
		}
		dst = append(dst, text[clean:i]...)
		dst = appendEscape(dst, r)
		_, size := utf8.DecodeRuneInString(text[i:]) // not RuneLen: r may replace an invalid byte
		clean = i + size
	}
	return append(dst, text[clean:]...)
}

// isNumbered reports whether the brace at an offset is one of "@{0}", a place in a history of git: no
// template has a name there.
func isNumbered(text string, at int) bool {
	const most = 4 // digits
	open := strings.LastIndexByte(text[max(0, at-most-1):at+1], '{') + max(0, at-most-1)
	if open < 1 || text[open-1] != '@' {
		return false
	}
	number, _, closed := strings.Cut(text[open+1:min(len(text), open+most+2)], "}")
	return closed && number != "" && strings.Trim(number, "0123456789") == "" && (at == open || at == open+1+len(number))
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

// Unescape is the inverse of AppendEscaped. It reports false for a text that
// AppendEscaped does not produce. The result is a copy.
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
	// Escaping again detects missing and needless escapes.
	if string(AppendEscaped(nil, string(text), in)) != escaped {
		return "", false
	}
	return string(text), true
}

// decodeEscape decodes the escape at the start of text. A size of 0 means that it is
// invalid.
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
