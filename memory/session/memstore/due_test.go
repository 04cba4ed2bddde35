package memstore_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

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

// TestStoreForgetsDue is not parallel: it measures the heap.
func TestStoreForgetsDue(t *testing.T) {
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

// BenchmarkStoreDue asks for ten of a hundred sessions that are due, among so
// many that are due later and so many that are not due at all.
func BenchmarkStoreDue(b *testing.B) {
	for _, others := range []int{0, 1000, 100_000} {
		b.Run(strconv.Itoa(others), func(b *testing.B) {
			s := memstore.New(nil)
			now := time.Now()
			for i := range others {
				makeDue(b, s, "later"+strconv.Itoa(i), 0, now.Add(time.Hour))
				makeDue(b, s, "never"+strconv.Itoa(i), 0, time.Time{})
			}
			for i := range 100 {
				makeDue(b, s, "due"+strconv.Itoa(i), 0, now.Add(-time.Duration(i)*time.Second))
			}
			b.ReportAllocs()
			for b.Loop() {
				keys, err := s.Due(b.Context(), now, 10)
				require.NoError(b, err)
				require.Len(b, keys, 10)
			}
		})
	}
}
