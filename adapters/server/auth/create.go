package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// CreateOptions describe a new token. Exactly one of Tenant and Unbound must be set.
type CreateOptions struct {
	// Description explains the token to those who list it, in at most MaxDescriptionBytes.
	Description string
	// Tenant is the tenant the token is bound to.
	Tenant Tenant
	// Unbound makes a token that reads and writes the data of all tenants.
	Unbound bool
	// TTL is how long the token is valid, rounded up to the millisecond. If zero, it does not
	// expire. A negative TTL is an error.
	TTL time.Duration
	// Now is the clock. If nil, it is time.Now.
	Now func() time.Time
}

// Create makes a token and adds it to a store. The text is the credential that its owner
// presents; it cannot be recovered later. Create returns ErrUnbound if neither a Tenant nor
// Unbound is given, ErrToken for other mistakes in opts, and the errors of TokenStore.Add.
func Create(ctx context.Context, store TokenStore, opts CreateOptions) (text string, t Token, err error) {
	bound := opts.Tenant != Tenant{}
	switch {
	case !bound && !opts.Unbound:
		return "", Token{}, ErrUnbound
	case bound && opts.Unbound:
		return "", Token{}, fmt.Errorf("%w: Tenant and Unbound exclude each other", ErrToken)
	case opts.TTL < 0:
		return "", Token{}, fmt.Errorf("%w: negative TTL", ErrToken)
	}
	now := time.Now
	if opts.Now != nil {
		now = opts.Now
	}
	var key secret
	id := make([]byte, idBytes)
	_, _ = rand.Read(id) // never fails
	_, _ = rand.Read(key[:])
	t = Token{
		ID: hex.EncodeToString(id), Description: opts.Description, Tenant: opts.Tenant,
		CreatedAt: truncateMillis(now()), Hash: key.hash(),
	}
	if opts.TTL > 0 {
		t.ExpiresAt = truncateMillis(t.CreatedAt.Add(opts.TTL).Add(time.Millisecond - 1))
	}
	if err := t.Check(); err != nil {
		return "", Token{}, err
	}
	if err := store.Add(ctx, t); err != nil {
		return "", Token{}, fmt.Errorf("auth: creating a token: %w", err)
	}
	return formatToken(t.ID, key), t, nil
}

// truncateMillis truncates a time to the millisecond, in UTC.
func truncateMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
