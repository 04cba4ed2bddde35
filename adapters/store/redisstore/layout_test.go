package redisstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newStore returns a store, its client, to which hooks can be added, and its prefix.
func newStore(tb testing.TB) (*redisstore.Store, *redis.Client, string) {
	tb.Helper()
	client := newClient(tb)
	prefix := newPrefix(tb, newClient(tb))
	return storeOn(tb, client, prefix), client, prefix
}

func storeOn(tb testing.TB, client redis.UniversalClient, prefix string) *redisstore.Store {
	tb.Helper()
	store, err := redisstore.New(client, &redisstore.Options{Prefix: prefix})
	require.NoError(tb, err)
	return store
}

// appendOf returns an Append of messages with the given ids, each of 7 tokens.
func appendOf(ids ...string) driver.Append {
	a := driver.Append{Head: []byte(`{"head":1}`), Format: 1, Now: at}
	for _, id := range ids {
		a.Messages = append(a.Messages, driver.StoredMessage{ID: id, Tokens: 7, Body: []byte(`{"of":"` + id + `"}`)})
	}
	return a
}

// TestLayout: names and formats of stored data never change.
func TestLayout(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{Namespace: "a/b", UserID: "", SessionID: "{x}"}
	base := prefix + ":{a%2Fb//%7Bx%7D}:"
	index := prefix + ":{" + prefix + "}:"

	a := appendOf("one", "two words", "three")
	a.TTL, a.Window, a.Due = time.Hour, 1000, at.Add(time.Minute)
	at1, _, err := store.Append(ctx, key, a)
	require.NoError(t, err)
	at2, err := store.Write(ctx, key, driver.Write{
		If: driver.Condition{Revision: at1.Revision}, Head: []byte(`{"head":2}`), Format: 1, DropBefore: 2, Now: at,
	})
	require.NoError(t, err)

	names, err := client.Keys(ctx, prefix+"*").Result()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{
		base + "head", base + "messages", base + "ids", base + "appends", base + "writes",
		index + "by-namespace", index + "by-user", index + "by-session", index + "expiring", index + "counter", index + "due",
	}, names)

	expires := at2.ExpiresAt.UnixMilli()
	head := client.HGetAll(ctx, base+"head").Val()
	assert.Equal(t, head["expires"], head["indexed"])
	assert.Len(t, head, 12)
	assert.Equal(t, []any{`{"head":2}`, "1", "2", "4", "14", "1000", "1772366400000", "1772366460000", "1772366460000"},
		client.HMGet(ctx, base+"head", "head", "format", "first", "next", "tokens", "window", "updated", "due", "listed").Val())
	assert.Equal(t, []string{`7 9 two words{"of":"two words"}`, `7 5 three{"of":"three"}`}, client.LRange(ctx, base+"messages", 0, -1).Val())
	assert.Equal(t, []redis.Z{{Score: 1, Member: "one"}, {Score: 2, Member: "two words"}, {Score: 3, Member: "three"}},
		client.ZRangeWithScores(ctx, base+"ids", 0, -1).Val())
	for _, name := range []string{"head", "messages", "ids"} {
		assert.Equal(t, time.Duration(expires)*time.Millisecond, client.PExpireTime(ctx, base+name).Val(), name)
	}
	assert.Equal(t, []string{"a%2Fb//%7Bx%7D"}, client.ZRange(ctx, index+"by-namespace", 0, -1).Val())
	assert.Equal(t, []string{"/a%2Fb/%7Bx%7D"}, client.ZRange(ctx, index+"by-user", 0, -1).Val())
	assert.Equal(t, []string{"%7Bx%7D/a%2Fb//"}, client.ZRange(ctx, index+"by-session", 0, -1).Val())
	assert.Equal(t, []redis.Z{{Score: float64(expires), Member: "a%2Fb//%7Bx%7D"}}, client.ZRangeWithScores(ctx, index+"expiring", 0, -1).Val())
	assert.Equal(t, []redis.Z{{Score: 1772366460000, Member: "a%2Fb//%7Bx%7D"}}, client.ZRangeWithScores(ctx, index+"due", 0, -1).Val())
}

// TestDeleteLeaves: the remaining keys of a deleted session have no contents and expire.
func TestDeleteLeaves(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	_, _, err := store.Append(ctx, key, appendOf("secret"))
	require.NoError(t, err)
	require.NoError(t, store.Delete(ctx, key, nil))
	calls := []string{prefix + ":{//s}:appends", prefix + ":{//s}:writes"}
	names, err := client.Keys(ctx, prefix+"*").Result()
	require.NoError(t, err)
	require.ElementsMatch(t, []string{calls[0], calls[1], prefix + ":{" + prefix + "}:counter"}, names)
	for _, name := range calls {
		assert.NotContains(t, strings.Join(client.LRange(ctx, name, 0, -1).Val(), ""), "secret")
		assert.InDelta(t, time.Minute, client.PTTL(ctx, name).Val(), float64(time.Minute/2))
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{ContextTimeoutEnabled: true})
	defer func() { assert.NoError(t, client.Close()) }()
	for _, prefix := range []string{"a{b", "a}b", "a/b", "a*b", "ä", "a b", strings.Repeat("a", 101)} {
		_, err := redisstore.New(client, &redisstore.Options{Prefix: prefix})
		assert.ErrorIs(t, err, redisstore.ErrPrefix, prefix)
		_, err = redisstore.Open(t.Context(), "redis://127.0.0.1:1/0", &redisstore.Options{Prefix: prefix})
		assert.ErrorIs(t, err, redisstore.ErrPrefix, prefix)
	}
	_, err := redisstore.New(nil, nil)
	assert.Error(t, err)
	patient := redis.NewClient(&redis.Options{})
	defer func() { assert.NoError(t, patient.Close()) }()
	_, err = redisstore.New(patient, nil)
	assert.ErrorContains(t, err, "ContextTimeoutEnabled")
}
