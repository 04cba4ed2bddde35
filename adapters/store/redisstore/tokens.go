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

// Tokens keeps tokens, under the prefix of a Store. It is safe for concurrent use, and for
// any number of processes. It ends with the Store's Close.
type Tokens struct{ store *Store }

var _ auth.TokenStore = (*Tokens)(nil)

// Tokens returns the tokens under the store's prefix.
func (s *Store) Tokens() *Tokens { return &Tokens{store: s} }

// tokenVerdicts are what calls of a Tokens fail with.
var tokenVerdicts = verdicts{unavailable: auth.ErrUnavailable, closed: auth.ErrClosed}

// begin is what every method does first.
func (x *Tokens) begin(ctx context.Context, doing string) error {
	err := ctx.Err()
	if x.store.closed.Load() {
		err = auth.ErrClosed
	}
	return saying(doing, err)
}

// failed is failure, of a store that may have been closed meanwhile.
func (x *Tokens) failed(ctx context.Context, doing string, err error) error {
	if x.store.closed.Load() {
		return saying(doing, auth.ErrClosed)
	}
	return tokenVerdicts.failure(ctx, doing, err)
}

func saying(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redisstore: %s: %w", doing, err)
}

// Add implements auth.TokenStore.
func (x *Tokens) Add(ctx context.Context, t auth.Token) error {
	const doing = "add a token"
	if err := x.begin(ctx, doing); err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return saying(doing, err)
	}
	value, err := encodeToken(t)
	if err != nil {
		return saying(doing, err)
	}
	return x.change(ctx, doing, t.ID, value, auth.ErrExists)
}

// Remove implements auth.TokenStore.
func (x *Tokens) Remove(ctx context.Context, id string) error {
	const doing = "remove a token"
	if err := x.begin(ctx, doing); err != nil {
		return err
	}
	if !auth.ValidID(id) {
		return saying(doing, auth.ErrNotFound)
	}
	return x.change(ctx, doing, id, nil, auth.ErrNotFound)
}

// change runs the script, which refuses with an error.
func (x *Tokens) change(ctx context.Context, doing, id string, value []byte, refused error) error {
	tokens := x.store.layout.tokens()
	done, err := x.store.scripts.token.Run(ctx, x.store.client, []string{tokens, tokens + ":" + rand.Text()}, id, value).Int()
	switch {
	case err != nil:
		return x.failed(ctx, doing, err)
	case done == 0:
		return saying(doing, refused)
	}
	return nil
}

// Get implements auth.TokenStore. It is one round trip.
func (x *Tokens) Get(ctx context.Context, id string) (auth.Token, error) {
	const doing = "get a token"
	if err := x.begin(ctx, doing); err != nil {
		return auth.Token{}, err
	}
	if !auth.ValidID(id) {
		return auth.Token{}, saying(doing, auth.ErrNotFound)
	}
	value, err := x.store.client.HGet(ctx, x.store.layout.tokens(), id).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return auth.Token{}, saying(doing, auth.ErrNotFound)
	case err != nil:
		return auth.Token{}, x.failed(ctx, doing, err)
	}
	t, err := decodeToken(id, value)
	return t, saying(doing, err)
}

// List implements auth.TokenStore. It is one round trip.
func (x *Tokens) List(ctx context.Context) ([]auth.Token, error) {
	const doing = "list tokens"
	if err := x.begin(ctx, doing); err != nil {
		return nil, err
	}
	values, err := x.store.client.HGetAll(ctx, x.store.layout.tokens()).Result()
	if err != nil {
		return nil, x.failed(ctx, doing, err)
	}
	all := make([]auth.Token, 0, len(values))
	for id, value := range values {
		t, err := decodeToken(id, []byte(value))
		if err != nil {
			return nil, saying(doing, err)
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b auth.Token) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// storedToken is the JSON of a token; its id is the name of the field. Times are Unix ms.
type storedToken struct {
	Description string `json:"description"`
	Namespace   string `json:"namespace"`
	UserID      string `json:"user_id"`
	CreatedAt   int64  `json:"created_at"`
	ExpiresAt   *int64 `json:"expires_at"` // null: never
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

var errToken = errors.New("what is kept of a token cannot be read")

func decodeToken(id string, value []byte) (auth.Token, error) {
	var stored storedToken
	if json.Unmarshal(value, &stored) != nil || !auth.ValidID(id) { // the error may quote it
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
