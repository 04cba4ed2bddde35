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

// fullStore returns a store full of items of all importances.
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

// benchmark runs an operation on full stores.
func benchmark(b *testing.B, run func(b *testing.B, s *items.Store)) {
	for _, size := range []int{10, 64, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := fullStore(b, size)
			b.ReportAllocs()
			for b.Loop() {
				run(b, s)
			}
		})
	}
}

func BenchmarkMemorize(b *testing.B) {
	i, ins := 0, make([]items.ItemInput, 1000)
	for i := range ins {
		ins[i] = benchItem(i)
	}
	benchmark(b, func(b *testing.B, s *items.Store) {
		_, _ = s.Memorize(b.Context(), ins[i%len(ins)])
		i++
	})
}

// BenchmarkMemorizeStep memorizes each item in a step of its own, so that each time one
// item leaves the recency window and one expires.
func BenchmarkMemorizeStep(b *testing.B) {
	in := benchItem(1)
	benchmark(b, func(b *testing.B, s *items.Store) {
		s.AdvanceStep()
		_, _ = s.Memorize(b.Context(), in)
	})
}

func BenchmarkRemember(b *testing.B) {
	benchmark(b, func(b *testing.B, s *items.Store) {
		_, _ = s.Remember(b.Context(), "where is order W0000007?", items.Criteria{}, 5)
	})
}

func BenchmarkSummarize(b *testing.B) {
	benchmark(b, func(b *testing.B, s *items.Store) { _, _ = s.Summarize(b.Context(), items.SelectAll, 500) })
}

func BenchmarkStoreBranch(b *testing.B) {
	benchmark(b, func(_ *testing.B, s *items.Store) { _ = s.Branch() })
}

func BenchmarkStoreState(b *testing.B) {
	benchmark(b, func(b *testing.B, s *items.Store) {
		data, err := json.Marshal(s)
		require.NoError(b, err)
		require.NoError(b, s.UnmarshalJSON(data))
	})
}

// BenchmarkStoreBytes reports the memory of an item of benchItem in a full store whose
// items have been replaced several times.
func BenchmarkStoreBytes(b *testing.B) {
	for _, size := range []int{10, 64, 1_000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			before, after := 0, 0
			for b.Loop() {
				before = heap()
				s := fullStore(b, size)
				for i := range 2 * size {
					memorize(b, s, benchItem(i))
				}
				after = heap()
				runtime.KeepAlive(s)
			}
			b.ReportMetric(float64(after-before)/float64(size), "B/item")
		})
	}
}
