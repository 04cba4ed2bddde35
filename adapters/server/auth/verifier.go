package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"
)

// VerifierOptions configure a Verifier. The zero value is useful.
type VerifierOptions struct {
	// Now is the clock by which tokens expire. If nil, it is time.Now.
	Now func() time.Time
}

// Verifier checks the tokens that clients present. It is safe for concurrent use. It caches
// nothing: each call asks the store once, and a revoked token is refused from the next call
// on.
type Verifier struct {
	store TokenStore
	now   func() time.Time
}

// NewVerifier returns a verifier for the tokens of a store. The caller remains responsible for
// closing the store. A nil opts means the defaults.
func NewVerifier(store TokenStore, opts *VerifierOptions) *Verifier {
	v := &Verifier{store: store, now: time.Now}
	if opts != nil && opts.Now != nil {
		v.now = opts.Now
	}
	return v
}

// Verify returns the stored token for a text made by Create. It returns ErrInvalid for a wrong
// or unknown token, ErrExpired for one that has expired, and ErrUnavailable, with its cause,
// if the store fails or ctx ends. No error contains the text.
//
// The time it takes does not depend on how much of the secret is right. Apart from the store's
// lookup, it does not depend on whether the id exists either.
func (v *Verifier) Verify(ctx context.Context, text string) (Token, error) {
	id, key, ok := parseToken(text)
	if !ok {
		return Token{}, ErrInvalid // the format is no secret: timing may reveal it
	}
	hash := key.hash()
	t, err := v.store.Get(ctx, id)
	unknown := errors.Is(err, ErrNotFound)
	switch {
	case unknown:
		t = Token{} // compared like any other, to take as long
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
