package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

var limits = []int{10, 64, 1_000, 100_000}

// fullQueue returns a full queue of texts.
func fullQueue(tb testing.TB, limit int) *queue.Queue[string] {
	tb.Helper()
	q, err := queue.New[string](limit, nil)
	require.NoError(tb, err)
	for i := range limit + 3 {
		require.NoError(tb, q.Append(context.Background(), fmt.Sprint("observation ", i)))
	}
	return q
}

// fullPool returns a full pool and twice as many items, which cycle through it.
func fullPool(tb testing.TB, limit int) (*queue.Pool, []queue.ContextItem) {
	tb.Helper()
	p, err := queue.NewPool(&queue.PoolOptions{Limit: limit})
	require.NoError(tb, err)
	items := make([]queue.ContextItem, 2*limit)
	for i := range items {
		items[i] = contextItem(fmt.Sprint("item-", i))
	}
	for range 2 { // until the index has reached its final size
		for _, item := range items {
			require.NoError(tb, p.Add(context.Background(), item))
		}
	}
	return p, items
}

// Pools that shrink, queues that are cleared and small branches of large queues release
// memory.
func TestMemoryIsReleased(t *testing.T) {
	const many = 5000
	inUse := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	before := inUse()
	q, p := fullQueue(t, many), newPool(t, nil)
	for i := range many {
		require.NoError(t, p.Add(t.Context(), contextItem(fmt.Sprint(i))))
	}
	require.Greater(t, inUse()-before, int64(1<<19))
	for i := range many - 1 {
		require.NoError(t, p.Remove(t.Context(), fmt.Sprint(i)))
	}
	small, err := q.Branch(&queue.BranchOptions[string]{Limit: new(1)})
	require.NoError(t, err)
	require.NoError(t, q.Clear(t.Context()))
	assert.Less(t, inUse()-before, int64(1<<17))
	assert.Equal(t, []int{0, 1, 1}, []int{q.Len(), small.Len(), p.Len()})
}

// benchmark runs an operation at all limits. setup returns the operation.
func benchmark(b *testing.B, setup func(b *testing.B, limit int) func()) {
	for _, limit := range limits {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			run := setup(b, limit)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// benchmarkQueue runs an operation on full queues.
func benchmarkQueue(b *testing.B, run func(q *queue.Queue[string])) {
	benchmark(b, func(b *testing.B, limit int) func() {
		q := fullQueue(b, limit)
		return func() { run(q) }
	})
}

func BenchmarkQueueAppend(b *testing.B) {
	ctx := b.Context()
	benchmarkQueue(b, func(q *queue.Queue[string]) { _ = q.Append(ctx, "observation") })
}

// BenchmarkQueueAppendHooked appends with a hook and a compaction that do nothing, which
// is the cost of copies and turns.
func BenchmarkQueueAppendHooked(b *testing.B) {
	benchmark(b, func(b *testing.B, limit int) func() {
		compact := queue.SummarizeOlder(0, func(context.Context, []string) (string, error) { return "summary", nil })
		q, err := fullQueue(b, limit).Branch(&queue.BranchOptions[string]{
			Compact: &compact,
			Hooks:   &queue.Hooks[string]{AfterAppend: hooks{queue.NewHook[string]("nothing", nil)}},
		})
		require.NoError(b, err)
		return func() { _ = q.Append(b.Context(), "observation") }
	})
}

func BenchmarkQueueBranch(b *testing.B) {
	benchmarkQueue(b, func(q *queue.Queue[string]) { _, _ = q.Branch(nil) })
}

func BenchmarkQueueState(b *testing.B) {
	benchmarkQueue(b, func(q *queue.Queue[string]) {
		data, _ := json.Marshal(q)
		_ = json.Unmarshal(data, q)
	})
}

func BenchmarkPoolAdd(b *testing.B) {
	benchmark(b, func(b *testing.B, limit int) func() {
		p, items := fullPool(b, limit)
		i := 0
		return func() { _ = p.Add(b.Context(), items[i%len(items)]); i++ }
	})
}
