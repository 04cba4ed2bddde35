package memstore_test

import (
	"fmt"
	"strconv"
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
