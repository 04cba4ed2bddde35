package excerpt

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escape returns the escape sequence that follows in a string, and what it means.
func (s *scanner) escape() (raw, plain []byte) {
	w := s.ahead(len(`\ud83d\ude00`))
	switch {
	case len(w) < 2:
		s.fail(errCut)
	case w[1] == 'u':
		return s.codePoint(w)
	default:
		const written, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if i := strings.IndexByte(written, w[1]); i >= 0 {
			return w[:2], append(s.rune[:0], meant[i])
		}
		s.fail(errSyntax)
	}
	return nil, nil
}

// codePoint reads \u and four digits, or two of them for one rune. Half a pair is U+FFFD.
func (s *scanner) codePoint(w []byte) (raw, plain []byte) {
	const size = len(`\u0000`)
	if len(w) < size {
		s.fail(errCut)
		return nil, nil
	}
	r, ok := hex(w[2:size])
	if !ok {
		s.fail(errSyntax)
		return nil, nil
	}
	raw = w[:size]
	if utf16.IsSurrogate(r) && len(w) == 2*size && w[size] == '\\' && w[size+1] == 'u' {
		low, _ := hex(w[size+2:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			raw, r = w, pair
		}
	}
	return raw, utf8.AppendRune(s.rune[:0], r)
}

func hex(digits []byte) (rune, bool) {
	n, err := strconv.ParseUint(string(digits), 16, 16)
	return rune(n), err == nil
}
