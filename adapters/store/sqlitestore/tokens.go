package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// tokenTable is the migration that adds tokens. The hash is that of the token's secret, which
// cannot be used to authenticate.
const tokenTable = `
CREATE TABLE tokens (
	id          TEXT    PRIMARY KEY,
	description TEXT    NOT NULL,
	namespace   TEXT    NOT NULL, -- '': not bound to one
	user_id     TEXT    NOT NULL, -- '': not bound to one
	created_at  INTEGER NOT NULL, -- Unix time in ms
	expires_at  INTEGER,          -- Unix time in ms; NULL: never
	hash        BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;
`

const (
	selectTokens = `SELECT id, description, namespace, user_id, created_at, expires_at, hash FROM tokens `
	selectToken  = selectTokens + `WHERE id = ?`
	listTokens   = selectTokens + `ORDER BY created_at, id`
	tokenExists  = `SELECT 1 FROM tokens WHERE id = ?`
	insertToken  = `INSERT INTO tokens (id, description, namespace, user_id, created_at, expires_at, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`
	deleteToken  = `DELETE FROM tokens WHERE id = ?`
)

var _ auth.TokenStore = (*Tokens)(nil)

// Tokens is an auth.TokenStore in the file of a Store. It is safe for concurrent use by any number
// of processes, and is closed with its Store. With Options.Relaxed, a power failure may restore
// a token that has just been removed.
type Tokens struct{ store *Store }

// Tokens returns the store of tokens in the same file.
func (s *Store) Tokens() *Tokens { return &Tokens{store: s} }

// Add implements auth.TokenStore.
func (x *Tokens) Add(ctx context.Context, t auth.Token) error {
	err := t.Check()
	if err == nil {
		err = x.store.writer.do(ctx, func(tx *tx) error {
			exists, err := tx.hasToken(t.ID)
			if err != nil {
				return err
			}
			if exists {
				return auth.ErrExists
			}
			expires := sql.NullInt64{Int64: t.ExpiresAt.UnixMilli(), Valid: !t.ExpiresAt.IsZero()}
			_, err = tx.exec(insertToken, t.ID, t.Description, t.Tenant.Namespace, t.Tenant.UserID, t.CreatedAt.UnixMilli(), expires, t.Hash[:])
			return err
		})
	}
	return x.failed(ctx, "adding a token", err)
}

// Remove implements auth.TokenStore.
func (x *Tokens) Remove(ctx context.Context, id string) error {
	err := x.store.writer.do(ctx, func(tx *tx) error {
		exists, err := tx.hasToken(id)
		if err != nil {
			return err
		}
		if !exists {
			return auth.ErrNotFound
		}
		_, err = tx.exec(deleteToken, id)
		return err
	})
	return x.failed(ctx, "removing a token", err)
}

func (t *tx) hasToken(id string) (exists bool, err error) {
	err = t.query(func(func(...any) error) error {
		exists = true
		return nil
	}, tokenExists, id)
	return exists, err
}

// Get implements auth.TokenStore.
func (x *Tokens) Get(ctx context.Context, id string) (auth.Token, error) {
	t, err := scanToken(x.store.reader.token.QueryRowContext(ctx, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = auth.ErrNotFound
	}
	if err != nil {
		return auth.Token{}, x.failed(ctx, "reading a token", err)
	}
	return t, nil
}

// List implements auth.TokenStore.
func (x *Tokens) List(ctx context.Context) ([]auth.Token, error) {
	var all []auth.Token
	rows, err := x.store.reader.db.QueryContext(ctx, listTokens)
	if err == nil {
		err = forEach(rows, func(scan func(...any) error) error {
			t, err := scanToken(scan)
			all = append(all, t)
			return err
		})
	}
	if err != nil {
		return nil, x.failed(ctx, "listing tokens", err)
	}
	return all, nil
}

// scanToken scans a row of selectTokens.
func scanToken(scan func(...any) error) (t auth.Token, err error) {
	var created int64
	var expires sql.NullInt64
	var hash content
	err = scan(&t.ID, &t.Description, &t.Tenant.Namespace, &t.Tenant.UserID, number(&created), optional(&expires), &hash)
	if err != nil {
		return t, err
	}
	if copy(t.Hash[:], hash) != len(t.Hash) || len(hash) != len(t.Hash) {
		return t, errHash
	}
	t.CreatedAt = time.UnixMilli(created).UTC()
	if expires.Valid {
		t.ExpiresAt = time.UnixMilli(expires.Int64).UTC()
	}
	return t, nil
}

var errHash = errors.New("not a hash")

// failed returns the error of a method for err, using the errors of auth.TokenStore.
func (x *Tokens) failed(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case x.store.writer.isClosed() && !isOwn(err), errors.Is(err, driver.ErrClosed):
		err = auth.ErrClosed
	case ctx.Err() != nil && isInterrupted(err):
		err = ctx.Err()
	case isDamage(err), errors.Is(err, errHash), errors.Is(err, errNotNumber):
		err = &FileError{Path: x.store.path, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isOutage(err), errors.Is(err, driver.ErrUnavailable):
		err = fmt.Errorf("%w: %w", auth.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlitestore: %s: %w", op, err)
}
