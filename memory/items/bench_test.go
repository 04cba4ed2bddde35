package items_test

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

var storeSizes = []int{10, 64, 1_000, 10_000, 100_000}

// fullStore is a store full of items of all importances.
func fullStore(tb testing.TB, size int) *items.Store {
	tb.Helper()
	s, err := items.New(&items.Options{MaxItems: size, MaxTokens: math.MaxInt})
	require.NoError(tb, err)
	for i := range size {
		memorize(tb, s, benchItem(i))
	}
	return s
}

func benchItem(i int) items.ItemInput {
	return items.ItemInput{
		Type:       items.TypeObservation,
		Text:       fmt.Sprintf("The order W%07d was shipped to customer %d.", i, i%97),
		AgentID:    "support",
		Importance: new(float64(i%10) / 10),
	}
}

func benchmarkSizes(b *testing.B, run func(b *testing.B, s *items.Store)) {
	for _, size := range storeSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := fullStore(b, size)
			b.ReportAllocs()
			run(b, s)
		})
	}
}

func BenchmarkMemorize(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		ctx, i := b.Context(), 0
		ins := make([]items.ItemInput, 1000)
		for i := range ins {
			ins[i] = benchItem(i)
		}
		for b.Loop() {
			_, _ = s.Memorize(ctx, ins[i%len(ins)])
			i++
		}
	})
}

// BenchmarkMemorizeStep is BenchmarkMemorize where each item is of a step of its
// own, so that one leaves the recency window and one expires each time.
func BenchmarkMemorizeStep(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		ctx, in := b.Context(), benchItem(1)
		for b.Loop() {
			s.AdvanceStep()
			_, _ = s.Memorize(ctx, in)
		}
	})
}

func BenchmarkRemember(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		for b.Loop() {
			_, _ = s.Remember(b.Context(), "where is order W0000007?", items.Criteria{}, 5)
		}
	})
}

func BenchmarkNotable(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		for b.Loop() {
			_ = s.Notable(5)
		}
	})
}

func BenchmarkStoreBranch(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		for b.Loop() {
			_ = s.Branch()
		}
	})
}

func BenchmarkStoreMarshalJSON(b *testing.B) {
	for _, size := range storeSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := fullStore(b, size)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = json.Marshal(s)
			}
		})
	}
}

func BenchmarkStoreUnmarshalJSON(b *testing.B) {
	for _, size := range storeSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := fullStore(b, size)
			data, err := json.Marshal(s)
			require.NoError(b, err)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_ = s.UnmarshalJSON(data)
			}
		})
	}
}

func BenchmarkSummarize(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, s *items.Store) {
		for b.Loop() {
			_, _ = s.Summarize(b.Context(), items.SelectAll, 500)
		}
	})
}

// BenchmarkStoreBytes reports what an item of benchItem occupies in a full
// store, once it has been replaced several times.
func BenchmarkStoreBytes(b *testing.B) {
	for _, size := range storeSizes[:4] { // to replace 100,000 items takes long
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				s := fullStore(b, size)
				for i := range 2 * size {
					memorize(b, s, benchItem(i))
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(s)
			}
			b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/float64(size), "B/item")
		})
	}
}
