package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// CreateOptions say what a token is for. The zero value is that of no token: a Tenant, or
// Unbound, must be given.
type CreateOptions struct {
	// Description says what the token is for, for those who list it. At most
	// MaxDescriptionBytes.
	Description string
	// Tenant is what the token is bound to.
	Tenant Tenant
	// Unbound says that the token is bound to nothing, and reads and writes everybody's.
	// It goes without a Tenant.
	Unbound bool
	// TTL is how long the token is valid; parts of a millisecond count as one. 0: for
	// ever. Negative: an error.
	TTL time.Duration
	// Now is the clock. nil: time.Now.
	Now func() time.Time
}

// Create makes a token and has a store keep what is kept of it. The text is what its
// owner presents: nobody can get at it again. Errors: ErrUnbound if it is bound to nothing
// and Unbound does not say so, ErrToken, and those of TokenStore.Add.
func Create(ctx context.Context, store TokenStore, opts CreateOptions) (text string, t Token, err error) {
	bound := opts.Tenant != Tenant{}
	switch {
	case !bound && !opts.Unbound:
		return "", Token{}, ErrUnbound
	case bound && opts.Unbound:
		return "", Token{}, fmt.Errorf("%w: it is to be bound to a tenant, and to none", ErrToken)
	case opts.TTL < 0:
		return "", Token{}, fmt.Errorf("%w: its TTL is negative", ErrToken)
	}
	now := time.Now
	if opts.Now != nil {
		now = opts.Now
	}
	var key secret
	id := make([]byte, idBytes)
	_, _ = rand.Read(id) // these never fail
	_, _ = rand.Read(key[:])
	t = Token{
		ID: hex.EncodeToString(id), Description: opts.Description, Tenant: opts.Tenant,
		CreatedAt: millis(now()), Hash: key.hash(),
	}
	if opts.TTL > 0 {
		t.ExpiresAt = millis(t.CreatedAt.Add(opts.TTL).Add(time.Millisecond - 1))
	}
	if err := t.Check(); err != nil {
		return "", Token{}, err
	}
	if err := store.Add(ctx, t); err != nil {
		return "", Token{}, fmt.Errorf("auth: creating a token: %w", err)
	}
	return textOf(t.ID, key), t, nil
}

// millis is a time cut to the millisecond, in UTC.
func millis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
