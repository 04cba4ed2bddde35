package auth

import (
	"context"
	"errors"
)

// Errors of a TokenStore and of a Verifier. Test for them with errors.Is: they come wrapped.
var (
	// ErrNotFound is returned when a store has no token with the id.
	ErrNotFound = errors.New("auth: no such token")
	// ErrExists is returned when a store already has a token with the id.
	ErrExists = errors.New("auth: a token with this id already exists")
	// ErrToken is returned for a Token that fails Token.Check.
	ErrToken = errors.New("auth: bad token")
	// ErrInvalid is returned for a text that is malformed, unknown, has the wrong secret, or
	// belongs to a revoked token.
	ErrInvalid = errors.New("auth: invalid token")
	// ErrExpired is returned for a token that is right but has expired.
	ErrExpired = errors.New("auth: token has expired")
	// ErrUnavailable is returned when a store does not answer.
	ErrUnavailable = errors.New("auth: store is unavailable")
	// ErrClosed is returned by a store that has been closed.
	ErrClosed = errors.New("auth: closed")
	// ErrUnbound is returned by Create for a token without a tenant that is not marked Unbound.
	ErrUnbound = errors.New("auth: token is bound to no tenant")
)

// TokenStore stores tokens. It is safe for concurrent use, also by several processes if they
// share it. Every call sees the writes acknowledged before it, so a revoked token is refused
// at once. Package authtest is the conformance suite.
//
// Any method may also return ErrUnavailable, ErrClosed, or an error that wraps ctx.Err().
// A call that failed with ErrUnavailable may have taken effect. No error contains a hash.
type TokenStore interface {
	// Add stores a token, with its times truncated to the millisecond. It returns ErrToken if
	// Token.Check fails, and ErrExists if the id is taken, even by an equal token.
	Add(ctx context.Context, t Token) error
	// Get returns the token with an id, expired or not. It returns ErrNotFound if there is
	// none, or if the id is not a ValidID.
	Get(ctx context.Context, id string) (Token, error)
	// List returns all tokens, ordered by CreatedAt, then by ID.
	List(ctx context.Context) ([]Token, error)
	// Remove removes the token with an id, or returns ErrNotFound.
	Remove(ctx context.Context, id string) error
}
