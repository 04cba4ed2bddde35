package shape

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// IsHandle reports whether a name is written in the style of programs: prod-db, @notes/editor.
func IsHandle(text []byte) bool {
	return every(bytes.TrimPrefix(text, []byte("@")), func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("-_./", c) >= 0 })
}

// IsNoValue reports whether a text stands for a missing value.
func IsNoValue(text []byte) bool {
	return slices.ContainsFunc(absentValues, func(word string) bool { return len(word) == len(text) && strings.EqualFold(word, string(text)) })
}

var absentValues = []string{"null", "none", "n/a", "undefined", "[redacted]", "-", "--", "—"}

// IsDataType reports whether a text is a type of data in SQL: int, varchar(255).
func IsDataType(text []byte) bool {
	var lower [len("timestamptz")]byte
	name, size, sized := bytes.Cut(bytes.TrimSuffix(text, []byte(")")), []byte("("))
	if len(name) > len(lower) || !every(name, IsLetter) {
		return false
	}
	for i, c := range name {
		lower[i] = c | 0x20
	}
	return dataTypes.HasBytes(lower[:len(name)]) && (!sized || every(size, func(c byte) bool { return isDigit(c) || c == ',' }))
}

var dataTypes = vocabulary.Set{List: `int integer bigint smallint tinyint varchar nvarchar char bool boolean float double decimal numeric datetime
	timestamp timestamptz bytea jsonb serial bigserial longtext mediumtext`}

// MayBeCandidate rejects most texts quickly: a candidate is one word with a digit or a
// character that ordinary words do not have.
func MayBeCandidate(text []byte) bool {
	marked := false
	for _, c := range text {
		if c <= ' ' {
			return false
		}
		marked = marked || c < 'A' && c != '-' && c != '\'' && c != ',' || c == '_' || c == '\\'
	}
	return marked
}

// IsShortWord reports whether a word with a digit is so short and plain that it is more likely
// a kind or a size: gp3, h264.
func IsShortWord(text []byte) bool {
	n, _ := countChars(text)
	return len(text) <= 5 && n.lower+n.digits == len(text)
}

// IsPath reports whether a word without digits is a path, a URI or the name of a file.
func IsPath(text []byte) bool {
	if i := bytes.IndexByte(text, '/'); i >= 0 {
		return bytes.Count(text, []byte("/")) >= 2 || i == 0 || bytes.IndexByte(text[i:], '.') > 0
	}
	i := bytes.LastIndexByte(text, '.')
	return i > 0 && len(text)-i-1 >= 1 && len(text)-i-1 <= 5 && IsLetter(text[i+1])
}

// IsMediaType reports whether a text is the media type of a document: text/plain.
func IsMediaType(text []byte) bool {
	kind, rest, _ := bytes.Cut(text, []byte("/"))
	return len(rest) > 0 && bytes.IndexByte(rest, '/') < 0 && mediaKinds.HasBytes(kind)
}

var mediaKinds = vocabulary.Set{List: `application audio font image model multipart text video`}

// IsGenerated reports whether a word without digits has a prefix and a long part of mixed
// case, as generated ids have: cus_NeZwdNtLEOXuvB.
func IsGenerated(text []byte) bool {
	i := bytes.LastIndexAny(text, "_-")
	n, _ := countChars(text[i+1:])
	return i > 0 && n.upper >= 3 && n.lower >= 3 && n.upper+n.lower == len(text)-i-1 && len(text)-i > 8
}

// IsCommitID reports whether a text is the digest of a commit, SHA-1 or SHA-256.
func IsCommitID(text []byte) bool {
	return (len(text) == 40 || len(text) == 64) && every(text, isHex)
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// IsProgramName reports whether a word is a name of several parts in the style of
// programs: acme-logs, doc-1, u_1a.
func IsProgramName(text []byte) bool {
	return IsHandle(text) && bytes.ContainsAny(text, "-_") && Of(text) >= MaybeID
}

// IsShare reports whether a text is a number out of another: 1/2.
func IsShare(text []byte) bool {
	a, b, _ := bytes.Cut(text, []byte("/"))
	return IsDigits(a) && IsDigits(b)
}

// IsCell reports whether a text is the position of a cell in a sheet, or of several: A1,
// B2:C9, Prices!A1:C3.
func IsCell(text []byte) bool {
	for cell := range bytes.SplitSeq(text[bytes.LastIndexByte(text, '!')+1:], []byte(":")) {
		digits := bytes.TrimLeft(cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ$")
		if letters := len(cell) - len(digits); letters < 1 || letters > 4 || !IsDigits(digits) {
			return false
		}
	}
	return true
}

// IsNumberedName reports whether a word with a digit is written in one case, as programs
// name things: web-1, 3pk0z1xw, WEB-4F2.
func IsNumberedName(text []byte) bool {
	n, ok := countChars(text)
	return ok && len(text) >= 4 && n.digits > 0 && n.upper+n.lower > 0 && (n.upper == 0 || n.lower == 0) &&
		n.digits+n.upper+n.lower+n.seps == len(text) && Of(text) >= MaybeID
}

// IsHash reports whether a text is a hash in lower case, abbreviated or not.
func IsHash(text []byte) bool {
	n, _ := countChars(text)
	return len(text) >= 12 && n.digits > 0 && n.lower > 0 && n.upper == 0 && every(text, isHex)
}

// IsEncoded reports whether a text is letters of both cases and digits only, as of binary
// data: UnVuOnYxOjNwazB6.
func IsEncoded(text []byte) bool {
	n, _ := countChars(text)
	return len(text) >= 12 && n.digits > 0 && n.upper > 1 && n.lower > 1 && n.digits+n.upper+n.lower == len(text)
}

// IsOpaque reports whether a text is made for machines: a UUID, or a text with a run of letters and digits
// that people would not type, req_8Kx2a9bQzLmPwY.
func IsOpaque(text []byte) bool {
	const long = 12
	if IsUUID(text) {
		return true
	}
	for part := range bytes.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("-_:./", c) }) {
		if len(part) >= long && HasDigit(part) && !IsDigits(part) {
			return true
		}
	}
	return false
}

// IsEmail reports whether a text is an e-mail address.
func IsEmail(text []byte) bool {
	name, host, ok := bytes.Cut(text, []byte("@"))
	dot := bytes.LastIndexByte(host, '.')
	if !ok || len(name) == 0 || dot < 1 || bytes.ContainsAny(text, " ,;:<>()[]{}\"'/\\|") || bytes.IndexByte(host, '@') >= 0 {
		return false
	}
	domain := host[dot+1:]
	return len(domain) >= 2 && every(domain, IsLetter) && string(domain) != "service" // of systemd
}

// IsErrorStatus reports whether a text is the status of an HTTP error: 404.
func IsErrorStatus(text []byte) bool {
	return len(text) == 3 && (text[0] == '4' || text[0] == '5') && IsDigits(text)
}

// IsVariant reports whether a text is one of some words followed by another word, which begins with a capital or
// an underscore: TestTotal of Test.
func IsVariant(text []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		rest, ok := bytes.CutPrefix(text, []byte(word))
		return ok && len(rest) > 0 && (isUpper(rest[0]) || rest[0] == '_')
	})
}
