package redisstore_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestResend: if the client resends a command, the first execution determines the result, whatever
// other clients do in between.
func TestResend(t *testing.T) {
	t.Parallel()
	key := session.Key{Namespace: "n", UserID: "u", SessionID: "s"}
	for _, between := range interferences(key) {
		for _, made := range []bool{false, true} {
			t.Run(map[bool]string{false: "no session, ", true: "a session, "}[made]+between.name, func(t *testing.T) {
				t.Parallel()
				resendAppend(t, key, made, &between)
				resendWrite(t, key, made, &between)
				resendDelete(t, key, made, &between)
			})
		}
	}
}

// interference is an action of another client between a command and its repetition.
type interference struct {
	name            string
	do              func(t *testing.T, other *redisstore.Store)
	appends, writes uint64
	deletes         bool
}

func interferences(key session.Key) []interference {
	return []interference{{
		name: "nothing in between",
	}, {
		name: "another append in between", appends: 1,
		do: func(t *testing.T, other *redisstore.Store) {
			_, _, err := other.Append(t.Context(), key, appendOf("other"))
			require.NoError(t, err)
		},
	}, {
		name: "another write in between", writes: 1,
		do: func(t *testing.T, other *redisstore.Store) {
			// The session may exist or not.
			var revision uint64
			if r, err := other.Load(t.Context(), key, 0); err == nil {
				revision = r.Revision
			}
			_, err := other.Write(t.Context(), key, driver.Write{
				If: driver.Condition{Revision: revision}, DropBefore: 100, Head: []byte("{}"), Format: 1, Now: at,
			})
			require.NoError(t, err)
		},
	}, {
		name: "a deletion in between", deletes: true,
		do: func(t *testing.T, other *redisstore.Store) {
			require.NoError(t, other.Delete(t.Context(), key, nil))
		},
	}}
}

// resendStore returns a store that sends every command twice, another one that does not, and the
// position of the session, if it is to exist.
func resendStore(t *testing.T, key session.Key, made bool, between *interference) (store, other *redisstore.Store, stands driver.Position) {
	store, client, prefix := newStore(t)
	other = storeOn(t, newClient(t), prefix)
	if made {
		var err error
		stands, _, err = other.Append(t.Context(), key, appendOf("first"))
		require.NoError(t, err)
	}
	// Once, after the session has changed.
	done := false
	client.AddHook(twice(func() {
		r, err := other.Load(t.Context(), key, 0)
		changed := err != nil && made || err == nil && r.Version() != stands.Version()
		if changed && !done && between.do != nil {
			done = true
			between.do(t, other)
		}
	}))
	return store, other, stands
}

// requireListed requires that List returns the session if and only if it exists.
func requireListed(t *testing.T, store *redisstore.Store, key session.Key) {
	t.Helper()
	_, err := store.Load(t.Context(), key, 0)
	if err != nil {
		require.ErrorIs(t, err, session.ErrNotFound)
	}
	page, listErr := store.List(t.Context(), session.ListOptions{Limit: -1})
	require.NoError(t, listErr)
	require.Equal(t, err == nil, len(page.Keys) == 1, "there: %v, listed: %v", err, page.Keys)
	require.Len(t, page.Keys, page.Total)
}

func resendAppend(t *testing.T, key session.Key, made bool, between *interference) {
	store, other, stands := resendStore(t, key, made, between)
	got, added, err := store.Append(t.Context(), key, appendOf("a", "b", "a"))
	require.NoError(t, err)
	assert.Equal(t, 2, added)
	if made {
		assert.Equal(t, stands.Version()+2, got.Version())
	}
	assert.EqualValues(t, 7*got.Len(), got.Tokens)
	requireListed(t, other, key)
	requireAfter(t, other, key, between, got)
}

// requireAfter requires that the interference is not undone.
func requireAfter(t *testing.T, other *redisstore.Store, key session.Key, between *interference, got driver.Position) {
	t.Helper()
	r, err := other.Load(t.Context(), key, -1)
	if between.deletes {
		require.ErrorIs(t, err, session.ErrNotFound)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, got.Next+between.appends, r.Next)
	assert.Equal(t, got.Revision+between.writes, r.Revision)
	if between.writes > 0 {
		assert.Empty(t, r.Messages)
	}
}

func resendWrite(t *testing.T, key session.Key, made bool, between *interference) {
	store, other, stands := resendStore(t, key, made, between)
	got, err := store.Write(t.Context(), key, driver.Write{
		If: driver.Condition{Revision: stands.Revision, Next: stands.Next}, Head: []byte(`{"w":1}`),
		Messages: appendOf("w").Messages, Format: 1, Now: at,
	})
	require.NoError(t, err)
	if made {
		// The position after this write, not after the interference.
		assert.Equal(t, stands.Revision+1, got.Revision)
		assert.Equal(t, stands.Next+1, got.Next)
	} else {
		assert.Equal(t, uint64(2), got.Next)
	}
	requireListed(t, other, key)
	requireAfter(t, other, key, between, got)
}

func resendDelete(t *testing.T, key session.Key, made bool, between *interference) {
	if !made {
		return
	}
	for _, conditional := range []bool{false, true} {
		store, other, stands := resendStore(t, key, true, between)
		var where *driver.Condition
		if conditional {
			where = &driver.Condition{Revision: stands.Revision, Next: stands.Next}
		}
		require.NoError(t, store.Delete(t.Context(), key, where))
		requireListed(t, other, key)
		_, err := other.Load(t.Context(), key, 0)
		if made := between.appends+between.writes > 0; made {
			assert.NoError(t, err, "created after the deletion")
		} else {
			assert.ErrorIs(t, err, session.ErrNotFound)
		}
	}
}

// TestResendAfterAppends: a resent write is recognized after any number of appends.
func TestResendAfterAppends(t *testing.T) {
	t.Parallel()
	key := session.Key{SessionID: "s"}
	store, other, stands := resendStore(t, key, true, &interference{do: func(t *testing.T, other *redisstore.Store) {
		for i := range 100 {
			_, _, err := other.Append(t.Context(), key, appendOf(strconv.Itoa(i)))
			require.NoError(t, err)
		}
	}})
	got, err := store.Write(t.Context(), key, driver.Write{
		If: driver.Condition{Revision: stands.Revision}, Head: []byte("{}"), Format: 1, Now: at,
	})
	require.NoError(t, err)
	assert.Equal(t, stands.Revision+1, got.Revision)
	r, err := other.Load(t.Context(), key, 0)
	require.NoError(t, err)
	assert.Equal(t, got.Revision, r.Revision)
	assert.Equal(t, stands.Next+100, r.Next)
}
