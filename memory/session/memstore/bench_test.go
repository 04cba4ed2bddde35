package memstore_test

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// smallMessages are messages of 100 bytes with ids as long as a ULID.
func smallMessages(from, n int) []driver.StoredMessage {
	all := make([]driver.StoredMessage, n)
	for i := range all {
		all[i] = stored(fmt.Sprintf("01JWORKINGMEMORY%010d", from+i), 98)
	}
	return all
}

// BenchmarkStoreSize reports what a session of 10 messages of 100 bytes and a
// head of 200 takes, of which 1,200 bytes are contents.
func BenchmarkStoreSize(b *testing.B) {
	const sessions = 20_000
	head := make([]byte, 200)
	for b.Loop() {
		before := heap()
		s := memstore.New(nil)
		for i := range sessions {
			_, _, err := s.Append(b.Context(), session.Key{Namespace: "ns", UserID: "user", SessionID: strconv.Itoa(i)},
				driver.Append{Messages: smallMessages(0, 10), Head: head, TTL: time.Hour, Now: time.UnixMilli(0)})
			require.NoError(b, err)
		}
		b.ReportMetric(float64(heap()-before)/sessions, "bytes/session")
		require.NoError(b, s.Close())
	}
}

// BenchmarkStoreAppend appends one message to a session that has many.
func BenchmarkStoreAppend(b *testing.B) {
	for _, size := range []int{0, 100, 10_000} {
		b.Run(fmt.Sprintf("%d messages", size), func(b *testing.B) {
			s := memstore.New(nil)
			key := session.Key{SessionID: "s"}
			_, _, err := s.Append(b.Context(), key, driver.Append{Messages: smallMessages(0, size), Now: time.UnixMilli(0)})
			require.NoError(b, err)
			one := smallMessages(0, 1)
			n := size
			b.ReportAllocs()
			for b.Loop() {
				n++
				one[0].ID = strconv.Itoa(n)
				_, _, err = s.Append(b.Context(), key, driver.Append{Messages: one, Now: time.UnixMilli(0)})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkStoreLoad loads all messages of a session.
func BenchmarkStoreLoad(b *testing.B) {
	for _, size := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("%d messages", size), func(b *testing.B) {
			s := memstore.New(nil)
			key := session.Key{SessionID: "s"}
			_, _, err := s.Append(b.Context(), key, driver.Append{Messages: smallMessages(0, size), Now: time.UnixMilli(0)})
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err = s.Load(b.Context(), key, -1)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkStoreTurns has each core append to and load sessions of its own.
func BenchmarkStoreTurns(b *testing.B) {
	s := memstore.New(nil)
	var clients atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		client := clients.Add(1)
		one := smallMessages(0, 1)
		for n := 0; pb.Next(); n++ {
			key := session.Key{UserID: strconv.FormatInt(client, 10), SessionID: strconv.Itoa(n % 100)}
			one[0].ID = strconv.Itoa(n)
			if _, _, err := s.Append(b.Context(), key, driver.Append{Messages: one, TTL: time.Hour, Now: time.UnixMilli(0)}); err != nil {
				b.Error(err)
			}
			if _, err := s.Load(b.Context(), key, 20); err != nil {
				b.Error(err)
			}
		}
	})
}
