package redisstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// A user of Redis' access lists needs no more rights than doc.go says.
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
			assert.NoError(t, ignoring(call(ctx, store), session.ErrConflict), name)
		}
		_, _, err := store.Append(ctx, key, appendDue(at, "m"))
		require.NoError(t, err)
		for _, due := range []time.Time{at, {}} { // and off the list, the second time
			require.NoError(t, setDue(ctx, store, key, due))
			_, err = store.Due(ctx, at, 10)
			require.NoError(t, err)
		}
		r, err := store.Load(ctx, key, -1)
		require.NoError(t, err)
		_, err = store.Write(ctx, key, driver.Write{If: driver.Condition{Revision: r.Revision}, DropBefore: 9, Head: []byte("{}"), Format: 1, TTL: time.Hour, Now: at})
		require.NoError(t, err)
		_, err = store.Reindex(ctx)
		require.NoError(t, err)
	}
	other := open(t, "redis://limited:hush@"+s.Address()+"/0", "other")
	_, _, err := other.Append(ctx, key, appendOf("secret"))
	require.ErrorContains(t, err, "NOPERM")
	assert.NotContains(t, err.Error(), "secret")
	assert.NotErrorIs(t, err, session.ErrUnavailable)
}

// ignoring is an error, unless it is one that does not matter.
func ignoring(err, none error) error {
	if errors.Is(err, none) {
		return nil
	}
	return err
}
