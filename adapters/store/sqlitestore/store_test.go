package sqlitestore_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestClosedStore(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), newPath(t)
	store, err := sqlitestore.Open(ctx, path, nil)
	require.NoError(t, err)
	add(t, store, key, 0, 1)
	require.NoError(t, store.Close())
	require.NoError(t, store.Close())
	for name, call := range map[string]func() error{
		"Load":   func() error { _, err := store.Load(ctx, key, -1); return err },
		"Head":   func() error { _, err := store.Load(ctx, key, 0); return err },
		"Append": func() error { _, _, err := store.Append(ctx, key, driver.Append{}); return err },
		"Write":  func() error { _, err := store.Write(ctx, key, driver.Write{}); return err },
		"Delete": func() error { return store.Delete(ctx, key, nil) },
		"List":   func() error { _, err := store.List(ctx, session.ListOptions{Limit: -1}); return err },
		"Sweep":  func() error { _, err := store.Sweep(ctx); return err },
	} {
		require.ErrorIs(t, call(), session.ErrClosed, name)
	}
	assert.NoFileExists(t, path+"-wal", "the log is in the file")
	_, err = open(t, path, nil).Load(ctx, key, -1)
	require.NoError(t, err)
}

// Closing a store that is in use lets some calls end and refuses the others.
func TestCloseWhileInUse(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, err := sqlitestore.Open(t.Context(), path, &sqlitestore.Options{SweepInterval: time.Millisecond})
	require.NoError(t, err)
	const writers = 8
	written := make([]int, writers)
	begun := make(chan struct{}, writers)
	var wg sync.WaitGroup
	for i := range writers {
		key := session.Key{SessionID: fmt.Sprint(i)}
		wg.Go(func() {
			for {
				_, added, err := store.Append(context.Background(), key, driver.Append{Messages: chat(written[i], 1)})
				if err != nil {
					assert.ErrorIs(t, err, session.ErrClosed)
					return
				}
				if written[i] += added; written[i] == 3 {
					begun <- struct{}{}
				}
			}
		})
		wg.Go(func() {
			for {
				_, err := store.Load(context.Background(), session.Key{SessionID: "0"}, -1)
				if err != nil && !assert.NotErrorIs(t, err, session.ErrUnavailable) {
					return
				} else if err != nil && store.Delete(context.Background(), session.Key{SessionID: "none"}, nil) != nil {
					return
				}
			}
		})
	}
	for range writers {
		<-begun
	}
	require.NoError(t, store.Close())
	wg.Wait()
	again := open(t, path, nil)
	for i, n := range written {
		record, err := again.Load(t.Context(), session.Key{SessionID: fmt.Sprint(i)}, -1)
		require.NoError(t, err)
		assert.Len(t, record.Messages, n)
	}
}

// Expired sessions leave the file, those with many messages step by step.
func TestSweep(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	for i, n := range []int{3, 1700, 0, 500} {
		_, _, err := store.Append(t.Context(), session.Key{SessionID: fmt.Sprint(i)}, driver.Append{
			Messages: chat(0, n), TTL: time.Minute,
		})
		require.NoError(t, err)
	}
	add(t, store, key, 0, 5)
	n, err := store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	clock.Sleep(time.Minute)
	n, err = store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	for table, rows := range map[string]int{"sessions": 1, "heads": 1, "messages": 5} {
		assert.Equal(t, rows, number(t, path, "SELECT count(*) FROM "+table), table)
	}
}

// A clock that is set back brings no session back of which only a part was removed.
func TestSweepWhoseClockGoesBack(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	now := func() time.Time { // the second transaction of the sweep does not begin
		if number(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'messages'") == 1 &&
			number(t, path, "SELECT count(*) FROM messages") == 500 {
			cancel()
		}
		return clock.Now()
	}
	store := open(t, path, &sqlitestore.Options{Now: now, SweepInterval: -1})
	_, _, err := store.Append(t.Context(), key, driver.Append{Messages: chat(0, 1000), TTL: time.Minute})
	require.NoError(t, err)
	clock.Sleep(time.Minute)
	_, err = store.Sweep(ctx)
	require.ErrorIs(t, err, context.Canceled)
	clock.Sleep(-time.Hour)
	_, err = store.Load(t.Context(), key, -1)
	require.ErrorIs(t, err, session.ErrNotFound)
	add(t, store, key, 0, 1)
}

func TestStoreSweepsByItself(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: time.Millisecond})
	_, _, err := store.Append(t.Context(), key, driver.Append{Messages: chat(0, 3), TTL: time.Minute})
	require.NoError(t, err)
	clock.Sleep(time.Minute)
	require.Eventually(t, func() bool { return number(t, path, "SELECT count(*) FROM sessions") == 0 }, time.Minute, time.Millisecond)
}

// lockedBuffer is a buffer for many.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func TestFailedSweepsAreLogged(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var log lockedBuffer
	open(t, path, &sqlitestore.Options{
		BusyTimeout: time.Millisecond, SweepInterval: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	db := rawDB(t, path)
	require.Eventually(t, func() bool { _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); return err == nil },
		time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return bytes.Contains([]byte(log.String()), []byte("unavailable")) }, time.Minute, time.Millisecond)
}

// While another process has the file locked, writes wait as long as they may, and
// reads do not wait.
func TestLockedFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	patient := open(t, path, &sqlitestore.Options{BusyTimeout: time.Hour, SweepInterval: -1})
	hasty := open(t, path, &sqlitestore.Options{BusyTimeout: 10 * time.Millisecond, SweepInterval: -1})
	add(t, patient, key, 0, 3)
	db := rawDB(t, path)
	_, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)

	_, _, err = hasty.Append(t.Context(), key, driver.Append{Messages: chat(3, 1)})
	require.ErrorIs(t, err, session.ErrUnavailable)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, _, err = patient.Append(ctx, key, driver.Append{Messages: chat(3, 1)})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, store := range []driver.Store{patient, hasty} {
		record, err := store.Load(t.Context(), key, -1)
		require.NoError(t, err)
		assert.Len(t, record.Messages, 3)
	}

	waiting := make(chan error, 1)
	go func() {
		_, _, err := patient.Append(context.Background(), key, driver.Append{Messages: chat(3, 1)})
		waiting <- err
	}()
	_, err = db.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, <-waiting)
	add(t, hasty, key, 4, 1)
}

// Closing ends the wait for a lock.
func TestCloseWhileTheFileIsLocked(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, err := sqlitestore.Open(t.Context(), path, &sqlitestore.Options{BusyTimeout: time.Hour, SweepInterval: time.Millisecond})
	require.NoError(t, err)
	db := rawDB(t, path)
	require.Eventually(t, func() bool { _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); return err == nil },
		time.Minute, time.Millisecond)
	waiting := make(chan error, 1)
	go func() {
		_, _, err := store.Append(context.Background(), key, driver.Append{Messages: chat(0, 1)})
		waiting <- err
	}()
	require.NoError(t, store.Close())
	require.ErrorIs(t, <-waiting, session.ErrClosed)
}

// The ids of those that left are remembered, but not for ever.
func TestRememberedIDsAreBounded(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	at := add(t, store, key, 0, 3*driver.RememberedIDs)
	for _, before := range []uint64{10, 1500, 2800, 3001} {
		var err error
		at, err = store.Write(t.Context(), key, driver.Write{
			If: driver.Condition{Revision: at.Revision}, DropBefore: before, Head: []byte("{}"),
		})
		require.NoError(t, err)
	}
	assert.Equal(t, driver.RememberedIDs, number(t, path, "SELECT count(*) FROM messages"))
	assert.Equal(t, driver.RememberedIDs, number(t, path, "SELECT count(*) FROM messages WHERE body IS NULL"))
	_, added, err := store.Append(t.Context(), key, driver.Append{Messages: chat(2*driver.RememberedIDs-1, driver.RememberedIDs+1)})
	require.NoError(t, err)
	assert.Equal(t, 1, added)
}

// Stores of many namespaces, users and sessions list those they are asked for.
func TestNamespacesWithCommonPrefixes(t *testing.T) {
	t.Parallel()
	store := open(t, newPath(t), nil)
	for _, namespace := range []string{"", "a", "a/", "a0", "ab", "a-", "a.", "a~", "%"} {
		add(t, store, session.Key{Namespace: namespace, UserID: "a", SessionID: "a"}, 0, 1)
	}
	for _, namespace := range []string{"", "a", "a/", "a0", "ab", "a-", "a.", "a~", "%"} {
		page, err := store.List(t.Context(), session.ListOptions{Namespace: &namespace, Limit: -1})
		require.NoError(t, err)
		assert.Equal(t, session.Listing{Keys: []session.Key{{Namespace: namespace, UserID: "a", SessionID: "a"}}, Total: 1}, page)
	}
}
