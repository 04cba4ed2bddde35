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
	// MaxDescriptionBytes is how long a description may be.
	MaxDescriptionBytes = 200
	// MaxTenantBytes is how long a namespace and a user id may be together: as long as
	// the key of a session may be.
	MaxTenantBytes = 64 << 10
	// MinIDBytes and MaxIDBytes are how long an id is.
	MinIDBytes, MaxIDBytes = 16, 64
)

// Tenant is whose sessions and memories may be read and written: those of a namespace, of
// a user, or of a user in a namespace. An empty part is not bound: the zero Tenant is
// everybody's.
type Tenant struct {
	Namespace string `json:"namespace,omitempty"`
	UserID    string `json:"user_id,omitempty"`
}

// Token is what a Store keeps of a token: not the token itself. Printed, logged or encoded
// as JSON it has no hash.
type Token struct {
	// ID is public: it names the token where one is listed or revoked, and in logs. See
	// ValidID.
	ID string
	// Description says what it is for.
	Description string
	// Tenant is what it is bound to.
	Tenant Tenant
	// CreatedAt and ExpiresAt are to the millisecond, in UTC. A zero ExpiresAt: never.
	CreatedAt, ExpiresAt time.Time
	// Hash is SHA-256 of the secret part, of 256 random bits.
	Hash [sha256.Size]byte
}

// ValidID reports whether a text can be the id of a token: MinIDBytes to MaxIDBytes
// digits and lower-case ASCII letters.
func ValidID(id string) bool {
	return MinIDBytes <= len(id) && len(id) <= MaxIDBytes &&
		strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// Check returns why a token cannot be kept, an ErrToken: its id is no ValidID; a text is
// too long, is not UTF-8, or has a NUL in it (all others are kept byte by byte); a time is
// not in the years 1970 to 9999 (ExpiresAt may be zero); or it has no hash. The error
// quotes nothing.
func (t *Token) Check() error {
	switch {
	case !ValidID(t.ID):
		return fmt.Errorf("%w: its id must have %d to %d digits and lower-case letters", ErrToken, MinIDBytes, MaxIDBytes)
	case len(t.Description) > MaxDescriptionBytes:
		return fmt.Errorf("%w: its description has %d bytes, the limit is %d", ErrToken, len(t.Description), MaxDescriptionBytes)
	case len(t.Tenant.Namespace)+len(t.Tenant.UserID) > MaxTenantBytes:
		return fmt.Errorf("%w: its namespace and user id have more than %d bytes", ErrToken, MaxTenantBytes)
	case t.Hash == [sha256.Size]byte{}:
		return fmt.Errorf("%w: it has no hash", ErrToken)
	case !inRange(t.CreatedAt), !t.ExpiresAt.IsZero() && !inRange(t.ExpiresAt):
		return fmt.Errorf("%w: its times must be in the years 1970 to 9999", ErrToken)
	}
	for _, text := range [...]string{t.Description, t.Tenant.Namespace, t.Tenant.UserID} {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return fmt.Errorf("%w: its description, namespace and user id must be UTF-8 without NUL", ErrToken)
		}
	}
	return nil
}

func inRange(t time.Time) bool {
	year := t.UTC().Year()
	return 1970 <= year && year <= 9999
}

// Expired reports whether a token has expired at a time: from ExpiresAt on.
func (t *Token) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// String is what names a token.
func (t Token) String() string { return "token " + t.ID }

// Format implements fmt.Formatter: whatever the verb, what is printed is String.
func (t Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// LogValue implements slog.LogValuer: the id, and what the token is bound to.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", t.ID), slog.String("namespace", t.Tenant.Namespace), slog.String("user_id", t.Tenant.UserID))
}

// MarshalJSON implements json.Marshaler: all but the hash, for people. There is no way
// back.
func (t Token) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID          string `json:"id"`
		Description string `json:"description,omitempty"`
		Tenant
		CreatedAt time.Time `json:"created_at"`
		ExpiresAt time.Time `json:"expires_at,omitzero"`
	}{t.ID, t.Description, t.Tenant, t.CreatedAt, t.ExpiresAt})
}
