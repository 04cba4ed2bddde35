package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
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

// setDue makes a session due at a time, the zero time: not at all.
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

// requireDue requires that Due has a session if it is due, and only then.
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

// dueCalls are calls on a session that is due at the time at, or was.
func dueCalls(key session.Key) map[string]func(ctx context.Context, store *redisstore.Store) error {
	set := func(due time.Time) func(ctx context.Context, store *redisstore.Store) error {
		return func(ctx context.Context, store *redisstore.Store) error { return setDue(ctx, store, key, due) }
	}
	return map[string]func(ctx context.Context, store *redisstore.Store) error{
		"append": func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, appendDue(at, "m"))
			return err
		},
		"earlier": set(at.Add(-time.Hour)), "later": set(at.Add(time.Hour)), "never": set(time.Time{}),
		"delete": func(ctx context.Context, store *redisstore.Store) error { return store.Delete(ctx, key, nil) },
		"due": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.Due(ctx, longAfter, 1)
			return err
		},
		"list": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.List(ctx, session.ListOptions{})
			return err
		},
	}
}

// A process may die at any moment, between two slots too: nothing that is due is missed.
func TestDueAfterCrash(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", UserID: "u", SessionID: "s"}
	for name, call := range dueCalls(key) {
		for _, before := range []string{"none", "not due", "due", "was due", "due later than it was"} {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				for n, reached := 1, true; reached; n++ {
					require.Less(t, n, 20)
					reached = dueCrashAt(t, key, call, before, n)
				}
			})
		}
	}
}

func dueCrashAt(t *testing.T, key session.Key, call func(context.Context, *redisstore.Store) error, before string, n int) (reached bool) {
	for _, done := range []bool{false, true} {
		store, client, prefix := newStore(t)
		other := storeOn(t, newClient(t), prefix)
		prepareDue(t, other, key, before)
		client.AddHook(crash(n, done, &reached))
		if err := call(t.Context(), store); err != nil && !errors.Is(err, session.ErrNotFound) {
			assert.ErrorIs(t, err, session.ErrUnavailable)
		}
		requireDue(t, other, key)
		requireSettled(t, other, prefix)
		requireDue(t, other, key)
		requireListed(t, other, key)
		// What it left behind keeps nobody from making it due again.
		_, _, err := other.Append(t.Context(), key, appendDue(at, "again"))
		require.NoError(t, err)
		requireDue(t, other, key)
	}
	return reached
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

// One looks for what is due, and is about to take a session off the list that is not,
// when another makes it due again, at the same time as before.
func TestDueAgainMeanwhile(t *testing.T) {
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
			require.Greater(t, n, 4, "the test has not tested much")
			return
		}
		requireDue(t, other, key)
		requireSettled(t, other, prefix)
		requireDue(t, other, key)
	}
}

// Calls overtake each other, and some are cut off: while they run, a session that stays
// due is never missed; when they have ended, Due is exact.
func TestDueUnderFire(t *testing.T) {
	t.Parallel()
	const workers, calls, sessions = 6, 150, 4
	_, _, prefix := newStore(t)
	sound := storeOn(t, newClient(t), prefix)
	stays := session.Key{Namespace: "stays", SessionID: "s"}
	_, _, err := sound.Append(t.Context(), stays, appendDue(at, "m"))
	require.NoError(t, err)
	name := func(n int) session.Key { return session.Key{Namespace: "n", SessionID: strconv.Itoa(n)} }
	var wg sync.WaitGroup
	for range workers {
		client := newClient(t)
		client.AddHook(around(cutSometimes))
		store := storeOn(t, client, prefix)
		wg.Go(func() {
			for range calls {
				key := name(rand.IntN(sessions))
				if rand.IntN(10) == 0 {
					_ = setDue(t.Context(), store, stays, at.Add(time.Duration(rand.IntN(3)-1)*time.Second))
					continue
				}
				for _, call := range dueCalls(key) { // in any order: one of them
					_ = call(t.Context(), store)
					break
				}
			}
		})
	}
	wg.Go(func() {
		for range calls {
			keys, err := sound.Due(t.Context(), longAfter, 1+rand.IntN(10)*sessions)
			if assert.NoError(t, err) && len(keys) > 1 {
				assert.Contains(t, keys, stays)
			}
		}
	})
	wg.Wait()
	for _, settled := range []bool{false, true} {
		if settled {
			requireSettled(t, sound, prefix)
		}
		for n := range sessions {
			r, err := sound.Load(t.Context(), name(n), 0)
			keys, dueErr := sound.Due(t.Context(), longAfter, 100)
			require.NoError(t, dueErr)
			require.Equal(t, err == nil && !r.DueAt.IsZero(), slices.Contains(keys, name(n)), "session %d of %v", n, keys)
		}
	}
}

// Sessions that are not due any more, and those that are due later, are in front of the
// one that is: it is found, and they are taken off.
func TestDueBehindOthers(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx := t.Context()
	key := func(i int) session.Key { return session.Key{SessionID: fmt.Sprint(i)} }
	for i := range 30 {
		_, _, err := store.Append(ctx, key(i), appendDue(at.Add(time.Duration(i)*time.Second), "m"))
		require.NoError(t, err)
	}
	for i := range 29 {
		switch i % 3 {
		case 0:
			require.NoError(t, setDue(ctx, store, key(i), time.Time{}))
		case 1:
			require.NoError(t, setDue(ctx, store, key(i), at.Add(time.Duration(100-i)*time.Second)))
		case 2:
			require.NoError(t, store.Delete(ctx, key(i), nil))
		}
	}
	keys, err := store.Due(ctx, longAfter, 2)
	require.NoError(t, err)
	require.Equal(t, []session.Key{key(29), key(28)}, keys)
	keys, err = store.Due(ctx, longAfter, math.MaxInt)
	require.NoError(t, err)
	require.Len(t, keys, 11)
	require.EqualValues(t, 11, client.ZCard(ctx, prefix+":{"+prefix+"}:due").Val())
	require.Zero(t, client.HLen(ctx, pendingOf(prefix)).Val())
}

// Very many that are not due any more do not keep Due from the one that is.
func TestDueBehindVeryMany(t *testing.T) {
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

// A server that lost what is due, or was given an older index.
func TestReindexDue(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, due := t.Context(), prefix+":{"+prefix+"}:due"
	var want []session.Key
	for i := range 10 {
		key := session.Key{SessionID: strconv.Itoa(i)}
		a := appendDue(at.Add(time.Duration(i)*time.Second), "m")
		if i%2 == 1 {
			a.Due = time.Time{}
		} else {
			want = append(want, key)
		}
		_, _, err := store.Append(ctx, key, a)
		require.NoError(t, err)
	}
	for _, lose := range []struct {
		do   func() error
		want int
	}{
		{func() error { return nil }, 0},
		{func() error { return client.Del(ctx, due).Err() }, 5},
		{func() error { return client.ZAdd(ctx, due, redis.Z{Score: 1e15, Member: want[1].String()}).Err() }, 1},
		{func() error { return client.ZAdd(ctx, due, redis.Z{Score: 1, Member: "//1"}).Err() }, 0}, // is looked at anyhow
	} {
		require.NoError(t, lose.do())
		repaired, err := store.Reindex(ctx)
		require.NoError(t, err)
		assert.Equal(t, lose.want, repaired)
		keys, err := store.Due(ctx, longAfter, 10)
		require.NoError(t, err)
		assert.Equal(t, want, keys)
	}
}

// Sessions that were written before there was such a thing are not due, and can be made so.
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

// Times that no one means can be written and read.
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

// What is sent twice makes the session due once: not again when another has taken that
// away in between.
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
