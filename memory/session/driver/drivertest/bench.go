package drivertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Benchmark measures a store as a Manager uses it. open opens an empty store for each
// benchmark.
//
//   - rewrite: read a whole session, of 2 KB or 200 KB, add two messages, drop the two oldest,
//     and save it; by 1, 8 and 64 clients at once, each with a session of its own. It reports
//     the median and the 99th percentile of the time, and the number per second.
//   - turn: append two messages and read the head with the last 20, of sessions of 10 to
//     10,000 messages.
//   - load: read a whole session.
func Benchmark(b *testing.B, open func(tb testing.TB) driver.Store) {
	b.Helper()
	for _, size := range []struct {
		name            string
		messages, bytes int
	}{{"2KB", 10, 200}, {"200KB", 200, 1000}} {
		for _, clients := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("rewrite/session=%s/clients=%d", size.name, clients), func(b *testing.B) {
				benchmarkRewrite(b, open(b), clients, size.messages, size.bytes)
			})
		}
	}
	for _, messages := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("turn/messages=%d", messages), func(b *testing.B) { benchmarkTurn(b, open(b), messages) })
	}
	for _, messages := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("load/messages=%d", messages), func(b *testing.B) { benchmarkLoad(b, open(b), messages) })
	}
}

// said returns n messages of a number of bytes.
func said(n, bytes int) []driver.Message {
	messages := make([]driver.Message, n)
	for i := range messages {
		role := driver.RoleUser
		if i%2 == 1 {
			role = driver.RoleAssistant
		}
		messages[i] = driver.Message{Role: role, Content: strings.Repeat("word ", bytes/5)}
	}
	return messages
}

// benchmarked returns a manager with a session of a number of messages.
func benchmarked(b *testing.B, store driver.Store, messages, bytes int) (*session.Manager, driver.Key) {
	b.Helper()
	manager, err := session.NewManager(store, withoutSummaries())
	require.NoError(b, err)
	key := driver.Key{Namespace: "benchmark", SessionID: rand.Text()}
	_, err = manager.Append(b.Context(), key, said(messages, bytes), nil)
	require.NoError(b, err)
	return manager, key
}

func benchmarkRewrite(b *testing.B, store driver.Store, clients, messages, bytes int) {
	managers, keys := make([]*session.Manager, clients), make([]driver.Key, clients)
	for i := range clients {
		managers[i], keys[i] = benchmarked(b, store, messages, bytes)
	}
	added := said(2, bytes)
	took := make([][]time.Duration, clients)
	var begun atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for i := range clients {
		wg.Go(func() {
			for begun.Add(1) <= int64(b.N) {
				start := time.Now()
				if err := rewrite(b.Context(), managers[i], keys[i], added); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	reportTimes(b, slices.Concat(took...))
}

func rewrite(ctx context.Context, manager *session.Manager, key driver.Key, added []driver.Message) error {
	s, err := manager.Load(ctx, key, nil)
	if err != nil {
		return err
	}
	s.Messages = append(s.Messages[len(added):], added...)
	return manager.Save(ctx, s, nil)
}

func reportTimes(b *testing.B, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "ops/s")
}

func benchmarkTurn(b *testing.B, store driver.Store, messages int) {
	ctx := b.Context()
	manager, key := benchmarked(b, store, messages, 200)
	turn := said(2, 200)
	grown := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manager.Append(ctx, key, turn, nil); err != nil {
			b.Fatal(err)
		}
		s, err := manager.Load(ctx, key, &session.LoadOptions{Last: 20})
		if err != nil {
			b.Fatal(err)
		}
		if grown += len(turn); grown >= max(messages/10, 20) {
			b.StopTimer()
			shrink(b, store, key, s.Len()-messages)
			grown = 0
			b.StartTimer()
		}
	}
}

// shrink drops the n oldest messages.
func shrink(b *testing.B, store driver.Store, key driver.Key, n int) {
	b.Helper()
	r, err := store.Load(b.Context(), key, 0)
	require.NoError(b, err)
	_, err = store.Write(b.Context(), key, driver.Write{
		If: driver.Condition{Revision: r.Revision}, Head: r.Head, DropBefore: r.First + uint64(n), Format: r.Format, Now: time.Now(),
	})
	require.NoError(b, err)
}

func benchmarkLoad(b *testing.B, store driver.Store, messages int) {
	manager, key := benchmarked(b, store, messages, 200)
	b.ReportAllocs()
	for b.Loop() {
		s, err := manager.Load(b.Context(), key, nil)
		if err != nil {
			b.Fatal(err)
		}
		if len(s.Messages) != messages {
			b.Fatalf("%d messages", len(s.Messages))
		}
	}
}
