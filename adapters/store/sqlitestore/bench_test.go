package sqlitestore_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

// chat returns n messages of about 200 bytes, with ids from start.
func chat(start, n int) []sessiondriver.StoredMessage {
	messages := make([]sessiondriver.StoredMessage, n)
	for i := range messages {
		body := fmt.Appendf(nil, `{"role":"user","content":"%0180d"}`, start+i)
		messages[i] = sessiondriver.StoredMessage{ID: fmt.Sprintf("message-%d", start+i), Tokens: 50, Body: body}
	}
	return messages
}

// BenchmarkAppend appends one message to a session of a given length.
func BenchmarkAppend(b *testing.B) {
	for _, relaxed := range []bool{false, true} {
		for _, size := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("relaxed=%t/messages=%d", relaxed, size), func(b *testing.B) {
				store := open(b, newPath(b), &sqlitestore.Options{Relaxed: relaxed})
				key := session.Key{Namespace: "bench", UserID: "user", SessionID: "session"}
				_, _, err := store.Append(b.Context(), key, sessiondriver.Append{Messages: chat(0, size), Head: []byte("{}")})
				require.NoError(b, err)
				next := size
				for b.Loop() {
					_, _, err := store.Append(b.Context(), key, sessiondriver.Append{Messages: chat(next, 1)})
					require.NoError(b, err)
					next++
				}
			})
		}
	}
}

// BenchmarkAppendInParallel appends from many goroutines to their own sessions, which share commits.
func BenchmarkAppendInParallel(b *testing.B) {
	for _, goroutines := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			store := open(b, newPath(b), nil)
			var sessions, appends atomic.Int64
			b.SetParallelism(goroutines) // times GOMAXPROCS, which -cpu 1 makes 1
			b.RunParallel(func(pb *testing.PB) {
				key := session.Key{SessionID: fmt.Sprint(sessions.Add(1))}
				for pb.Next() {
					_, _, err := store.Append(b.Context(), key, sessiondriver.Append{Messages: chat(int(appends.Add(1)), 1), Head: []byte("{}")})
					require.NoError(b, err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}

func BenchmarkStore(b *testing.B) {
	sessiondrivertest.Benchmark(b, func(tb testing.TB) sessiondriver.Store { return open(tb, newPath(tb), nil) })
}

func BenchmarkIndex(b *testing.B) {
	longtermdrivertest.Benchmark(b, func(tb testing.TB) longtermdriver.Index { return open(tb, newPath(tb), nil).Index() })
}
