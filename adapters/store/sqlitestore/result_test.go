package sqlitestore_test

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// chunk is the size of a chunk of a result.
const chunk = 64 << 10

// resultOf returns a result in which each byte is the number of its chunk.
func resultOf(id string, size int) driver.StoredResult {
	r := driver.StoredResult{ResultInfo: driver.ResultInfo{ID: id, CreatedAt: time.UnixMilli(7)}}
	for i := range size {
		r.Content = append(r.Content, byte(i/chunk))
	}
	return r
}

func put(tb testing.TB, store *sqlitestore.Store, key session.Key, r driver.StoredResult) {
	tb.Helper()
	require.NoError(tb, store.PutResult(tb.Context(), key, r, 16<<20))
}

// TestResultsLeaveNothing: however a session ends, no row of its results stays.
func TestResultsLeaveNothing(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	make := func(id string) session.Key {
		key := session.Key{SessionID: id}
		_, _, err := store.Append(t.Context(), key, driver.Append{TTL: time.Hour})
		require.NoError(t, err)
		put(t, store, key, resultOf("1", 70*chunk+1)) // more than a transaction of a sweep removes
		put(t, store, key, resultOf("2", 1))
		return key
	}
	keys := map[string]session.Key{}
	for _, id := range []string{"deleted", "made again", "swept", "bounded"} {
		keys[id] = make(id)
	}
	assert.Equal(t, 8, number(t, path, "SELECT count(*) FROM results"))
	assert.Equal(t, 4*72, number(t, path, "SELECT count(*) FROM chunks"))
	require.NoError(t, store.PutResult(t.Context(), keys["bounded"], resultOf("3", chunk), chunk))
	assert.Equal(t, 3*72+1, number(t, path, "SELECT count(*) FROM chunks"))
	require.NoError(t, store.Delete(t.Context(), keys["deleted"], nil))
	assert.Equal(t, 2*72+1, number(t, path, "SELECT count(*) FROM chunks"))
	clock.Sleep(time.Hour)
	_, _, err := store.Append(t.Context(), keys["made again"], driver.Append{})
	require.NoError(t, err)
	assert.Equal(t, 72+1, number(t, path, "SELECT count(*) FROM chunks"))
	n, err := store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	for _, table := range []string{"results", "chunks"} {
		assert.Zero(t, number(t, path, "SELECT count(*) FROM "+table), table)
	}
}

// TestDamagedResults: damage is reported, but only by reads of damaged parts.
func TestDamagedResults(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"no chunk":          `DELETE FROM chunks WHERE n = 1`,
		"short chunk":       `UPDATE chunks SET content = x'01' WHERE n = 1`,
		"text for a chunk":  `UPDATE chunks SET content = 'secret' WHERE n = 1`,
		"number of a chunk": `UPDATE chunks SET n = 9 WHERE n = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			store, err := sqlitestore.Open(t.Context(), path, nil)
			require.NoError(t, err)
			add(t, store, key, 0, 1)
			put(t, store, key, resultOf("1", 3*chunk))
			require.NoError(t, store.Close())
			edit(t, path, append(loose, statement)...)
			store = open(t, path, nil)
			p := make([]byte, chunk)
			for _, offset := range []int64{0, 2 * chunk} {
				n, err := store.ReadResult(t.Context(), key, driver.ToolResult, "1", p, offset)
				require.NoError(t, err, "only what is read matters")
				assert.Equal(t, bytes.Repeat([]byte{byte(offset / chunk)}, chunk), p[:n])
			}
			_, err = store.ReadResult(t.Context(), key, driver.ToolResult, "1", p, chunk)
			var damage *session.DamagedError
			require.ErrorAs(t, err, &damage)
			assert.Equal(t, session.DamagedError{Key: key, Part: "results", Err: damage.Err}, *damage)
			assert.NotContains(t, err.Error(), "secret")
			require.NoError(t, store.Delete(t.Context(), key, nil))
			assert.Zero(t, number(t, path, "SELECT count(*) FROM chunks"))
		})
	}
	for column, part := range map[string]string{"size": "'secret'", "created_at": "1.5"} {
		path := newPath(t)
		store := open(t, path, nil)
		add(t, store, key, 0, 1)
		put(t, store, key, resultOf("1", 5))
		edit(t, path, append(loose, fmt.Sprintf(`UPDATE results SET %s = %s`, column, part))...)
		_, err := open(t, path, nil).Results(t.Context(), key, driver.ToolResult)
		var damage *session.DamagedError
		require.ErrorAs(t, err, &damage, column)
		assert.NotContains(t, err.Error(), "secret")
	}
}

// endingContext ends after it was asked a number of times.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestPutResultIsCancelled: a result whose context ends while it is written leaves nothing.
func TestPutResultIsCancelled(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	add(t, store, key, 0, 1)
	for left, done := int64(0), false; !done; left++ {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(left)
		err := store.PutResult(ctx, key, resultOf("1", 3*chunk), 16<<20)
		if done = err == nil; !done {
			require.ErrorIs(t, err, context.Canceled)
			require.Zero(t, number(t, path, "SELECT count(*) FROM chunks"))
		}
		require.Less(t, left, int64(100))
	}
	assert.Equal(t, 3, number(t, path, "SELECT count(*) FROM chunks"))
}
