// Package shape rates values by their characters: how likely each is an identifier.
package shape

import (
	"bytes"
	"slices"
	"unicode"

	"github.com/google/uuid"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// Shape rates by its characters how likely a value is an identifier.
type Shape uint8

const (
	// NotID is a text, a measure, a date, a price: never an id.
	NotID Shape = iota
	// MaybeID can be an identifier if its key suggests one.
	MaybeID
	// LikelyID looks like an identifier under any key: NO6JO3, #W2378156, 4202497723.
	LikelyID
	// SurelyID can hardly be anything else: UUIDs, ULIDs, prefixed ids (usr_9fK3a2).
	SurelyID
)

// MaxID is the length in bytes of the longest identifier.
const MaxID = 512

// charCount counts the classes of ASCII characters in a value.
type charCount struct {
	digits, upper, lower, seps, dots, colons, slashes, other int
}

func countChars(s []byte) (n charCount, ok bool) {
	for _, c := range s {
		switch {
		case isDigit(c):
			n.digits++
		case isUpper(c):
			n.upper++
		case isLower(c):
			n.lower++
		case c == '_' || c == '-':
			n.seps++
		case c == '.':
			n.dots++
		case c == ':':
			n.colons++
		case c == '/':
			n.slashes++
		case c <= ' ' || c == 0x7f:
			return n, false
		default:
			n.other++
		}
	}
	return n, true
}

// Of rates a value by its characters alone.
func Of(s []byte) Shape {
	if len(s) > MaxID {
		return NotID
	}
	n, ok := countChars(s)
	letters := n.upper + n.lower
	switch {
	case !ok || letters+n.digits == 0:
		return NotID
	case n.digits == 0 && bytes.IndexByte(s, '@') < 0: // ids only if their key suggests it: main, alice, us-east
		return MaybeID
	case n.digits == 0 || isMeasure(s, n) || isDateOrTime(s, n) || isAddress(s, n):
		return NotID
	case isULID(s, n) || bytes.HasPrefix(s, []byte("arn:")):
		return SurelyID
	case n.other > 1 || n.other == 1 && s[0] != '#':
		return MaybeID
	case n.digits == len(s) && len(s) >= 5 || s[0] == '#':
		return LikelyID
	case n.slashes > 0 || n.dots > 0:
		return MaybeID
	case n.seps > 0 && hasIDTail(s):
		return SurelyID
	case n.seps > 0:
		return MaybeID
	case len(s) >= 5 && n.upper > 0 && (n.digits >= 2 || n.lower == 0), len(s) >= 12 && n.digits >= 2:
		return LikelyID
	}
	return MaybeID
}

// hasIDTail reports whether a part after the first of a prefixed id is built like an
// id: credit_card_4421486, usr_9fK3a2, PROJ-123, web-7d9f8b-x2x1z, but not 13-inch,
// v1-beta, top-10, phone-256gb.
func hasIDTail(s []byte) bool {
	i := bytes.IndexAny(s, "_-")
	for part := range bytes.FieldsFuncSeq(s[i+1:], func(c rune) bool { return c == '_' || c == '-' }) {
		if isIDPart(part, s[:i]) {
			return true
		}
	}
	return false
}

func isIDPart(part, head []byte) bool {
	n, _ := countChars(part)
	switch {
	case n.digits == 0 || n.digits+n.upper+n.lower != len(part) || len(head) == 0:
		return false
	case n.digits == len(part):
		return n.digits >= 3 && !IsDigits(head) || IsUpperWord(head) || n.digits >= 5
	case isMeasure(part, n):
		return false
	}
	return len(part) >= 6 || len(part) >= 5 && n.digits >= 2 // mixed parts such as 9fK3a2
}

// every reports whether all characters satisfy a condition.
func every(s []byte, is func(byte) bool) bool {
	for _, c := range s {
		if !is(c) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return isLower(c | 0x20) }

// IsUpperWord reports whether s is two or more capitals.
func IsUpperWord(s []byte) bool { return len(s) >= 2 && every(s, isUpper) }

// HasDigit reports whether s has a digit.
func HasDigit(s []byte) bool { return slices.ContainsFunc(s, isDigit) }

// IsDigits reports whether s is a decimal number without sign.
func IsDigits(s []byte) bool { return len(s) > 0 && every(s, isDigit) }

// IsUUID reports whether s is a UUID with dashes.
func IsUUID(s []byte) bool {
	return len(s) == 36 && uuid.Validate(string(s)) == nil
}

// isULID reports whether s is 26 characters of Crockford's base 32, in one case.
func isULID(s []byte, n charCount) bool {
	return len(s) == 26 && n.digits >= 2 && (n.upper == 0 || n.lower == 0) && n.digits+n.upper+n.lower == len(s) &&
		s[0] <= '7' && !bytes.ContainsAny(s, "ILOUilou")
}

// isMeasure reports whether s is a figure: a decimal fraction, a percentage, a number
// with a unit (256GB, 1080p, $12, -5), a version (v1.2.3, 1.2).
func isMeasure(s []byte, n charCount) bool {
	if n.slashes > 0 || n.colons > 0 || bytes.IndexByte(s, '_') >= 0 {
		return false
	}
	if isMoney(s) {
		return true
	}
	body := bytes.TrimLeft(s, "+-$v~")
	unit := bytes.TrimLeft(body, "0123456789.,")
	end := len(body) - len(unit)
	switch {
	case end == 0:
		return false
	case len(unit) == 0:
		return n.dots > 0 || len(body) != len(s) || bytes.IndexByte(body, ',') >= 0
	case unit[0] == '%':
		return true
	case len(unit) <= 3 && end <= 5 && every(unit, IsLetter):
		return len(s) < 8 && n.upper != len(unit) || unitNames.HasBytes(unit)
	case n.dots > 0 && unit[0] != '-': // 1.2.3rc1, but not 600519.SS
		return body[end-1] != '.'
	}
	return unit[0] == '-' && len(unit) > 2 && end <= 4 && every(unit[1:], IsLetter) // 13-inch, 10-pack, but not 12306-mcp
}

// isMoney reports whether s is an amount with the sign of a currency: HK$98.55, ¥1483.10.
func isMoney(s []byte) bool {
	sign := bytes.Trim(s, "0123456789.,")
	return currencySigns.HasBytes(sign) || len(sign) > 1 && len(sign) < 4 && sign[len(sign)-1] == '$'
}

var currencySigns = vocabulary.Set{List: `€ £ ¥ ₹`}

// IsMessageTime reports whether s is a time in seconds with microseconds,
// 1730000001.123456, as chats use to identify messages.
func IsMessageTime(s []byte) bool {
	return len(s) == 17 && s[10] == '.' && IsDigits(s[:10]) && IsDigits(s[11:])
}

// IsURN reports whether s is a name of several parts but not a web address:
// urn:li:share:68447855, spotify:track:6rqhFgbb.
func IsURN(s []byte) bool {
	return bytes.Count(s, []byte(":")) >= 2 && IsLetter(s[0]) && s[len(s)-1] != ':' && !bytes.Contains(s, []byte("//")) && !bytes.Contains(s, []byte("::"))
}

// IsSerialCode reports whether s consists of capitals followed by a number: CC5996,
// MEDUAB998795.
func IsSerialCode(s []byte) bool {
	n, _ := countChars(s)
	return n.lower == 0 && IsNumberBehindLetters(s)
}

// IsNumberBehindLetters reports whether s is up to six letters followed by a number
// of at least four digits that is not a year: b97535404.
func IsNumberBehindLetters(s []byte) bool {
	digits := bytes.TrimLeftFunc(s, unicode.IsLetter)
	letters := len(s) - len(digits)
	switch {
	case letters == 0 || letters > 6 || len(digits) < 4 || !IsDigits(digits):
		return false
	case len(digits) == 4:
		return letters > 1 && string(digits[:2]) != "19" && string(digits[:2]) != "20"
	}
	return true
}

// unitNames are capitals after a number that are a unit rather than part of a code.
var unitNames = vocabulary.Set{List: `GB MB KB TB PB T GHz MHz Hz KHz W KW MW V A AH MAH L ML KG G MM CM M KM MI FT IN MP K C F AM PM X D P
	USD EUR GBP B GiB MiB KiB kWh Wh`}

// IsDateOrTime reports whether s is a date or a clock time.
func IsDateOrTime(s []byte) bool {
	n, _ := countChars(s)
	return isDateOrTime(s, n)
}

// isDateOrTime reports whether s begins as an ISO date or a clock time, or has digits
// in a date format (20/12/2024, 12-31-2024).
func isDateOrTime(s []byte, n charCount) bool {
	if len(s) >= 10 && IsDigits(s[:4]) && s[4] == '-' && IsDigits(s[5:7]) && s[7] == '-' && IsDigits(s[8:10]) {
		return len(s) == 10 || s[10] == 'T' || s[10] == ' '
	}
	if n.colons >= 1 && n.colons <= 3 && len(s) >= 4 && n.digits >= 3 && !bytes.ContainsAny(s, " /") {
		return IsDigits(s[:1]) && (s[1] == ':' || s[2] == ':') && n.lower+n.upper <= 3
	}
	if len(s) == 7 && IsDigits(s[:4]) && s[4] == '-' && IsDigits(s[5:]) { // 2024-05
		return true
	}
	return n.upper+n.lower == 0 && len(s) >= 6 && len(s) <= 10 && (n.slashes == 2 || n.dots == 2 || n.seps == 2)
}

// isAddress reports whether s is an e-mail address, a telephone number or an IPv4
// address.
func isAddress(s []byte, n charCount) bool {
	if i := bytes.IndexByte(s, '@'); i > 0 && bytes.IndexByte(s[i:], '.') > 0 {
		return true
	}
	if n.upper+n.lower > 0 {
		return false
	}
	return s[0] == '+' || s[0] == '(' || n.dots == 3 || n.seps >= 2 && n.digits >= 7 && n.digits <= 15
}

// IsCoded reports whether a word of prose is built like an identifier: by its shape,
// or because it has letters and three digits, or capitals, a dash and digits among
// capitals: WH-8J85.
func IsCoded(id []byte) bool {
	s := Of(id)
	n, _ := countChars(id)
	switch {
	case s != MaybeID:
		return s >= LikelyID
	case n.digits >= 3:
		return n.upper+n.lower > 0
	}
	head, tail, ok := bytes.Cut(id, []byte("-"))
	return ok && IsUpperWord(head) && len(tail) >= 4 && n.digits >= 2 && n.digits+n.upper+1 == len(id)
}
