package memory

import (
	"encoding/binary"
	"slices"
)

const (
	uuidText  = 36 // bytes of a UUID as text
	uuidBytes = 16
)

// uuid is a UUID as 16 bytes.
type uuid [uuidBytes]byte

// parseUUID returns a UUID in its canonical form, lower case and with hyphens.
// It reports false for any other text: what it returns, appendTo gives back exactly.
func parseUUID(s string) (u uuid, ok bool) {
	if len(s) != uuidText || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, false
	}
	for i, digits := range [...]uint64{
		four(s[0:]) | four(s[4:])<<32,
		four(s[9:]) | four(s[14:])<<32,
		four(s[19:]) | four(s[24:])<<32,
		four(s[28:]) | four(s[32:])<<32,
	} {
		b := parseHex(digits)
		if formatHex(b) != digits {
			return u, false
		}
		binary.LittleEndian.PutUint32(u[4*i:], b)
	}
	return u, true
}

// appendTo appends the text.
func (u uuid) appendTo(dst []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, uuidText)[:start+uuidText]
	text := dst[start:]
	digits := formatHex(binary.LittleEndian.Uint32(u[0:]))
	binary.LittleEndian.PutUint64(text[0:], digits)
	digits = formatHex(binary.LittleEndian.Uint32(u[4:]))
	binary.LittleEndian.PutUint32(text[9:], uint32(digits))
	binary.LittleEndian.PutUint32(text[14:], uint32(digits>>32))
	digits = formatHex(binary.LittleEndian.Uint32(u[8:]))
	binary.LittleEndian.PutUint32(text[19:], uint32(digits))
	binary.LittleEndian.PutUint32(text[24:], uint32(digits>>32))
	digits = formatHex(binary.LittleEndian.Uint32(u[12:]))
	binary.LittleEndian.PutUint64(text[28:], digits)
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return dst
}

// four returns the first four bytes of s, the first of them lowest.
func four(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// parseHex returns the four bytes that eight digits stand for, the first of them
// in the lowest byte. All are worked on at once, each in its byte. Other
// characters give anything.
func parseHex(digits uint64) uint32 {
	const low4, one = 0x0f0f0f0f0f0f0f0f, 0x0101010101010101
	x := digits&low4 + digits>>6&one*9 // letters follow 9, and are the ones with bit 6 set
	x = (x<<4 | x>>8) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// formatHex returns the digits that parseHex takes.
func formatHex(b uint32) uint64 {
	const low4, one = 0x0f0f0f0f0f0f0f0f, 0x0101010101010101
	x := uint64(b)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x>>4 | x<<8) & low4
	letters := (x + 6*one) >> 4 & one
	return x + '0'*one + letters*('a'-'0'-10)
}
