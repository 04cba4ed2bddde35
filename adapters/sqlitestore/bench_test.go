package sqlitestore_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

// chat returns n messages of about 200 bytes, with ids from start on.
func chat(start, n int) []session.StoredMessage {
	messages := make([]session.StoredMessage, n)
	for i := range messages {
		body := fmt.Appendf(nil, `{"role":"user","content":"%0180d"}`, start+i)
		messages[i] = session.StoredMessage{ID: fmt.Sprintf("message-%d", start+i), Tokens: 50, Body: body}
	}
	return messages
}

// BenchmarkAppend appends one message to a session that has some already.
func BenchmarkAppend(b *testing.B) {
	for _, relaxed := range []bool{false, true} {
		for _, size := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("relaxed=%t/messages=%d", relaxed, size), func(b *testing.B) {
				store := open(b, newPath(b), &sqlitestore.Options{Relaxed: relaxed})
				key := session.Key{Namespace: "bench", UserID: "user", SessionID: "session"}
				_, _, err := store.Append(b.Context(), key, session.Append{Messages: chat(0, size), Head: []byte("{}")})
				require.NoError(b, err)
				next := size
				for b.Loop() {
					_, _, err := store.Append(b.Context(), key, session.Append{Messages: chat(next, 1)})
					require.NoError(b, err)
					next++
				}
			})
		}
	}
}

// BenchmarkAppendInParallel appends from many goroutines, each to its session: they
// share commits.
func BenchmarkAppendInParallel(b *testing.B) {
	for _, goroutines := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			store := open(b, newPath(b), nil)
			var sessions, appends atomic.Int64
			b.SetParallelism(goroutines) // times GOMAXPROCS, which -cpu 1 makes 1
			b.RunParallel(func(pb *testing.PB) {
				key := session.Key{SessionID: fmt.Sprint(sessions.Add(1))}
				for pb.Next() {
					_, _, err := store.Append(b.Context(), key, session.Append{Messages: chat(int(appends.Add(1)), 1), Head: []byte("{}")})
					require.NoError(b, err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}

func BenchmarkStore(b *testing.B) {
	sessiontest.Benchmark(b, func(tb testing.TB) session.Store { return open(tb, newPath(tb), nil) })
}

func BenchmarkIndex(b *testing.B) {
	longtermtest.Benchmark(b, func(tb testing.TB) longterm.Index { return open(tb, newPath(tb), nil).Index() })
}
