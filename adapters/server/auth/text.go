package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// Prefix is what the text of a token begins with, so that whoever looks for
	// secrets that got out knows one.
	Prefix = "wmem_"
	// idBytes are 80 random bits: ids do not collide, and can be typed.
	idBytes     = 10
	secretBytes = 32
	lowerHex    = "0123456789abcdef"
)

type secret [secretBytes]byte

func (s secret) hash() [sha256.Size]byte { return sha256.Sum256(s[:]) }

// textOf is the text of a token: what its owner presents.
func textOf(id string, s secret) string { return Prefix + id + "_" + hex.EncodeToString(s[:]) }

// parse reads what textOf has written, and nothing else: a token has one text.
func parse(text string) (id string, s secret, ok bool) {
	rest, begins := strings.CutPrefix(text, Prefix)
	if !begins || len(rest) > MaxIDBytes+1+2*secretBytes {
		return "", s, false
	}
	id, digits, _ := strings.Cut(rest, "_")
	if !ValidID(id) || len(digits) != 2*secretBytes || strings.Trim(digits, lowerHex) != "" {
		return "", s, false
	}
	if _, err := hex.Decode(s[:], []byte(digits)); err != nil {
		return "", secret{}, false
	}
	return id, s, true
}
