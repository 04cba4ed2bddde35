// Package shape rates values by their characters: how likely each is an identifier.
package shape

import (
	"bytes"

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
	digits, upper, lower, hex, seps, dots, colons, slashes, other int
}

func countChars(s []byte) (n charCount, ok bool) {
	for _, c := range s {
		switch {
		case '0' <= c && c <= '9':
			n.digits++
			n.hex++
		case 'A' <= c && c <= 'Z':
			n.upper++
			if c <= 'F' {
				n.hex++
			}
		case 'a' <= c && c <= 'z':
			n.lower++
			if c <= 'f' {
				n.hex++
			}
		case c == '_' || c == '-':
			n.seps++
		case c == '.':
			n.dots++
		case c == ':':
			n.colons++
		case c == '/':
			n.slashes++
		case c == '#' || c == '@' || c == '+' || c == '=' || c == '~' || c == '$' || c == '%' || c == '|' || c == '!' || c == '&' || c == '?' || c == ',' || c == ';':
			n.other++
		case c < 0x21 || c == 0x7f:
			return n, false
		default:
			n.other++
		}
	}
	return n, true
}

// Of rates a value by its characters alone.
func Of(s []byte) Shape {
	if len(s) == 0 || len(s) > MaxID {
		return NotID
	}
	n, ok := countChars(s)
	if !ok {
		return NotID
	}
	if n.digits == 0 {
		return shapeWithoutDigits(s, n)
	}
	if isMeasure(s, n) || isDateOrTime(s, n) || isAddress(s, n) {
		return NotID
	}
	return shapeWithDigits(s, n)
}

// shapeWithoutDigits rates values without digits. Words are ids only if their key
// suggests it (main, alice, us-east).
func shapeWithoutDigits(s []byte, n charCount) Shape {
	if n.upper+n.lower == 0 || bytes.IndexByte(s, '@') >= 0 {
		return NotID
	}
	return MaybeID
}

func shapeWithDigits(s []byte, n charCount) Shape {
	letters := n.upper + n.lower
	switch {
	case IsUUID(s) || isULID(s, n):
		return SurelyID
	case bytes.HasPrefix(s, []byte("arn:")):
		return SurelyID
	case n.other > 1 || n.other == 1 && s[0] != '#' && s[0] != '@' && s[0] != '$':
		return MaybeID
	case letters == 0 && n.digits == len(s):
		if len(s) >= 5 {
			return LikelyID
		}
		return MaybeID
	case s[0] == '#':
		return LikelyID
	case n.slashes > 0 || n.dots > 0:
		return MaybeID
	case n.seps > 0 && hasIDTail(s):
		return SurelyID
	case n.seps > 0:
		return MaybeID
	case n.digits >= 2 && n.upper > 0 && len(s) >= 5:
		return LikelyID
	case n.digits >= 2 && len(s) >= 12:
		return LikelyID
	case n.digits >= 1 && n.upper > 0 && n.lower == 0 && len(s) >= 5:
		return LikelyID
	default:
		return MaybeID
	}
}

// hasIDTail reports whether a part after the first of a prefixed id is built like an
// id: credit_card_4421486, usr_9fK3a2, PROJ-123, web-7d9f8b-x2x1z, but not 13-inch,
// v1-beta, top-10, phone-256gb.
func hasIDTail(s []byte) bool {
	i := bytes.IndexAny(s, "_-")
	head := s[:i]
	for len(s) > i {
		s = s[i+1:]
		if i = bytes.IndexAny(s, "_-"); i < 0 {
			i = len(s)
		}
		if isIDPart(s[:i], head) {
			return true
		}
	}
	return false
}

func isIDPart(part, head []byte) bool {
	n, _ := countChars(part)
	letters := n.upper + n.lower
	switch {
	case n.digits == 0 || n.digits+letters != len(part) || len(head) == 0:
		return false
	case letters == 0:
		return n.digits >= 3 && !IsDigits(head) || IsUpperWord(head) && n.digits > 0 || n.digits >= 5
	case isMeasure(part, n):
		return false
	default: // mixed parts such as 9fK3a2
		return len(part) >= 6 || len(part) >= 5 && n.digits >= 2 || isGeneratedSuffix(part)
	}
}

// isGeneratedSuffix reports whether a part consists of five characters of the
// alphabet that Kubernetes uses for generated names, which has no vowels and so makes
// no words.
func isGeneratedSuffix(part []byte) bool {
	return len(part) == 5 && len(bytes.Trim(part, "bcdfghjklmnpqrstvwxz2456789")) == 0
}

// IsUpperWord reports whether s is two or more capitals.
func IsUpperWord(s []byte) bool {
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(s) >= 2
}

// MayLookLikeID reports whether a value can be LikelyID at all: a single word with a
// digit.
func MayLookLikeID(s []byte) bool {
	digit := false
	for _, c := range s {
		if c <= ' ' {
			return false
		}
		digit = digit || '0' <= c && c <= '9'
	}
	return digit
}

// HasDigit reports whether s has a digit.
func HasDigit(s []byte) bool {
	for _, c := range s {
		if '0' <= c && c <= '9' {
			return true
		}
	}
	return false
}

// IsDigits reports whether s is a decimal number without sign.
func IsDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// IsUUID reports whether s is a UUID with dashes.
func IsUUID(s []byte) bool {
	return len(s) == 36 && uuid.Validate(string(s)) == nil
}

// isULID reports whether s is 26 characters of Crockford's base 32, in one case.
func isULID(s []byte, n charCount) bool {
	if len(s) != 26 || n.digits < 2 || n.upper > 0 && n.lower > 0 || n.digits+n.upper+n.lower != 26 {
		return false
	}
	return !bytes.ContainsAny(s, "ILOUilou") && s[0] >= '0' && s[0] <= '7'
}

// isMeasure reports whether s is a figure: a decimal fraction, a percentage, a number
// with a unit (256GB, 1080p, $12, -5), a version (v1.2.3, 1.2).
func isMeasure(s []byte, n charCount) bool {
	if n.slashes > 0 || n.colons > 0 || bytes.IndexByte(s, '_') >= 0 || s[0] == '#' {
		return false
	}
	if isMoney(s) {
		return true
	}
	body := bytes.TrimLeft(s, "+-$v~")
	end := 0
	for end < len(body) && (body[end] >= '0' && body[end] <= '9' || body[end] == '.' || body[end] == ',') {
		end++
	}
	if end == 0 {
		return false
	}
	unit := body[end:]
	switch {
	case len(unit) == 0:
		return n.dots > 0 || len(body) != len(s) || bytes.IndexByte(body, ',') >= 0
	case unit[0] == '%':
		return true
	case len(unit) <= 3 && end <= 5 && onlyLetters(unit):
		return len(s) < 8 && n.upper != len(unit) || unitNames.HasBytes(unit)
	case n.dots > 0 && unit[0] != '-': // 1.2.3rc1, but not 600519.SS
		return body[end-1] != '.'
	default: // 13-inch, 10-pack, but not 12306-mcp
		return unit[0] == '-' && len(unit) > 2 && end <= 4 && onlyLetters(unit[1:])
	}
}

// isMoney reports whether s is an amount with the sign of a currency: HK$98.55, ¥1483.10.
func isMoney(s []byte) bool {
	figure := bytes.Trim(s, "0123456789.,")
	for _, sign := range [...]string{"€", "£", "¥", "₹"} {
		if string(figure) == sign {
			return true
		}
	}
	return len(figure) > 1 && len(figure) < 4 && figure[len(figure)-1] == '$' && bytes.HasPrefix(s, figure)
}

// IsMessageTime reports whether s is a time in seconds with microseconds,
// 1730000001.123456, as chats use to identify messages.
func IsMessageTime(s []byte) bool {
	return len(s) == 17 && s[10] == '.' && IsDigits(s[:10]) && IsDigits(s[11:])
}

// IsURN reports whether s is a name of several parts but not a web address:
// urn:li:share:68447855, spotify:track:6rqhFgbb.
func IsURN(s []byte) bool {
	return len(s) > 0 && s[len(s)-1] != ':' && bytes.Count(s, []byte(":")) >= 2 && IsLetter(s[0]) && !bytes.Contains(s, []byte("//")) && !bytes.Contains(s, []byte("::"))
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
	letters := 0
	for letters < len(s) && IsLetter(s[letters]) {
		letters++
	}
	digits := s[letters:]
	switch {
	case letters == 0 || letters > 6 || len(digits) < 4 || !IsDigits(digits):
		return false
	case len(digits) == 4:
		return letters > 1 && (digits[0] > '2' || string(digits[:2]) != "19" && string(digits[:2]) != "20")
	}
	return true
}

// unitNames are capitals after a number that are a unit rather than part of a code.
var unitNames = vocabulary.Set{List: `GB MB KB TB PB T GHz MHz Hz KHz W KW MW V A AH MAH L ML KG G MM CM M KM MI FT IN MP K C F AM PM X D P
	USD EUR GBP B GiB MiB KiB kWh Wh`}

func onlyLetters(s []byte) bool {
	for _, c := range s {
		if !IsLetter(c) {
			return false
		}
	}
	return true
}

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
	if n.colons >= 1 && n.colons <= 3 && len(s) >= 4 && n.digits >= 3 && n.digits+n.colons+n.dots+n.other+n.seps+n.upper+n.lower == len(s) {
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
	return s[0] == '+' || s[0] == '(' || n.dots == 3 || n.seps >= 2 && n.digits >= 7 && n.digits <= 15 && !IsUUID(s)
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

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
