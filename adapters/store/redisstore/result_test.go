package redisstore_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// chunk is the size of a chunk of a result.
const chunk = 64 << 10

// resultOf returns a result in which each byte is the number of its chunk.
func resultOf(id string, size int) driver.StoredResult {
	r := driver.StoredResult{ResultInfo: driver.ResultInfo{ID: id, Meta: []byte(`{"a": 1}`), CreatedAt: at}}
	for i := range size {
		r.Content = append(r.Content, byte(i/chunk))
	}
	return r
}

// TestLayoutOfResults: names and formats of stored data never change.
func TestLayoutOfResults(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	base := prefix + ":{//s}:"
	a := appendOf("one")
	a.TTL = time.Hour
	at1, _, err := store.Append(ctx, key, a)
	require.NoError(t, err)
	for _, r := range []driver.StoredResult{resultOf("dropped", 2*chunk), resultOf("page 1", chunk+1), resultOf("", 0)} {
		if r.ID == "" {
			r.ID = "2"
		}
		require.NoError(t, store.PutResult(ctx, key, r, 3*chunk))
	}
	assert.Equal(t, map[string]string{
		"": "4 65537", "page 1": `2 65537 1772366400000 {"a": 1}`, "2": `3 0 1772366400000 {"a": 1}`,
	}, client.HGetAll(ctx, base+"results").Val())
	assert.Equal(t, map[string]string{
		"size page 1": "65537", "0 page 1": strings.Repeat("\x00", chunk), "1 page 1": "\x01", "size 2": "0",
	}, client.HGetAll(ctx, base+"contents").Val())
	for _, name := range []string{"results", "contents"} {
		assert.Equal(t, time.Duration(at1.ExpiresAt.UnixMilli())*time.Millisecond, client.PExpireTime(ctx, base+name).Val(), name)
	}
	names, err := client.Keys(ctx, base+"*").Result()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{base + "head", base + "messages", base + "ids", base + "appends", base + "results", base + "contents"}, names)
	require.NoError(t, store.Delete(ctx, key, nil))
	assert.Zero(t, client.Exists(ctx, base+"results", base+"contents").Val())
}

// TestExpiryOfResults: the keys of results have the expiry of the session, whatever the order of calls.
func TestExpiryOfResults(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	base := prefix + ":{//s}:"
	ids := []string{"1", "2", "3", "4", "5", "6"}
	for i, ttl := range []time.Duration{0, time.Hour, 0, 2 * time.Hour, driver.NoExpiry, time.Minute} {
		a := appendOf()
		a.TTL = ttl
		_, _, err := store.Append(ctx, key, a)
		require.NoError(t, err)
		for range 2 {
			for _, name := range []string{"results", "contents"} {
				if i > 0 {
					assert.Equal(t, client.PExpireTime(ctx, base+"head").Val(), client.PExpireTime(ctx, base+name).Val(), "%s after %v", name, ttl)
				}
			}
			require.NoError(t, store.PutResult(ctx, key, resultOf(ids[i], 5), 100))
		}
	}
}

// TestPutResultEndsAnywhere: if a process dies while it puts a result, nothing of it is visible, and what
// it left expires.
func TestPutResultEndsAnywhere(t *testing.T) {
	t.Parallel()
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	large := resultOf("1", 40*chunk) // in three portions
	for n := 1; ; n++ {
		for _, done := range []bool{false, true} {
			store, client, prefix := newStore(t)
			other := newClient(t)
			_, _, err := store.Append(ctx, key, appendOf("a"))
			require.NoError(t, err)
			var reached bool
			client.AddHook(crash(n, done, &reached))
			err = store.PutResult(ctx, key, large, 16<<20)
			if !reached {
				require.NoError(t, err)
				require.Greater(t, n, 4)
				return
			}
			require.ErrorIs(t, err, session.ErrUnavailable)
			reader := storeOn(t, other, prefix)
			infos, err := reader.Results(ctx, key, driver.ToolResult)
			require.NoError(t, err)
			p := make([]byte, len(large.Content))
			if len(infos) == 0 {
				_, err = reader.ReadResult(ctx, key, driver.ToolResult, "1", p, 0)
				require.ErrorIs(t, err, session.ErrNotFound)
			} else {
				_, err = reader.ReadResult(ctx, key, driver.ToolResult, "1", p, 0)
				require.NoError(t, err)
				require.Equal(t, large.Content, p)
			}
			uploads, err := other.Keys(ctx, prefix+"*:upload:*").Result()
			require.NoError(t, err)
			for _, name := range uploads {
				assert.InDelta(t, time.Minute, other.PTTL(ctx, name).Val(), float64(time.Minute/2))
			}
			require.NoError(t, reader.PutResult(ctx, key, large, 16<<20))
			infos, err = reader.Results(ctx, key, driver.ToolResult)
			require.NoError(t, err)
			require.Len(t, infos, 1)
		}
	}
}

// TestPutResultIsResent: commands that are sent twice put a result once.
func TestPutResultIsResent(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	_, _, err := store.Append(ctx, key, appendOf("a"))
	require.NoError(t, err)
	client.AddHook(twice(nil))
	for _, id := range []string{"1", "2"} {
		require.NoError(t, store.PutResult(ctx, key, resultOf(id, 20*chunk), 30*chunk))
	}
	infos, err := store.Results(ctx, key, driver.ToolResult)
	require.NoError(t, err)
	require.Len(t, infos, 1)
	p := make([]byte, 20*chunk)
	_, err = store.ReadResult(ctx, key, driver.ToolResult, "2", p, 0)
	require.NoError(t, err)
	assert.Equal(t, resultOf("2", 20*chunk).Content, p)
	assert.Empty(t, newClient(t).Keys(ctx, prefix+"*:upload:*").Val())
}

// TestDamagedResults: damage is reported without its contents, and Delete removes it.
func TestDamagedResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage           func(ctx context.Context, client *redis.Client, base string) error
		lists, reads, ok bool
	}{
		"results of another type": {lists: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			client.Del(ctx, base+"results")
			return client.Set(ctx, base+"results", "secret", 0).Err()
		}},
		"contents of another type": {reads: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			client.Del(ctx, base+"contents")
			return client.Set(ctx, base+"contents", "secret", 0).Err()
		}},
		"malformed numbers": {lists: true, ok: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			return client.HSet(ctx, base+"results", "1", "secret").Err()
		}},
		"malformed sum": {damage: func(ctx context.Context, client *redis.Client, base string) error {
			return client.HSet(ctx, base+"results", "", "secret").Err()
		}},
		"malformed size": {reads: true, ok: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			return client.HSet(ctx, base+"contents", "size 1", "secret").Err()
		}},
		"short chunk": {reads: true, ok: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			return client.HSet(ctx, base+"contents", "1 1", "secret").Err()
		}},
		"missing chunk": {reads: true, ok: true, damage: func(ctx context.Context, client *redis.Client, base string) error {
			return client.HDel(ctx, base+"contents", "1 1").Err()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, client, prefix := newStore(t)
			ctx, key := t.Context(), session.Key{SessionID: "s"}
			_, _, err := store.Append(ctx, key, appendOf("a"))
			require.NoError(t, err)
			require.NoError(t, store.PutResult(ctx, key, resultOf("1", 3*chunk), 16<<20))
			require.NoError(t, c.damage(ctx, client, prefix+":{//s}:"))
			requireDamage := func(err error, damaged bool) {
				t.Helper()
				var damage *session.DamagedError
				if !damaged {
					require.NoError(t, err)
					return
				}
				require.ErrorAs(t, err, &damage)
				assert.Equal(t, key, damage.Key)
				assert.NotContains(t, err.Error(), "secret")
			}
			_, err = store.Results(ctx, key, driver.ToolResult)
			requireDamage(err, c.lists)
			_, err = store.ReadResult(ctx, key, driver.ToolResult, "1", make([]byte, 10), chunk)
			requireDamage(err, c.reads)
			requireDamage(store.PutResult(ctx, key, resultOf("2", 5), 16<<20), !c.ok)
			_, err = store.Load(ctx, key, -1)
			require.NoError(t, err)
			require.NoError(t, store.Delete(ctx, key, nil))
			_, _, err = store.Append(ctx, key, appendOf("a"))
			require.NoError(t, err)
			_, err = store.ReadResult(ctx, key, driver.ToolResult, "1", make([]byte, 10), chunk)
			require.ErrorIs(t, err, session.ErrNotFound)
			require.NoError(t, store.PutResult(ctx, key, resultOf("1", 5), 16<<20))
			n, err := store.ReadResult(ctx, key, driver.ToolResult, "1", make([]byte, 10), 0)
			require.Equal(t, io.EOF, err)
			assert.Equal(t, 5, n)
		})
	}
}
