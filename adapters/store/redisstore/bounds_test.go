package redisstore_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestBounds: the remembered ids and calls of a session are bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, key := t.Context(), session.Key{SessionID: "s"}
	ids := make([]string, 1500)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	made, _, err := store.Append(ctx, key, appendOf(ids...))
	require.NoError(t, err)
	for i := range uint64(100) {
		_, err := store.Write(ctx, key, driver.Write{
			If: driver.Condition{Revision: made.Revision + i}, DropBefore: 14 * i, Head: []byte("{}"), Format: 1, Now: at,
		})
		require.NoError(t, err)
		_, _, err = store.Append(ctx, key, appendOf("new "+strconv.FormatUint(i, 10)))
		require.NoError(t, err)
	}
	base := prefix + ":{//s}:"
	r, err := store.Load(ctx, key, 0)
	require.NoError(t, err)
	assert.EqualValues(t, r.Len()+driver.RememberedIDs, client.ZCard(ctx, base+"ids").Val())
	assert.EqualValues(t, 64, client.LLen(ctx, base+"appends").Val())
	assert.EqualValues(t, 64, client.LLen(ctx, base+"writes").Val())
}

// late is a hook that makes the first change come too late after its mark.
type late struct{ changes int }

func (h *late) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook recognizes a change of a session by its six keys. The argument after the token is the
// end of the mark, or 0 without one.
func (h *late) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 12 && args[0] == "evalsha" && args[2] == 8 && args[12] != 0 {
			if h.changes++; h.changes == 1 {
				args[12] = "1"
			}
		}
		return next(ctx, cmd)
	}
}

// TestLateChanges: a change that comes too late after its mark is made again with another mark.
func TestLateChanges(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", SessionID: "s"}
	for _, name := range []string{"append", "write", "delete"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, client, prefix := newStore(t)
			sound := storeOn(t, newClient(t), prefix)
			for _, call := range indexedCalls(session.Key{SessionID: "warm"}) { // loads the scripts
				_ = call(t.Context(), sound)
			}
			require.NoError(t, sound.Delete(t.Context(), session.Key{SessionID: "warm"}, nil))
			if name == "delete" {
				_, _, err := sound.Append(t.Context(), key, appendOf("m"))
				require.NoError(t, err)
			}
			_, err := store.List(t.Context(), session.ListOptions{})
			require.NoError(t, err)
			hook := &late{}
			client.AddHook(hook)
			require.NoError(t, indexedCalls(key)[name](t.Context(), store))
			assert.Equal(t, 2, hook.changes)
			_, err = sound.Load(t.Context(), key, 0)
			assert.Equal(t, name == "delete", err != nil, err)
			requireListed(t, sound, key)
			requireSettled(t, sound, prefix)
		})
	}
}
