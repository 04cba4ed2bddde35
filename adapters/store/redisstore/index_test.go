package redisstore_test

import (
	"context"
	"errors"
	"regexp"
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

// indexedCalls are calls that must update the index, and those that read it.
func indexedCalls(key session.Key) map[string]func(ctx context.Context, store *redisstore.Store) error {
	appends := func(a driver.Append) func(ctx context.Context, store *redisstore.Store) error {
		return func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, a)
			return err
		}
	}
	set := func(due time.Time) func(ctx context.Context, store *redisstore.Store) error {
		return func(ctx context.Context, store *redisstore.Store) error { return setDue(ctx, store, key, due) }
	}
	short := appendOf("m")
	short.TTL = 30 * time.Second
	return map[string]func(ctx context.Context, store *redisstore.Store) error{
		"append": appends(appendOf("m")), "append with a TTL": appends(short), "append due": appends(appendDue(at, "m")),
		"due earlier": set(at.Add(-time.Hour)), "due later": set(at.Add(time.Hour)), "not due": set(time.Time{}),
		"write": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.Write(ctx, key, driver.Write{Head: []byte("{}"), Format: 1, Now: at})
			return err
		},
		"delete": func(ctx context.Context, store *redisstore.Store) error { return store.Delete(ctx, key, nil) },
		"due": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.Due(ctx, longAfter, 1)
			return err
		},
		"list": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.List(ctx, session.ListOptions{Limit: -1})
			return err
		},
	}
}

// TestIndexAfterCrash: if a process dies at any of the commands of a call, List and Due are correct.
func TestIndexAfterCrash(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", UserID: "u", SessionID: "s"}
	for name, call := range indexedCalls(key) {
		for _, before := range []string{"none", "not due", "due", "was due", "due later than it was"} {
			t.Run(name+", "+before, func(t *testing.T) {
				t.Parallel()
				for n, reached := 1, true; reached; n++ {
					require.Less(t, n, 20)
					reached = crashAt(t, key, call, before, n)
				}
			})
		}
	}
}

// crashAt lets a call crash at its n-th command, before and after the server executes it. It
// reports whether there was one.
func crashAt(t *testing.T, key session.Key, call func(context.Context, *redisstore.Store) error, before string, n int) (reached bool) {
	for _, done := range []bool{false, true} {
		store, client, prefix := newStore(t)
		other := storeOn(t, newClient(t), prefix)
		prepareDue(t, other, key, before)
		client.AddHook(crash(n, done, &reached))
		err := call(t.Context(), store)
		if err != nil && !errors.Is(err, session.ErrNotFound) && !errors.Is(err, session.ErrConflict) {
			assert.ErrorIs(t, err, session.ErrUnavailable)
		}
		requireDue(t, other, key)
		requireListed(t, other, key)
		requireSettled(t, other, prefix)
		requireDue(t, other, key)
		requireListed(t, other, key)
		_, _, err = other.Append(t.Context(), key, appendDue(at, "again"))
		require.NoError(t, err)
		requireDue(t, other, key)
	}
	return reached
}

// requireSettled makes all marks two minutes older, after which List drops them.
func requireSettled(t *testing.T, store *redisstore.Store, prefix string) {
	t.Helper()
	client := newClient(t)
	shiftMarks(t, client, prefix, -121*time.Second)
	_, err := store.List(t.Context(), session.ListOptions{})
	require.NoError(t, err)
	require.Zero(t, client.HLen(t.Context(), pendingOf(prefix)).Val())
}

func pendingOf(prefix string) string { return prefix + ":{" + prefix + "}:pending" }

// shiftMarks shifts the times of all marks in the index.
func shiftMarks(t *testing.T, client *redis.Client, prefix string, by time.Duration) {
	t.Helper()
	now := time.Now().UnixMilli()
	for key, entry := range client.HGetAll(t.Context(), pendingOf(prefix)).Val() {
		shifted := regexp.MustCompile(`\d{12,}`).ReplaceAllStringFunc(entry, func(text string) string {
			ms, err := strconv.ParseInt(text, 10, 64)
			require.NoError(t, err)
			require.InDelta(t, now, ms, float64(time.Hour/time.Millisecond))
			return strconv.FormatInt(ms+by.Milliseconds(), 10)
		})
		require.NoError(t, client.HSet(t.Context(), pendingOf(prefix), key, shifted).Err())
	}
}

// TestRoundTrips: the number of round trips of each call, once the scripts are loaded.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	// A single connection, so that none is opened while calls are counted.
	client := clientOf(t, func(o *redis.Options) { o.PoolSize = 1 })
	store := storeOn(t, client, newPrefix(t, newClient(t)))
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	appends := func(key session.Key, ttl time.Duration, due time.Time, id string) func() error {
		a := appendDue(due, id)
		a.TTL = ttl
		return func() error { _, _, err := store.Append(ctx, key, a); return err }
	}
	none, hour, made := time.Time{}, time.Hour, session.Key{SessionID: "new"}
	for _, call := range indexedCalls(session.Key{SessionID: "warm"}) {
		_ = call(ctx, store)
	}
	_ = store.Delete(ctx, session.Key{SessionID: "warm"}, nil)
	_, _ = store.Load(ctx, key, 20)
	require.NoError(t, appends(key, hour, none, "0")())
	var n int
	client.AddHook(count(&n))
	for _, c := range []struct {
		name string
		want int
		call func() error
	}{
		{"append", 1, appends(key, 0, none, "1")},
		{"append with a longer TTL", 1, appends(key, 2*hour, none, "2")},
		{"append with a shorter one, not below the first", 1, appends(key, 90*time.Minute, none, "3")},
		{"append without expiry", 1, appends(key, session.NoExpiry, none, "4")},
		{"append with one below", 4, appends(key, time.Minute, none, "5")},
		{"append that makes a session", 4, appends(made, 0, none, "m")},
		{"append that makes it due", 4, appends(key, 0, at, "6")},
		{"append when it is due", 1, appends(key, 0, at, "7")},
		{"due", 2, func() error { _, err := store.Due(ctx, at, 10); return err }},
		{"nothing due", 1, func() error { _, err := store.Due(ctx, at.Add(-hour), 10); return err }},
		{"load", 1, func() error { _, err := store.Load(ctx, key, 20); return err }},
		{"list", 1, func() error { _, err := store.List(ctx, session.ListOptions{Limit: 10}); return err }},
		{"delete", 3, func() error { return store.Delete(ctx, key, nil) }},
	} {
		n = 0
		require.NoError(t, c.call(), c.name)
		assert.Equal(t, c.want, n, c.name)
	}
}

// TestIndexForgetsExpired: expired sessions leave the index even if List is never called.
func TestIndexForgetsExpired(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	short := appendOf("m")
	short.TTL = time.Millisecond
	for i := range 400 {
		_, _, err := store.Append(t.Context(), session.Key{SessionID: strconv.Itoa(i)}, short)
		require.NoError(t, err)
	}
	for _, name := range []string{"by-namespace", "by-user", "by-session", "expiring"} {
		assert.Less(t, client.ZCard(t.Context(), prefix+":{"+prefix+"}:"+name).Val(), int64(200), name)
	}
}

// TestSettledTwice: a settlement that is sent twice does not remove the mark of another call, whose
// process then dies after its change.
func TestSettledTwice(t *testing.T) {
	t.Parallel()
	dies, client, prefix := newStore(t)
	key := session.Key{Namespace: "n", SessionID: "s"}
	ctx := t.Context()
	removing := newClient(t)
	removes, sound := storeOn(t, removing, prefix), storeOn(t, newClient(t), prefix)
	// Load the scripts and open the connections.
	for _, store := range []*redisstore.Store{dies, removes, sound} {
		_, _, err := store.Append(ctx, key, appendOf("m"))
		require.NoError(t, err)
		require.NoError(t, store.Delete(ctx, key, nil))
	}

	marked, removed := make(chan struct{}), make(chan struct{})
	calls := 0
	client.AddHook(around(func(next func() error) error {
		switch calls++; calls { // 1: the index must know, 2: mark, 3: append, 4: settle
		case 3:
			close(marked)
			<-removed
		case 4:
			return errCut
		}
		return next()
	}))
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _, err := dies.Append(ctx, key, appendOf("m"))
		assert.NoError(t, err)
	})
	removals := 0
	removing.AddHook(around(func(next func() error) error {
		switch removals++; removals { // 1: mark, 2: delete, 3: settle
		case 2:
			<-marked
		case 3:
			_ = next()
		}
		return next()
	}))
	require.NoError(t, removes.Delete(ctx, key, nil))
	close(removed)
	wg.Wait()
	requireListed(t, sound, key)
	requireSettled(t, sound, prefix)
	requireListed(t, sound, key)
}

// TestClockSetBack: marks with times in the future are checked.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	dies, client, prefix := newStore(t)
	key := session.Key{Namespace: "n", SessionID: "s"}
	sound := storeOn(t, newClient(t), prefix)
	// Load the scripts and open the connection.
	_, _, err := dies.Append(t.Context(), key, appendOf("m"))
	require.NoError(t, err)
	require.NoError(t, dies.Delete(t.Context(), key, nil))
	var reached bool
	client.AddHook(crash(4, false, &reached))
	_, _, err = dies.Append(t.Context(), key, appendOf("m"))
	require.NoError(t, err)
	require.True(t, reached)
	shiftMarks(t, newClient(t), prefix, time.Hour)
	requireListed(t, sound, key)
}

// TestReindex: after the server has lost a part of the index or of the sessions.
func TestReindex(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, ttl := t.Context(), appendDue(at, "m")
	ttl.TTL = time.Hour
	var keys []session.Key
	for i := range 10 {
		keys = append(keys, session.Key{Namespace: "*{", UserID: "[", SessionID: strconv.Itoa(i)})
		_, _, err := store.Append(ctx, keys[i], []driver.Append{appendOf("m"), ttl}[i%2])
		require.NoError(t, err)
	}
	index := prefix + ":{" + prefix + "}:"
	head := func(i int) string { return prefix + ":{" + keys[i].String() + "}:head" }
	for _, lose := range []struct {
		name string
		do   func() error
		want int
	}{
		{"nothing", func() error { return nil }, 0},
		{"the index", func() error {
			return client.Del(ctx, index+"by-namespace", index+"by-user", index+"by-session", index+"expiring", index+"due").Err()
		}, 10},
		{"expiries", func() error { return client.Del(ctx, index+"expiring").Err() }, 5},
		{"due times", func() error { return client.Del(ctx, index+"due").Err() }, 5},
		{"an expiry", func() error {
			return client.ZAdd(ctx, index+"expiring", redis.Z{Score: 1e15, Member: keys[1].String()}).Err()
		}, 1},
		{"a due time", func() error {
			return client.ZAdd(ctx, index+"due", redis.Z{Score: 1e15, Member: keys[1].String()}).Err()
		}, 1},
		{"an early due time", func() error { return client.ZAdd(ctx, index+"due", redis.Z{Score: 1, Member: keys[0].String()}).Err() }, 0},
		{"sessions", func() error {
			lost := []string{head(8), head(9)}
			keys = keys[:8]
			return client.Del(ctx, lost...).Err()
		}, 2},
	} {
		require.NoError(t, lose.do(), lose.name)
		repaired, err := store.Reindex(ctx)
		require.NoError(t, err, lose.name)
		assert.Equal(t, lose.want, repaired, lose.name)
		page, err := store.List(ctx, session.ListOptions{Limit: -1})
		require.NoError(t, err, lose.name)
		assert.Equal(t, session.Listing{Keys: keys, Total: len(keys)}, page, lose.name)
		due, err := store.Due(ctx, longAfter, 10)
		require.NoError(t, err, lose.name)
		assert.Len(t, due, len(keys)/2, lose.name)
	}
}
