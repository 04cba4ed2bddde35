package postgresstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// Tokens is an auth.TokenStore in the schema of a Store. It is safe for concurrent use by any
// number of processes, and is closed with its Store.
type Tokens struct{ store *Store }

var _ auth.TokenStore = (*Tokens)(nil)

// Tokens returns the store of tokens in the same schema.
func (s *Store) Tokens() *Tokens { return &Tokens{store: s} }

const (
	selectTokens = `SELECT id, description, namespace, user_id, created_at, expires_at, hash FROM {schema}.tokens`
	insertToken  = `INSERT INTO {schema}.tokens (id, description, namespace, user_id, created_at, expires_at, hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`
)

// Add implements auth.TokenStore.
func (x *Tokens) Add(ctx context.Context, t auth.Token) error {
	return x.call(ctx, "add a token", func() error {
		if err := t.Check(); err != nil {
			return err
		}
		var expires *time.Time
		if !t.ExpiresAt.IsZero() {
			expires = new(inMillis(t.ExpiresAt))
		}
		return x.change(ctx, auth.ErrExists, x.store.sql.insertToken,
			t.ID, t.Description, t.Tenant.Namespace, t.Tenant.UserID, inMillis(t.CreatedAt), expires, t.Hash[:])
	})
}

// Remove implements auth.TokenStore.
func (x *Tokens) Remove(ctx context.Context, id string) error {
	return x.call(ctx, "remove a token", func() error {
		if !auth.ValidID(id) {
			return auth.ErrNotFound // PostgreSQL may not accept it as text
		}
		return x.change(ctx, auth.ErrNotFound, x.store.sql.removeToken, id)
	})
}

// change runs a statement that changes one row. If it changes no row, change returns the error none.
func (x *Tokens) change(ctx context.Context, none error, statement string, arguments ...any) error {
	tag, err := x.store.pool.Exec(ctx, statement, arguments...)
	if err == nil && tag.RowsAffected() == 0 {
		err = none
	}
	return err
}

// Get implements auth.TokenStore. It takes one round trip.
func (x *Tokens) Get(ctx context.Context, id string) (t auth.Token, err error) {
	err = x.call(ctx, "get a token", func() error {
		if !auth.ValidID(id) {
			return auth.ErrNotFound
		}
		rows, err := x.store.pool.Query(ctx, x.store.sql.token, id)
		if err != nil {
			return err
		}
		t, err = pgx.CollectExactlyOneRow(rows, scanToken)
		if errors.Is(err, pgx.ErrNoRows) {
			err = auth.ErrNotFound
		}
		return err
	})
	if err != nil {
		return auth.Token{}, err
	}
	return t, nil
}

// List implements auth.TokenStore.
func (x *Tokens) List(ctx context.Context) (all []auth.Token, err error) {
	err = x.call(ctx, "list tokens", func() error {
		rows, err := x.store.pool.Query(ctx, x.store.sql.tokens)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanToken)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

var errHash = errors.New("hash of a token does not have 32 bytes")

// scanToken reads a row of selectTokens.
func scanToken(row pgx.CollectableRow) (t auth.Token, err error) {
	var expires *time.Time
	var hash []byte
	err = row.Scan(&t.ID, &t.Description, &t.Tenant.Namespace, &t.Tenant.UserID, &t.CreatedAt, &expires, &hash)
	switch {
	case err != nil:
		return t, err
	case len(hash) != sha256.Size:
		return t, errHash
	}
	copy(t.Hash[:], hash)
	t.CreatedAt = t.CreatedAt.UTC()
	if expires != nil {
		t.ExpiresAt = expires.UTC()
	}
	return t, nil
}

// inMillis truncates a time to milliseconds.
func inMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// call is like Store.call, with the errors of auth.TokenStore.
func (x *Tokens) call(ctx context.Context, op string, f func() error) error {
	s := x.store
	if s.closed.Load() {
		return fmt.Errorf("postgresstore: %s: %w", op, auth.ErrClosed)
	}
	err := ctx.Err()
	if err == nil {
		err = retry(ctx, f)
	}
	for _, own := range []error{auth.ErrToken, auth.ErrExists, auth.ErrNotFound, errHash} {
		if errors.Is(err, own) {
			return fmt.Errorf("postgresstore: %s: %w", op, err)
		}
	}
	switch safe, lost := classify(ctx, err); {
	case err == nil:
		return nil
	case s.closed.Load():
		err = auth.ErrClosed
	case lost:
		err = fmt.Errorf("%w: %w", auth.ErrUnavailable, safe)
	default:
		err = safe
	}
	return fmt.Errorf("postgresstore: %s: %w", op, err)
}
