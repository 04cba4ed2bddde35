package redisstore_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var longAfter = at.Add(1000 * time.Hour)

func appendDue(due time.Time, ids ...string) driver.Append {
	a := appendOf(ids...)
	a.Due = due
	return a
}

// setDue sets the due time of a session.
func setDue(ctx context.Context, store *redisstore.Store, key session.Key, due time.Time) error {
	r, err := store.Load(ctx, key, 0)
	if err != nil {
		return err
	}
	_, err = store.Write(ctx, key, driver.Write{
		If: driver.Condition{Revision: r.Revision}, Head: []byte("{}"), Format: 1, Now: at, Due: &due,
	})
	return err
}

// requireDue requires that Due returns a session if and only if it is due.
func requireDue(t *testing.T, store *redisstore.Store, key session.Key) {
	t.Helper()
	r, err := store.Load(t.Context(), key, 0)
	if err != nil {
		require.ErrorIs(t, err, session.ErrNotFound)
	}
	due := err == nil && !r.DueAt.IsZero()
	for _, limit := range []int{10, 1} {
		keys, err := store.Due(t.Context(), longAfter, limit)
		require.NoError(t, err)
		require.Equal(t, due, slices.Contains(keys, key), "due: %t, listed: %v", due, keys)
	}
	if due {
		keys, err := store.Due(t.Context(), r.DueAt.Add(-1), 10)
		require.NoError(t, err)
		require.Empty(t, keys)
	}
}

func prepareDue(t *testing.T, store *redisstore.Store, key session.Key, before string) {
	t.Helper()
	ctx := t.Context()
	switch before {
	case "none":
		return
	case "not due":
		_, _, err := store.Append(ctx, key, appendOf("first"))
		require.NoError(t, err)
		return
	}
	_, _, err := store.Append(ctx, key, appendDue(at, "first"))
	require.NoError(t, err)
	switch before {
	case "was due":
		require.NoError(t, setDue(ctx, store, key, time.Time{}))
	case "due later than it was":
		require.NoError(t, setDue(ctx, store, key, at.Add(time.Minute)))
	}
}

// TestDueAgain: a session that becomes due again, at the same time as before, while Due is removing it
// from the index, stays listed.
func TestDueAgain(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", SessionID: "s"}
	for n := 1; ; n++ {
		store, client, prefix := newStore(t)
		other := storeOn(t, newClient(t), prefix)
		prepareDue(t, other, key, "was due")
		var calls int
		client.AddHook(around(func(next func() error) error {
			if calls++; calls == n {
				_, _, err := other.Append(t.Context(), key, appendDue(at, "m"))
				assert.NoError(t, err)
			}
			return next()
		}))
		_, err := store.Due(t.Context(), longAfter, 1)
		require.NoError(t, err)
		if calls < n {
			require.Greater(t, n, 4, "number of commands")
			return
		}
		requireDue(t, other, key)
		requireSettled(t, other, prefix)
		requireDue(t, other, key)
	}
}

// TestDueAfterManyStaleEntries: the number of round trips is limited.
func TestDueAfterManyStaleEntries(t *testing.T) {
	t.Parallel()
	const many = 1500
	store, client, prefix := newStore(t)
	key := session.Key{SessionID: "s"}
	_, _, err := store.Append(t.Context(), key, appendDue(at, "m"))
	require.NoError(t, err)
	stale := make([]redis.Z, many)
	for i := range stale {
		stale[i] = redis.Z{Score: float64(i + 1), Member: fmt.Sprintf("//gone%d", i)}
	}
	require.NoError(t, client.ZAdd(t.Context(), prefix+":{"+prefix+"}:due", stale...).Err())
	var n int
	client.AddHook(count(&n))
	keys, err := store.Due(t.Context(), at, 1)
	require.NoError(t, err)
	require.Equal(t, []session.Key{key}, keys)
	require.Less(t, n, 100, "round trips")
}

// TestDueOfOlderSessions: sessions of earlier versions lack the fields, are not due, and can become so.
func TestDueOfOlderSessions(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	_, _, err := store.Append(ctx, key, appendOf("a"))
	require.NoError(t, err)
	require.NoError(t, client.HDel(ctx, prefix+":{//s}:head", "due", "listed").Err())
	requireDue(t, store, key)
	requireListed(t, store, key)
	_, _, err = store.Append(ctx, key, appendOf("b"))
	require.NoError(t, err)
	require.NoError(t, client.HDel(ctx, prefix+":{//s}:head", "due", "listed").Err())
	_, _, err = store.Append(ctx, key, appendDue(at, "c"))
	require.NoError(t, err)
	requireDue(t, store, key)
	r, err := store.Load(ctx, key, -1)
	require.NoError(t, err)
	require.Equal(t, at, r.DueAt)
	require.Len(t, r.Messages, 3)
}

// TestDueAtOddTimes: extreme due times can be stored.
func TestDueAtOddTimes(t *testing.T) {
	t.Parallel()
	store, _, _ := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	_, _, err := store.Append(ctx, key, appendOf("a"))
	require.NoError(t, err)
	for _, due := range []time.Time{
		time.UnixMilli(0), time.UnixMilli(-1), time.UnixMilli(math.MaxInt64), time.UnixMilli(math.MinInt64), time.Unix(math.MaxInt64, 0), time.Unix(1, 1),
	} {
		require.NoError(t, setDue(ctx, store, key, due))
		r, err := store.Load(ctx, key, -1)
		require.NoError(t, err)
		require.False(t, r.DueAt.IsZero(), due)
		keys, err := store.Due(ctx, time.Unix(math.MaxInt64, 0), 1)
		require.NoError(t, err)
		require.Equal(t, []session.Key{key}, keys, due)
		_, err = store.Due(ctx, due, 1)
		require.NoError(t, err)
	}
}

// TestResendDue: a command that is sent twice does not make the session due again after another client
// has cleared its due time.
func TestResendDue(t *testing.T) {
	t.Parallel()
	key := session.Key{SessionID: "s"}
	for name, call := range map[string]func(ctx context.Context, store *redisstore.Store) error{
		"append of nothing": func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, appendDue(at))
			return err
		},
		"append": func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, appendDue(at, "m"))
			return err
		},
		"write": func(ctx context.Context, store *redisstore.Store) error { return setDue(ctx, store, key, at) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, client, prefix := newStore(t)
			other := storeOn(t, newClient(t), prefix)
			prepareDue(t, other, key, "was due")
			client.AddHook(twice(func() {
				if r, err := other.Load(t.Context(), key, 0); assert.NoError(t, err) && !r.DueAt.IsZero() {
					assert.NoError(t, setDue(t.Context(), other, key, time.Time{}))
				}
			}))
			require.NoError(t, call(t.Context(), store))
			r, err := other.Load(t.Context(), key, 0)
			require.NoError(t, err)
			require.True(t, r.DueAt.IsZero())
			requireDue(t, other, key)
		})
	}
}
