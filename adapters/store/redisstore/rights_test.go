package redisstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestRights: with Redis ACLs, the rights in doc.go suffice.
func TestRights(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	admin := redis.NewClient(&redis.Options{Addr: s.Address()})
	t.Cleanup(func() { assert.NoError(t, admin.Close()) })
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	require.NoError(t, admin.Do(ctx, "ACL", "SETUSER", "limited", "on", ">hush", "~wm:*",
		"+@read", "+@write", "+@scripting", "+@connection", "+time").Err())
	store := open(t, "redis://limited:hush@"+s.Address()+"/0", "wm")
	for range 2 {
		for name, call := range indexedCalls(key) {
			err := call(ctx, store)
			assert.True(t, err == nil || errors.Is(err, session.ErrConflict) || errors.Is(err, session.ErrNotFound), "%s: %v", name, err)
		}
		_, _, err := store.Append(ctx, key, appendDue(at, "m"))
		require.NoError(t, err)
		require.NoError(t, setDue(ctx, store, key, time.Time{}))
		_, err = store.Due(ctx, at, 10) // removes it from the index
		require.NoError(t, err)
		r, err := store.Load(ctx, key, -1)
		require.NoError(t, err)
		var asked int64 // for the size of the list too
		_, err = store.Load(driver.WithReserve(ctx, func(_ any, bytes int64) error { asked = bytes; return nil }), key, -1)
		require.NoError(t, err)
		assert.Greater(t, asked, int64(3*(len(r.Head)+len(r.Messages[0].Body))))
		_, err = store.Write(ctx, key, driver.Write{If: driver.Condition{Revision: r.Revision}, DropBefore: 9, Head: []byte("{}"), Format: 1, TTL: time.Hour, Now: at})
		require.NoError(t, err)
		require.NoError(t, store.PutResult(ctx, key, resultOf("1", 70_000), 100_000))
		require.NoError(t, store.PutResult(ctx, key, resultOf("2", 70_000), 100_000))
		granting := driver.WithReserve(ctx, func(any, int64) error { return nil })
		infos, err := store.Results(granting, key, driver.ToolResult)
		require.NoError(t, err)
		require.Len(t, infos, 1)
		_, err = store.ReadResult(ctx, key, driver.ToolResult, "2", make([]byte, 70_000), 0)
		require.NoError(t, err)
		_, err = store.Reindex(ctx)
		require.NoError(t, err)
	}
	tokens := store.Tokens()
	_, token, err := auth.Create(ctx, tokens, auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	all, err := tokens.List(ctx)
	require.NoError(t, err)
	assert.Equal(t, []auth.Token{token}, all)
	require.NoError(t, tokens.Remove(ctx, token.ID))
	useDocuments(t, store.Documents())
	other := open(t, "redis://limited:hush@"+s.Address()+"/0", "other")
	_, _, err = other.Append(ctx, key, appendOf("secret"))
	require.ErrorContains(t, err, "NOPERM")
	assert.NotContains(t, err.Error(), "secret")
	assert.NotErrorIs(t, err, session.ErrUnavailable)
}
