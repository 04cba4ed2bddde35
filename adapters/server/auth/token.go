package auth

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a Token, in bytes.
const (
	// MaxDescriptionBytes is the maximum length of a description.
	MaxDescriptionBytes = 200
	// MaxTenantBytes is the maximum length of a namespace and a user id together, the same
	// as that of a session's key.
	MaxTenantBytes = 64 << 10
	// MinIDBytes and MaxIDBytes bound the length of an id.
	MinIDBytes, MaxIDBytes = 16, 64
)

// Tenant limits which sessions and memories may be read and written: those of a namespace, of
// a user, or of a user in a namespace. An empty field is no limit; the zero Tenant allows
// everything.
type Tenant struct {
	Namespace string `json:"namespace,omitempty"`
	UserID    string `json:"user_id,omitempty"`
}

// Token is the stored form of a token, without its secret. Its hash is left out when it is
// printed, logged or encoded as JSON.
type Token struct {
	// ID identifies the token in lists and logs, and when it is revoked. It is public. See
	// ValidID.
	ID string
	// Description explains what the token is for.
	Description string
	// Tenant is the tenant that the token is bound to.
	Tenant Tenant
	// CreatedAt and ExpiresAt have millisecond precision, in UTC. If ExpiresAt is zero, the
	// token does not expire.
	CreatedAt, ExpiresAt time.Time
	// Hash is the SHA-256 hash of the secret part.
	Hash [sha256.Size]byte
}

// ValidID reports whether id consists of MinIDBytes to MaxIDBytes digits and lower-case ASCII
// letters.
func ValidID(id string) bool {
	return MinIDBytes <= len(id) && len(id) <= MaxIDBytes &&
		strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// Check returns an ErrToken if the token cannot be stored: its id is not a ValidID; a text is
// too long, is not UTF-8, or contains NUL; a time is outside the years 1970 to 9999 (ExpiresAt
// may be zero); or its hash is zero. The error quotes no field.
func (t *Token) Check() error {
	switch {
	case !ValidID(t.ID):
		return fmt.Errorf("%w: the id must consist of %d to %d digits and lower-case letters", ErrToken, MinIDBytes, MaxIDBytes)
	case len(t.Description) > MaxDescriptionBytes:
		return fmt.Errorf("%w: the description has %d bytes, the limit is %d", ErrToken, len(t.Description), MaxDescriptionBytes)
	case len(t.Tenant.Namespace)+len(t.Tenant.UserID) > MaxTenantBytes:
		return fmt.Errorf("%w: the namespace and user id exceed %d bytes", ErrToken, MaxTenantBytes)
	case t.Hash == [sha256.Size]byte{}:
		return fmt.Errorf("%w: the hash is missing", ErrToken)
	case !inRange(t.CreatedAt), !t.ExpiresAt.IsZero() && !inRange(t.ExpiresAt):
		return fmt.Errorf("%w: times must be in the years 1970 to 9999", ErrToken)
	}
	for _, text := range [...]string{t.Description, t.Tenant.Namespace, t.Tenant.UserID} {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return fmt.Errorf("%w: the description, namespace and user id must be UTF-8 without NUL", ErrToken)
		}
	}
	return nil
}

func inRange(t time.Time) bool {
	year := t.UTC().Year()
	return 1970 <= year && year <= 9999
}

// Expired reports whether now is at or after ExpiresAt.
func (t *Token) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// String returns "token" and the id.
func (t Token) String() string { return "token " + t.ID }

// Format implements fmt.Formatter. It prints String for every verb, so that the hash does not
// leak.
func (t Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// LogValue implements slog.LogValuer. It has the id and the tenant.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", t.ID), slog.String("namespace", t.Tenant.Namespace), slog.String("user_id", t.Tenant.UserID))
}

// MarshalJSON implements json.Marshaler. It encodes every field but the hash, so the result
// cannot be decoded into a usable Token.
func (t Token) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID          string `json:"id"`
		Description string `json:"description,omitempty"`
		Tenant
		CreatedAt time.Time `json:"created_at"`
		ExpiresAt time.Time `json:"expires_at,omitzero"`
	}{t.ID, t.Description, t.Tenant, t.CreatedAt, t.ExpiresAt})
}
