package auth

import (
	"context"
	"errors"
)

// Errors of a Store and of a Verifier. They come wrapped.
var (
	// ErrNotFound says that a store has no token of an id.
	ErrNotFound = errors.New("auth: no such token")
	// ErrExists says that a store has a token of an id already.
	ErrExists = errors.New("auth: a token has this id already")
	// ErrToken says that a Token cannot be kept: see Token.Check.
	ErrToken = errors.New("auth: bad token")
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

// TokenStore keeps tokens. It is safe for concurrent use, also by several processes where it is
// shared; what was acknowledged is seen by every later call, so that a token that was
// revoked is refused from then on. Package authtest has the tests that each must pass.
// Errors, beside those named: ErrUnavailable, ErrClosed, and one that is ctx.Err() when
// the context ends. Their texts have no hashes.
//
// What failed with ErrUnavailable may have been done nevertheless.
type TokenStore interface {
	// Add keeps a token, with times cut to the millisecond. Errors: ErrToken, by
	// Token.Check, and ErrExists, also where it is the same token.
	Add(ctx context.Context, t Token) error
	// Get returns a token by its id, an expired one too. Errors: ErrNotFound, for what is
	// no ValidID too.
	Get(ctx context.Context, id string) (Token, error)
	// List returns all tokens, by CreatedAt, then by ID.
	List(ctx context.Context) ([]Token, error)
	// Remove removes a token. Errors: ErrNotFound.
	Remove(ctx context.Context, id string) error
}
