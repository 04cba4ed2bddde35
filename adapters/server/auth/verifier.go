package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"
)

// VerifierOptions are options of a Verifier. Nil and the zero value are the defaults.
type VerifierOptions struct {
	// Now is the clock by which tokens expire. nil: time.Now.
	Now func() time.Time
}

// Verifier finds out whose token a text is. It is safe for concurrent use. It remembers
// nothing: a token that was revoked is refused from the next call on, and each call asks
// the store once.
type Verifier struct {
	store TokenStore
	now   func() time.Time
}

// NewVerifier returns a verifier of the tokens of a store, which stays the caller's.
func NewVerifier(store TokenStore, opts *VerifierOptions) *Verifier {
	v := &Verifier{store: store, now: time.Now}
	if opts != nil && opts.Now != nil {
		v.now = opts.Now
	}
	return v
}

// Verify returns the token of a text, as Create gave it. Errors: ErrInvalid, ErrExpired,
// of a token that is right but too old, and ErrUnavailable with its cause, ctx.Err() among
// them. None has the text in it.
//
// How long it takes does not depend on how much of a secret is right, nor, but for what
// the store needs to find it, on whether there is a token of that id.
func (v *Verifier) Verify(ctx context.Context, text string) (Token, error) {
	id, key, ok := parse(text)
	if !ok {
		return Token{}, ErrInvalid // by its form alone, which is no secret
	}
	hash := key.hash()
	t, err := v.store.Get(ctx, id)
	unknown := errors.Is(err, ErrNotFound)
	switch {
	case unknown:
		t = Token{} // and compared like any other
	case errors.Is(err, ErrUnavailable):
		return Token{}, fmt.Errorf("auth: verifying a token: %w", err)
	case err != nil:
		return Token{}, fmt.Errorf("auth: verifying a token: %w: %w", ErrUnavailable, err)
	}
	same := subtle.ConstantTimeCompare(hash[:], t.Hash[:]) == 1
	switch {
	case unknown, !same, t.ID != id:
		return Token{}, ErrInvalid
	case t.Expired(v.now()):
		return Token{}, ErrExpired
	}
	return t, nil
}
