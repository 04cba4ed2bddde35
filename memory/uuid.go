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

// parseUUID parses a UUID in its canonical form, in lower case and with hyphens. It
// rejects all other forms, so that appendTo restores the text exactly.
func parseUUID(s string) (u uuid, ok bool) {
	if len(s) != uuidText || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, false
	}
	for i, digits := range [...]uint64{
		load32(s[0:]) | load32(s[4:])<<32,
		load32(s[9:]) | load32(s[14:])<<32,
		load32(s[19:]) | load32(s[24:])<<32,
		load32(s[28:]) | load32(s[32:])<<32,
	} {
		b := parseHex(digits)
		if formatHex(b) != digits {
			return u, false
		}
		binary.LittleEndian.PutUint32(u[4*i:], b)
	}
	return u, true
}

// appendTo appends the canonical form to dst.
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

// load32 returns the first four bytes of s in little-endian order.
func load32(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// parseHex decodes eight hexadecimal digits, one in each byte of digits, into four
// bytes, in little-endian order. It works on all digits at once. The result is
// unspecified if there are other characters.
func parseHex(digits uint64) uint32 {
	const low4, one = 0x0f0f0f0f0f0f0f0f, 0x0101010101010101
	x := digits&low4 + digits>>6&one*9 // letters follow 9, and are the ones with bit 6 set
	x = (x<<4 | x>>8) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// formatHex is the inverse of parseHex.
func formatHex(b uint32) uint64 {
	const low4, one = 0x0f0f0f0f0f0f0f0f, 0x0101010101010101
	x := uint64(b)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x>>4 | x<<8) & low4
	letters := (x + 6*one) >> 4 & one
	return x + '0'*one + letters*('a'-'0'-10)
}
