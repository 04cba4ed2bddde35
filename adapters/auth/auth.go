package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Errors of a Store and of a Verifier. They come wrapped.
var (
	// ErrNotFound says that a store has no token of an id.
	ErrNotFound = errors.New("auth: no such token")
	// ErrExists says that a store has a token of an id already.
	ErrExists = errors.New("auth: a token has this id already")
	// ErrInvalid says that a text is no token, or none that is known: it is malformed,
	// wrong, or was revoked.
	ErrInvalid = errors.New("auth: invalid token")
	// ErrExpired says that a token was valid, once.
	ErrExpired = errors.New("auth: token has expired")
	// ErrUnavailable says that a store did not answer.
	ErrUnavailable = errors.New("auth: store is unavailable")
	// ErrClosed says that a store was closed.
	ErrClosed = errors.New("auth: closed")
	// ErrUnbound says that a token was to be bound to no tenant, and nobody said so.
	ErrUnbound = errors.New("auth: token is bound to no tenant")
)

// Tenant is whose sessions and memories may be read and written: those of a namespace, of
// a user, or of a user in a namespace. An empty part is not bound: the zero Tenant is
// everybody's.
type Tenant struct {
	Namespace string `json:"namespace,omitempty"`
	UserID    string `json:"user_id,omitempty"`
}

// Token is what a Store keeps of a token: not the token itself.
type Token struct {
	// ID is public: it names the token where one is listed or revoked, and in logs.
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

// Store keeps tokens. It is safe for concurrent use, also by several processes where it is
// shared; what was acknowledged is seen by every later call, so that a token that was
// revoked is refused from then on. Package authtest has the tests that each must pass.
// Errors, beside those named: ErrUnavailable, ErrClosed, and one that is ctx.Err() when
// the context ends. Their texts have no hashes.
type Store interface {
	// Add keeps a token. Errors: ErrExists.
	Add(ctx context.Context, t Token) error
	// Get returns a token by its id, an expired one too. Errors: ErrNotFound.
	Get(ctx context.Context, id string) (Token, error)
	// List returns all tokens, by CreatedAt, then by ID.
	List(ctx context.Context) ([]Token, error)
	// Remove removes a token. Errors: ErrNotFound.
	Remove(ctx context.Context, id string) error
}
