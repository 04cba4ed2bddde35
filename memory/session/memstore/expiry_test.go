package memstore_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// heap returns how much is in use after a collection of garbage.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func stored(id string, size int) driver.StoredMessage {
	return driver.StoredMessage{ID: id, Tokens: 1, Body: []byte(`"` + strings.Repeat("x", size) + `"`)}
}

func appendOne(t testing.TB, s driver.Store, id string, ttl time.Duration, size int) driver.Position {
	t.Helper()
	p, _, err := s.Append(t.Context(), session.Key{SessionID: id}, driver.Append{
		Messages: []driver.StoredMessage{stored("m", size)}, Head: []byte(`1`), TTL: ttl, Now: time.UnixMilli(0),
	})
	require.NoError(t, err)
	return p
}

// TestStoreReleasesExpiredSessions is not parallel: it measures the heap.
func TestStoreReleasesExpiredSessions(t *testing.T) {
	sessions, size := soak.Times(2000, 10_000), 2000
	c := fixture.NewClock()
	s := memstore.New(&memstore.Options{Now: c.Now})
	appendOne(t, s, "stays", session.NoExpiry, size)
	before := heap()
	for round := range 3 {
		for i := range sessions {
			// Renewed ones move in the order of expiries.
			id := fmt.Sprintf("%d/%d", round, i)
			appendOne(t, s, id, time.Duration(1+i%7)*time.Hour, size)
			if i%3 == 0 {
				appendOne(t, s, id, time.Minute, size)
			}
		}
		require.Greater(t, heap()-before, int64(sessions*size))
		c.Sleep(8 * time.Hour)
	}
	// Writes of one session are enough to clean all up.
	for range 10_000 { // every shard is swept
		appendOne(t, s, "stays", 0, size)
	}
	require.Less(t, heap()-before, int64(sessions*size/10), "expired sessions are still in memory")
	page, err := s.List(t.Context(), session.ListOptions{Limit: -1})
	require.NoError(t, err)
	require.Equal(t, []session.Key{{SessionID: "stays"}}, page.Keys)
}

// TestStoreReleasesDroppedMessages is not parallel: it measures the heap.
func TestStoreReleasesDroppedMessages(t *testing.T) {
	s := memstore.New(nil)
	key := session.Key{SessionID: "s"}
	p := appendOne(t, s, "s", 0, 10)
	before := heap()
	const batches, batch, size = 200, 100, 1000
	for n := range batches {
		w := driver.Write{If: driver.Condition{Revision: p.Revision}, Head: []byte(`1`), DropBefore: p.Next, Now: time.UnixMilli(0)}
		for i := range batch {
			w.Messages = append(w.Messages, stored(fmt.Sprintf("%d/%d", n, i), size))
		}
		var err error
		p, err = s.Write(t.Context(), key, w)
		require.NoError(t, err)
		require.Equal(t, batch, p.Len())
	}
	// What is there now, and up to twice the ids that are remembered.
	require.Less(t, heap()-before, int64(batch*size*2+2*driver.RememberedIDs*200))
	r, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Len(t, r.Messages, batch)
	runtime.KeepAlive(s)
}

func TestStoreExpiresToTheMillisecond(t *testing.T) {
	t.Parallel()
	c := fixture.NewClock()
	s := memstore.New(&memstore.Options{Now: c.Now})
	there := func() bool {
		_, err := s.Load(t.Context(), session.Key{SessionID: "s"}, 0)
		return err == nil
	}
	for _, ttl := range []time.Duration{1, time.Millisecond, 1_200_000, time.Second, time.Hour + 1} {
		made := c.Now()
		p := appendOne(t, s, "s", ttl, 1)
		require.GreaterOrEqual(t, p.ExpiresAt, made.Add(ttl))
		require.Less(t, p.ExpiresAt, made.Add(ttl+time.Millisecond))
		require.Equal(t, p.ExpiresAt.Truncate(time.Millisecond), p.ExpiresAt)
		c.Sleep(p.ExpiresAt.Sub(made) - 1)
		require.True(t, there(), ttl)
		c.Sleep(1)
		require.False(t, there(), ttl)
		c.Sleep(333_333)
	}
}

func makeDue(t testing.TB, s driver.Store, id string, ttl time.Duration, due time.Time) {
	t.Helper()
	_, _, err := s.Append(t.Context(), session.Key{SessionID: id}, driver.Append{Head: []byte(`1`), TTL: ttl, Now: time.UnixMilli(0), Due: due})
	require.NoError(t, err)
}

// A clock of a test may stand at the beginning of Unix time, or before it.
func TestStoreDueAtTheBeginningOfTime(t *testing.T) {
	t.Parallel()
	s := memstore.New(nil)
	begin := time.UnixMilli(0)
	makeDue(t, s, "at", 0, begin)
	makeDue(t, s, "before", 0, begin.Add(-time.Hour-1))
	makeDue(t, s, "after", 0, begin.Add(time.Nanosecond))
	keys, err := s.Due(t.Context(), begin, 10)
	require.NoError(t, err)
	require.Len(t, keys, 3)
	require.Equal(t, session.Key{SessionID: "before"}, keys[0])
	r, err := s.Load(t.Context(), session.Key{SessionID: "before"}, 0)
	require.NoError(t, err)
	require.Equal(t, begin.Add(-time.Hour-time.Millisecond).UTC(), r.DueAt)
}

// TestDueReleasesExpiredSessions is not parallel: it measures the heap.
func TestDueReleasesExpiredSessions(t *testing.T) {
	c := fixture.NewClock()
	s := memstore.New(&memstore.Options{Now: c.Now})
	before := heap()
	const sessions = 20_000
	for i := range sessions {
		makeDue(t, s, strconv.Itoa(i), time.Minute, c.Now())
	}
	held := heap() - before
	c.Sleep(time.Minute + time.Millisecond)
	// To ask is enough to clean all up.
	keys, err := s.Due(t.Context(), c.Now(), 10)
	require.NoError(t, err)
	require.Empty(t, keys)
	require.Less(t, heap()-before, held/5)
}
