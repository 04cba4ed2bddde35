package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// Prefix begins the text of every token, so that secret scanners recognise it.
	Prefix = "wmem_"
	// idBytes is 80 random bits: enough to avoid collisions, short enough to type.
	idBytes     = 10
	secretBytes = 32
	lowerHex    = "0123456789abcdef"
)

type secret [secretBytes]byte

func (s secret) hash() [sha256.Size]byte { return sha256.Sum256(s[:]) }

// formatToken returns the text of a token, which its owner presents.
func formatToken(id string, s secret) string { return Prefix + id + "_" + hex.EncodeToString(s[:]) }

// ParseID returns the id in a text, to count or to log attempts with it. ok reports whether the
// text has the format of a token; it may be a token that does not exist, or a wrong secret.
func ParseID(text string) (id string, ok bool) {
	id, _, ok = parseToken(text)
	return id, ok
}

// parseToken reads what formatToken writes, and nothing else: a token has one text.
func parseToken(text string) (id string, s secret, ok bool) {
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
