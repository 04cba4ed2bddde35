package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// Tokens is an auth.TokenStore with the prefix of a Store. It is safe for concurrent use by
// any number of processes, and is closed with its Store.
type Tokens struct{ store *Store }

var _ auth.TokenStore = (*Tokens)(nil)

// Tokens returns the store of tokens with the same prefix.
func (s *Store) Tokens() *Tokens { return &Tokens{store: s} }

var tokenSentinels = sentinels{unavailable: auth.ErrUnavailable, closed: auth.ErrClosed}

// checkOpen returns an error if the store is closed or ctx has ended.
func (x *Tokens) checkOpen(ctx context.Context, op string) error {
	err := ctx.Err()
	if x.store.closed.Load() {
		err = auth.ErrClosed
	}
	return wrap(op, err)
}

// failed returns the error of a failed call, which is auth.ErrClosed if the store was closed.
func (x *Tokens) failed(ctx context.Context, op string, err error) error {
	if x.store.closed.Load() {
		return wrap(op, auth.ErrClosed)
	}
	return tokenSentinels.failure(ctx, op, err)
}

func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redisstore: %s: %w", op, err)
}

// Add implements auth.TokenStore.
func (x *Tokens) Add(ctx context.Context, t auth.Token) error {
	const op = "add a token"
	if err := x.checkOpen(ctx, op); err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return wrap(op, err)
	}
	value, err := encodeToken(t)
	if err != nil {
		return wrap(op, err)
	}
	return x.change(ctx, op, t.ID, value, auth.ErrExists)
}

// Remove implements auth.TokenStore.
func (x *Tokens) Remove(ctx context.Context, id string) error {
	const op = "remove a token"
	if err := x.checkOpen(ctx, op); err != nil {
		return err
	}
	if !auth.ValidID(id) {
		return wrap(op, auth.ErrNotFound)
	}
	return x.change(ctx, op, id, nil, auth.ErrNotFound)
}

// change runs the script. If it has no effect, change returns the error refused.
func (x *Tokens) change(ctx context.Context, op, id string, value []byte, refused error) error {
	tokens := x.store.layout.tokens()
	done, err := x.store.scripts.token.Run(ctx, x.store.client, []string{tokens, tokens + ":" + rand.Text()}, id, value).Int()
	switch {
	case err != nil:
		return x.failed(ctx, op, err)
	case done == 0:
		return wrap(op, refused)
	}
	return nil
}

// Get implements auth.TokenStore. It takes one round trip.
func (x *Tokens) Get(ctx context.Context, id string) (auth.Token, error) {
	const op = "get a token"
	if err := x.checkOpen(ctx, op); err != nil {
		return auth.Token{}, err
	}
	if !auth.ValidID(id) {
		return auth.Token{}, wrap(op, auth.ErrNotFound)
	}
	value, err := x.store.client.HGet(ctx, x.store.layout.tokens(), id).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return auth.Token{}, wrap(op, auth.ErrNotFound)
	case err != nil:
		return auth.Token{}, x.failed(ctx, op, err)
	}
	t, err := decodeToken(id, value)
	return t, wrap(op, err)
}

// List implements auth.TokenStore. It takes one round trip.
func (x *Tokens) List(ctx context.Context) ([]auth.Token, error) {
	const op = "list tokens"
	if err := x.checkOpen(ctx, op); err != nil {
		return nil, err
	}
	values, err := x.store.client.HGetAll(ctx, x.store.layout.tokens()).Result()
	if err != nil {
		return nil, x.failed(ctx, op, err)
	}
	all := make([]auth.Token, 0, len(values))
	for id, value := range values {
		t, err := decodeToken(id, []byte(value))
		if err != nil {
			return nil, wrap(op, err)
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b auth.Token) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// storedToken is the JSON of a token, whose id is the hash field. Times are in Unix milliseconds.
type storedToken struct {
	Description string `json:"description"`
	Namespace   string `json:"namespace"`
	UserID      string `json:"user_id"`
	CreatedAt   int64  `json:"created_at"`
	ExpiresAt   *int64 `json:"expires_at"` // null for none
	Hash        []byte `json:"hash"`
}

func encodeToken(t auth.Token) ([]byte, error) {
	stored := storedToken{
		Description: t.Description, Namespace: t.Tenant.Namespace, UserID: t.Tenant.UserID,
		CreatedAt: t.CreatedAt.UnixMilli(), Hash: t.Hash[:],
	}
	if !t.ExpiresAt.IsZero() {
		stored.ExpiresAt = new(t.ExpiresAt.UnixMilli())
	}
	return json.Marshal(stored)
}

var errToken = errors.New("stored token cannot be read")

func decodeToken(id string, value []byte) (auth.Token, error) {
	var stored storedToken
	if json.Unmarshal(value, &stored) != nil || !auth.ValidID(id) { // the error of json may quote the value
		return auth.Token{}, errToken
	}
	t := auth.Token{
		ID: id, Description: stored.Description, Tenant: auth.Tenant{Namespace: stored.Namespace, UserID: stored.UserID},
		CreatedAt: time.UnixMilli(stored.CreatedAt).UTC(),
	}
	if stored.ExpiresAt != nil {
		t.ExpiresAt = time.UnixMilli(*stored.ExpiresAt).UTC()
	}
	if len(stored.Hash) != len(t.Hash) {
		return auth.Token{}, errToken
	}
	copy(t.Hash[:], stored.Hash)
	return t, nil
}
