package sqlitestore

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestExpiryWhileWaiting: changes that waited use the time at which they run.
func TestExpiryWhileWaiting(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	store := openStore(t, &Options{Now: func() time.Time { return time.UnixMilli(now.Load()) }, SweepInterval: -1})
	ctx := t.Context()
	before, _, err := store.Append(ctx, key, driver.Append{Messages: []driver.StoredMessage{message("a")}, TTL: time.Second})
	require.NoError(t, err)
	other := session.Key{SessionID: "other"}
	_, _, err = store.Append(ctx, other, driver.Append{TTL: time.Second})
	require.NoError(t, err)
	appended, written, deleted := make(chan driver.Position, 1), make(chan error, 1), make(chan error, 1)
	holding(store.writer, func() {
		go func() {
			_, err := store.Write(context.Background(), key, driver.Write{If: driver.Condition{Revision: before.Revision}})
			written <- err
		}()
		waitFor(t, store.writer, 1)
		go func() {
			deleted <- store.Delete(context.Background(), key, &driver.Condition{Revision: before.Revision})
		}()
		waitFor(t, store.writer, 2)
		go func() {
			at, _, err := store.Append(context.Background(), key, driver.Append{Messages: []driver.StoredMessage{message("b")}, TTL: time.Second})
			assert.NoError(t, err)
			appended <- at
		}()
		waitFor(t, store.writer, 3)
		now.Add(1000)
	})
	require.ErrorIs(t, <-written, session.ErrConflict)
	require.ErrorIs(t, <-deleted, session.ErrConflict)
	at := <-appended
	assert.NotEqual(t, before.Revision, at.Revision)
	assert.Equal(t, time.UnixMilli(2000).UTC(), at.ExpiresAt)
	assert.Equal(t, []string{"b"}, ids(t, store, key))
}

// TestSharedTransactionThatIsRolledBack: if SQLite rolls back by itself, the other changes are run
// again.
func TestSharedTransactionThatIsRolledBack(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	w := store.writer
	w.batch = time.Hour
	broken := errors.New("broken")
	appended, failed := make(chan error, 2), make(chan error, 1)
	append1 := func(id string) {
		_, _, err := store.Append(context.Background(), key, driver.Append{Messages: []driver.StoredMessage{message(id)}})
		appended <- err
	}
	holding(w, func() {
		go append1("a")
		waitFor(t, w, 1)
		go func() {
			failed <- w.do(context.Background(), func(tx *tx) error { return errors.Join(broken, tx.run(tx.ctx, "ROLLBACK")) })
		}()
		waitFor(t, w, 2)
		go append1("b")
		waitFor(t, w, 3)
	})
	require.ErrorIs(t, <-failed, broken)
	require.NoError(t, <-appended)
	require.NoError(t, <-appended)
	assert.Equal(t, []string{"a", "b"}, ids(t, store, key))
}

// TestCallsThatDoNotEnd: a clock that panics or ends its goroutine fails only the calls in the same
// transaction.
func TestCallsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("broken clock") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, nil)
			w := store.writer
			w.batch = time.Hour
			append1 := func(id string) error {
				_, _, err := store.Append(context.Background(), key, driver.Append{Messages: []driver.StoredMessage{message(id)}})
				return err
			}
			var calls sync.WaitGroup
			call := func(do func() error) { // the call that has the turn panics
				calls.Add(1)
				go func() {
					defer calls.Done()
					defer func() { _ = recover() }()
					assert.ErrorIs(t, do(), session.ErrUnavailable)
				}()
			}
			holding(w, func() {
				call(func() error { return append1("a") })
				waitFor(t, w, 1)
				call(func() error {
					return w.do(context.Background(), func(*tx) error { end(); return nil })
				})
				waitFor(t, w, 2)
			})
			calls.Wait()
			require.NoError(t, append1("b"))
			assert.Equal(t, []string{"b"}, ids(t, store, key))
		})
	}
}
