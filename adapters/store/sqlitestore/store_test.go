package sqlitestore_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestCloseWhileInUse: when the store is closed, running calls succeed or return ErrClosed.
func TestCloseWhileInUse(t *testing.T) {
	t.Parallel()
	store, err := sqlitestore.Open(t.Context(), newPath(t), &sqlitestore.Options{SweepInterval: time.Millisecond})
	require.NoError(t, err)
	const writers = 8
	begun := make(chan struct{}, writers)
	var wg sync.WaitGroup
	for i := range writers {
		key := session.Key{SessionID: fmt.Sprint(i)}
		wg.Go(func() {
			for n := 0; ; n++ {
				_, _, err := store.Append(context.Background(), key, driver.Append{Messages: chat(n, 1)})
				if err == nil {
					_, err = store.Load(context.Background(), key, 0)
				}
				if err != nil {
					assert.ErrorIs(t, err, session.ErrClosed)
					return
				}
				if n == 3 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range writers {
		<-begun
	}
	require.NoError(t, store.Close())
	wg.Wait()
}

func TestDurability(t *testing.T) {
	t.Parallel()
	for relaxed, want := range map[bool]driver.Durability{
		false: {Level: driver.DurabilitySynced, Settings: "synchronous=FULL"},
		true:  {Level: driver.DurabilityDelayed, Settings: "synchronous=NORMAL"},
	} {
		store := open(t, newPath(t), &sqlitestore.Options{Relaxed: relaxed})
		for _, reporter := range []driver.DurabilityReporter{store, store.Index()} {
			got, err := reporter.Durability(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
	}
}

// TestSweep: expired sessions are removed from the file, long ones in several transactions. Records and
// tokens stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	for i, n := range []int{3, 1100, 0, 200} {
		_, _, err := store.Append(t.Context(), session.Key{SessionID: fmt.Sprint(i)}, driver.Append{
			Messages: chat(0, n), TTL: time.Minute,
		})
		require.NoError(t, err)
	}
	add(t, store, key, 0, 5)
	remember(t, store, memoryOf("1", "green tea"))
	_, _, err := auth.Create(t.Context(), store.Tokens(), auth.CreateOptions{Unbound: true, TTL: time.Second, Now: clock.Now})
	require.NoError(t, err)
	n, err := store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	clock.Sleep(time.Minute)
	n, err = store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	for table, rows := range map[string]int{"sessions": 1, "heads": 1, "messages": 5, "records": 1, "tokens": 1} {
		assert.Equal(t, rows, number(t, path, "SELECT count(*) FROM "+table), table)
	}
}

// TestSweepBeforeClockIsSetBack: a partly removed session does not reappear.
func TestSweepBeforeClockIsSetBack(t *testing.T) {
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

func TestFailedSweepsAreLogged(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var log syncbuffer.Buffer
	open(t, path, &sqlitestore.Options{
		BusyTimeout: time.Millisecond, SweepInterval: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	db := rawDB(t, path)
	require.Eventually(t, func() bool { _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); return err == nil },
		time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "unavailable") }, time.Minute, time.Millisecond)
}

// TestLockedFile: while another process has locked the file, writes wait until their timeout or
// deadline, and reads do not wait.
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
	_, _, err = auth.Create(t.Context(), hasty.Tokens(), auth.CreateOptions{Unbound: true})
	require.ErrorIs(t, err, auth.ErrUnavailable)
	_, err = hasty.Tokens().List(t.Context())
	require.NoError(t, err)
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

// TestCloseWhileTheFileIsLocked: Close ends the wait for a lock.
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

// TestRememberedIDsAreBounded: the ids of the last 1,000 dropped messages are kept.
func TestRememberedIDsAreBounded(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	at := add(t, store, key, 0, driver.RememberedIDs+300)
	for _, before := range []uint64{10, 700, driver.RememberedIDs + 301} {
		var err error
		at, err = store.Write(t.Context(), key, driver.Write{
			If: driver.Condition{Revision: at.Revision}, DropBefore: before, Head: []byte("{}"),
		})
		require.NoError(t, err)
	}
	assert.Equal(t, driver.RememberedIDs, number(t, path, "SELECT count(*) FROM messages"))
	assert.Equal(t, driver.RememberedIDs, number(t, path, "SELECT count(*) FROM messages WHERE body IS NULL"))
	_, added, err := store.Append(t.Context(), key, driver.Append{Messages: chat(299, 2)})
	require.NoError(t, err)
	assert.Equal(t, 1, added)
}
