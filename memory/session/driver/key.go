package driver

import (
	"errors"
	"fmt"
	"strings"
)

// MaxKeyBytes is the maximum length of the parts of a Key together: 64 KiB.
const MaxKeyBytes = 64 << 10

// ErrKey is returned for a key without a session id, and for one that is too long.
var ErrKey = errors.New("session: bad key")

// Key identifies a session. Its parts may hold any bytes, and keys are equal only if all
// parts are. Namespace and UserID may be empty.
type Key struct {
	Namespace string
	UserID    string
	SessionID string
}

// Check returns ErrKey if the key is invalid.
func (k Key) Check() error {
	if k.SessionID == "" {
		return fmt.Errorf("%w: no session id", ErrKey)
	}
	if n := len(k.Namespace) + len(k.UserID) + len(k.SessionID); n > MaxKeyBytes {
		return fmt.Errorf("%w: %d bytes are more than the limit of %d", ErrKey, n, MaxKeyBytes)
	}
	return nil
}

// String returns the key as text, "namespace/user/session": plain ASCII in which every byte
// except letters, digits and -._~@+ is written as %XX. Different keys have different texts.
// ParseKey is the inverse.
func (k Key) String() string {
	namespace, user, session := k.Escaped()
	return namespace + "/" + user + "/" + session
}

// Short returns String, truncated to 200 bytes, for errors and logs.
func (k Key) Short() string {
	const limit = 200
	text := k.String()
	if len(text) > limit {
		return text[:limit] + "…"
	}
	return text
}

// Escaped returns the parts as they appear in String.
func (k Key) Escaped() (namespace, user, session string) {
	return escape(k.Namespace), escape(k.UserID), escape(k.SessionID)
}

// ParseKey parses the result of Key.String. Errors: ErrKey.
func ParseKey(text string) (Key, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return Key{}, fmt.Errorf("%w: not three parts", ErrKey)
	}
	var key Key
	for i, part := range []*string{&key.Namespace, &key.UserID, &key.SessionID} {
		var ok bool
		if *part, ok = unescape(parts[i]); !ok {
			return Key{}, fmt.Errorf("%w: part %d is not escaped correctly", ErrKey, i+1)
		}
	}
	return key, key.Check()
}

const upperhex = "0123456789ABCDEF"

func escape(part string) string {
	plain := 0
	for plain < len(part) && isPlain(part[plain]) {
		plain++
	}
	if plain == len(part) {
		return part
	}
	var b strings.Builder
	b.Grow(len(part) + 2*(len(part)-plain))
	b.WriteString(part[:plain])
	for _, c := range []byte(part[plain:]) {
		if isPlain(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', upperhex[c>>4], upperhex[c&15]})
		}
	}
	return b.String()
}

// unescape is the inverse of escape, and rejects any other text.
func unescape(text string) (part string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isPlain(c):
		case c == '%' && i+2 < len(text):
			high, low := strings.IndexByte(upperhex, text[i+1]), strings.IndexByte(upperhex, text[i+2])
			c = byte(high<<4 | low)
			if high < 0 || low < 0 || isPlain(c) {
				return "", false
			}
			i += 2
		default:
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~@+", c) >= 0
}
