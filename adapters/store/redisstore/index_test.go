package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
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

// indexedCalls are the calls that the index must know of, on a session that is there
// or not.
func indexedCalls(key session.Key) map[string]func(ctx context.Context, store *redisstore.Store) error {
	short := appendOf("m")
	short.TTL = 30 * time.Second
	return map[string]func(ctx context.Context, store *redisstore.Store) error{
		"append": func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, appendOf("m"))
			return err
		},
		"append with a TTL": func(ctx context.Context, store *redisstore.Store) error {
			_, _, err := store.Append(ctx, key, short)
			return err
		},
		"write": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.Write(ctx, key, driver.Write{Head: []byte("{}"), Format: 1, Now: at})
			return err
		},
		"delete": func(ctx context.Context, store *redisstore.Store) error {
			return store.Delete(ctx, key, nil)
		},
		"list": func(ctx context.Context, store *redisstore.Store) error {
			_, err := store.List(ctx, session.ListOptions{Limit: -1})
			return err
		},
	}
}

// A process may die at any moment: List is right.
func TestIndexAfterCrash(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", UserID: "u", SessionID: "s"}
	for name, call := range indexedCalls(key) {
		for _, made := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, made %t", name, made), func(t *testing.T) {
				t.Parallel()
				for n := 1; crashAt(t, key, call, made, n); n++ {
					require.Less(t, n, 20)
				}
			})
		}
	}
}

// crashAt lets a call crash at its n-th command, before and after that is done. It
// reports whether there was one.
func crashAt(t *testing.T, key session.Key, call func(context.Context, *redisstore.Store) error, made bool, n int) (reached bool) {
	for _, done := range []bool{false, true} {
		store, client, prefix := newStore(t)
		other := storeOn(t, newClient(t), prefix)
		if made {
			_, _, err := other.Append(t.Context(), key, appendOf("first"))
			require.NoError(t, err)
		}
		client.AddHook(crash(n, done, &reached))
		err := call(t.Context(), store)
		if err != nil && !errors.Is(err, session.ErrConflict) {
			assert.ErrorIs(t, err, session.ErrUnavailable)
		}
		requireListed(t, other, key)
		requireSettled(t, other, prefix)
		requireListed(t, other, key)
	}
	return reached
}

// requireSettled lets two minutes pass, as far as the index knows, after which List
// has forgotten all that was begun.
func requireSettled(t *testing.T, store *redisstore.Store, prefix string) {
	t.Helper()
	client := newClient(t)
	shiftMarks(t, client, prefix, -121*time.Second)
	_, err := store.List(t.Context(), session.ListOptions{})
	require.NoError(t, err)
	require.Zero(t, client.HLen(t.Context(), pendingOf(prefix)).Val())
}

func pendingOf(prefix string) string { return prefix + ":{" + prefix + "}:pending" }

// shiftMarks makes all times in the marks of the index later.
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

// Calls overtake each other, and some are cut off. While they run, List never misses
// a session that is there; when they have ended, it is exact.
func TestIndexUnderFire(t *testing.T) {
	t.Parallel()
	const workers, calls, sessions = 8, 150, 4
	_, _, prefix := newStore(t)
	sound := storeOn(t, newClient(t), prefix)
	stays := session.Key{Namespace: "stays", SessionID: "s"}
	_, _, err := sound.Append(t.Context(), stays, appendOf("m"))
	require.NoError(t, err)

	var wg sync.WaitGroup
	for range workers {
		client := newClient(t)
		client.AddHook(around(cutSometimes))
		store := storeOn(t, client, prefix)
		wg.Go(func() {
			for range calls {
				key := session.Key{Namespace: "n", SessionID: strconv.Itoa(rand.IntN(sessions))}
				if rand.IntN(10) == 0 {
					key = stays
				}
				randomCall(t.Context(), store, key, key == stays)
			}
		})
	}
	wg.Go(func() {
		for range calls {
			page, err := sound.List(t.Context(), session.ListOptions{Limit: -1})
			if assert.NoError(t, err) {
				assert.Contains(t, page.Keys, stays)
			}
		}
	})
	wg.Wait()

	requireExact(t, sound, sessions)
	requireSettled(t, sound, prefix)
	requireExact(t, sound, sessions)
}

// randomCall makes a call. What comes of it does not matter.
func randomCall(ctx context.Context, store *redisstore.Store, key session.Key, keep bool) {
	a := appendOf(strconv.Itoa(rand.IntN(5)))
	a.TTL = []time.Duration{0, session.NoExpiry, time.Hour, 2 * time.Hour, 3 * time.Hour, 3 * time.Millisecond}[rand.IntN(6)]
	if keep && a.TTL < time.Minute {
		a.TTL = 0
	}
	switch rand.IntN(4) {
	case 0:
		if !keep {
			_ = store.Delete(ctx, key, nil)
		}
	case 1:
		_, _ = store.Write(ctx, key, driver.Write{Head: []byte("{}"), Format: 1, TTL: a.TTL, Now: at})
	default:
		_, _, _ = store.Append(ctx, key, a)
	}
}

// requireExact requires that List has what Load finds, and nothing else.
func requireExact(t *testing.T, store *redisstore.Store, sessions int) {
	t.Helper()
	// What expires in a moment is waited for.
	var want []session.Key
	for i := range sessions {
		key := session.Key{Namespace: "n", SessionID: strconv.Itoa(i)}
		require.Eventually(t, func() bool {
			r, err := store.Load(t.Context(), key, 0)
			if err == nil {
				if !r.ExpiresAt.IsZero() && time.Until(r.ExpiresAt) < 10*time.Second {
					return false
				}
				want = append(want, key)
			}
			return true
		}, time.Minute, time.Millisecond)
	}
	namespace := "n"
	page, err := store.List(t.Context(), session.ListOptions{Namespace: &namespace, Limit: -1})
	require.NoError(t, err)
	require.True(t, slices.Equal(want, page.Keys), "there: %v, listed: %v", want, page.Keys)
	require.Equal(t, len(want), page.Total)
}

// What a call costs in round trips.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	// A single connection, so that none is made while calls are counted.
	client := clientOf(t, func(o *redis.Options) { o.PoolSize = 1 })
	store := storeOn(t, client, newPrefix(t, newClient(t)))
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	ttl := func(d time.Duration, id string) driver.Append {
		a := appendOf(id)
		a.TTL = d
		return a
	}
	// Behind these, the scripts are in the server's cache, and connections are made.
	_, err := store.Load(ctx, key, 20)
	require.ErrorIs(t, err, session.ErrNotFound)
	_, _, err = store.Append(ctx, key, ttl(time.Hour, "0"))
	require.NoError(t, err)
	_, err = store.List(ctx, session.ListOptions{Limit: 10})
	require.NoError(t, err)
	_, err = store.Write(ctx, session.Key{SessionID: "t"}, driver.Write{Head: []byte("{}"), Format: 1, Now: at})
	require.NoError(t, err)

	require.NoError(t, store.Delete(ctx, session.Key{SessionID: "t"}, nil))
	_, err = store.Due(ctx, at, 1)
	require.NoError(t, err)

	var n int
	client.AddHook(count(&n))
	for _, c := range []struct {
		name string
		want int
		call func() error
	}{
		{"append", 1, func() error { _, _, err := store.Append(ctx, key, appendOf("1")); return err }},
		{"append with a longer TTL", 1, func() error { _, _, err := store.Append(ctx, key, ttl(2*time.Hour, "2")); return err }},
		{"append with a shorter one, not below the first", 1, func() error { _, _, err := store.Append(ctx, key, ttl(90*time.Minute, "3")); return err }},
		{"append without expiry", 1, func() error { _, _, err := store.Append(ctx, key, ttl(session.NoExpiry, "4")); return err }},
		{"append with one below", 4, func() error { _, _, err := store.Append(ctx, key, ttl(time.Minute, "5")); return err }},
		{"append that makes a session", 4, func() error { _, _, err := store.Append(ctx, session.Key{SessionID: "new"}, appendOf("m")); return err }},
		{"append that makes it due", 4, func() error { _, _, err := store.Append(ctx, key, appendDue(at, "6")); return err }},
		{"append when it is due", 1, func() error { _, _, err := store.Append(ctx, key, appendDue(at, "7")); return err }},
		{"due", 2, func() error { _, err := store.Due(ctx, at, 10); return err }},
		{"nothing due", 1, func() error { _, err := store.Due(ctx, at.Add(-time.Hour), 10); return err }},
		{"load", 1, func() error { _, err := store.Load(ctx, key, 20); return err }},
		{"list", 1, func() error { _, err := store.List(ctx, session.ListOptions{Limit: 10}); return err }},
		{"delete", 3, func() error { return store.Delete(ctx, key, nil) }},
	} {
		n = 0
		require.NoError(t, c.call(), c.name)
		assert.Equal(t, c.want, n, c.name)
	}
}

// The index does not grow with sessions that have expired, even if List is never called.
func TestIndexForgetsExpired(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	short := appendOf("m")
	short.TTL = time.Millisecond
	for i := range 1000 {
		_, _, err := store.Append(t.Context(), session.Key{SessionID: strconv.Itoa(i)}, short)
		require.NoError(t, err)
	}
	for _, name := range []string{"by-namespace", "by-user", "by-session", "expiring"} {
		assert.Less(t, client.ZCard(t.Context(), prefix+":{"+prefix+"}:"+name).Val(), int64(200), name)
	}
}

// A server that lost a part of what it had acknowledged.
func TestReindex(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, ttl := t.Context(), appendOf("m")
	ttl.TTL = time.Hour
	var keys []session.Key
	for i := range 10 {
		keys = append(keys, session.Key{Namespace: "*{", UserID: "[", SessionID: strconv.Itoa(i)})
		_, _, err := store.Append(ctx, keys[i], []driver.Append{appendOf("m"), ttl}[i%2])
		require.NoError(t, err)
	}
	repaired, err := store.Reindex(ctx)
	require.NoError(t, err)
	assert.Zero(t, repaired)

	index := prefix + ":{" + prefix + "}:"
	heads := func(i int) string { return prefix + ":{" + keys[i].String() + "}:head" }
	for name, lose := range map[string]struct {
		do   func() error
		want int
	}{
		"the index": {func() error {
			return client.Del(ctx, index+"by-namespace", index+"by-user", index+"by-session", index+"expiring").Err()
		}, 10},
		"expiries": {func() error { return client.Del(ctx, index+"expiring").Err() }, 5},
		"one expiry": {func() error {
			return client.ZAdd(ctx, index+"expiring", redis.Z{Score: 1e15, Member: keys[1].String()}).Err()
		}, 1},
	} {
		require.NoError(t, lose.do(), name)
		repaired, err := store.Reindex(ctx)
		require.NoError(t, err, name)
		assert.Equal(t, lose.want, repaired, name)
		page, err := store.List(ctx, session.ListOptions{Limit: -1})
		require.NoError(t, err, name)
		assert.Equal(t, keys, page.Keys, name)
	}
	require.NoError(t, client.Del(ctx, heads(3), heads(4)).Err())
	repaired, err = store.Reindex(ctx)
	require.NoError(t, err)
	assert.Equal(t, 2, repaired)
	page, err := store.List(ctx, session.ListOptions{Limit: -1})
	require.NoError(t, err)
	assert.Equal(t, slices.Concat(keys[:3], keys[5:]), page.Keys)
	assert.Equal(t, 8, page.Total)
}

// A settlement that is sent twice counts once: the mark of another call stays, which
// then dies behind its change.
func TestSettledTwice(t *testing.T) {
	t.Parallel()
	dies, client, prefix := newStore(t)
	key := session.Key{Namespace: "n", SessionID: "s"}
	ctx := t.Context()
	removing := newClient(t)
	removes, sound := storeOn(t, removing, prefix), storeOn(t, newClient(t), prefix)
	// Behind these, the scripts are in the server's cache, and connections are made.
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

// A clock that is set back hides no session: what was marked before is looked at.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	dies, client, prefix := newStore(t)
	key := session.Key{Namespace: "n", SessionID: "s"}
	sound := storeOn(t, newClient(t), prefix)
	require.NoError(t, dies.Delete(t.Context(), key, nil)) // makes the connection
	var reached bool
	client.AddHook(crash(4, false, &reached))
	_, _, err := dies.Append(t.Context(), key, appendOf("m"))
	require.NoError(t, err)
	require.True(t, reached, "the call ended before it was settled")
	shiftMarks(t, newClient(t), prefix, time.Hour)
	requireListed(t, sound, key)
}
