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

// What a session remembers of messages that left, and of calls, does not grow.
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

// late is a hook that lets a change come too late behind its mark, once.
type late struct{ changes int }

func (h *late) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// A change of a session has four keys, and behind its token the time until which it
// may be made, 0 if it needs no mark.
func (h *late) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 8 && args[0] == "evalsha" && args[2] == 4 && args[8] != 0 {
			if h.changes++; h.changes == 1 {
				args[8] = "1"
			}
		}
		return next(ctx, cmd)
	}
}

// A change that comes too late behind its mark, which may have been dropped, is made
// behind another one.
func TestLateChanges(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", SessionID: "s"}
	for _, name := range []string{"append", "write", "delete"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, client, prefix := newStore(t)
			sound := storeOn(t, newClient(t), prefix)
			for _, call := range indexedCalls(session.Key{SessionID: "warm"}) { // the scripts are known then
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
