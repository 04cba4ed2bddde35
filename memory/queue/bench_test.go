package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
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

func TestFullQueueAndPoolDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	ctx := t.Context()
	for _, limit := range limits[:3] {
		q := fullQueue(t, limit)
		assert.Zero(t, testing.AllocsPerRun(1000, func() { _ = q.Append(ctx, "a") }), "append at %d", limit)
		batch := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
		assert.Zero(t, testing.AllocsPerRun(1000, func() { _ = q.Append(ctx, batch...) }), "append 10 at %d", limit)

		p, items := fullPool(t, limit)
		next := 0
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			_ = p.Add(ctx, items[next])
			next = (next + 1) % len(items)
		}), "add at %d", limit)
		present := p.Items()[0]
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			_ = p.Remove(ctx, present.ID)
			_ = p.Add(ctx, present)
		}), "remove at %d", limit)
		assert.Zero(t, testing.AllocsPerRun(1000, func() { _ = p.Add(ctx, present) }), "replace at %d", limit)
	}
}

// Memory is allocated as items arrive.
func TestLargeLimitDoesNotAllocate(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q, err := queue.New[[64]byte](1<<30, nil)
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), [64]byte{}))
	p, err := queue.NewPool(&queue.PoolOptions{Limit: 1 << 30})
	require.NoError(t, err)
	require.NoError(t, p.Add(t.Context(), contextItem("a")))
	require.NoError(t, q.UnmarshalJSON([]byte(`{"limit":1073741824}`)))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10<<20))
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

// A branch does not copy items that the queue has released.
func TestBranchTakesOverReleasedItems(t *testing.T) {
	const many = 5000
	for name, release := range map[string]func(*queue.Queue[string]) error{
		"append":    func(q *queue.Queue[string]) error { return q.Append(t.Context(), "other") },
		"clear":     func(q *queue.Queue[string]) error { return q.Clear(t.Context()) },
		"unmarshal": func(q *queue.Queue[string]) error { return q.UnmarshalJSON([]byte(`{"limit":1}`)) },
	} {
		q := fullQueue(t, many)
		branch := branchOf(t, q, nil)
		require.NoError(t, release(q), name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, branch.Append(t.Context(), "new"))
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(many*8), "%s: half of a copy", name)
		assert.Equal(t, many, branch.Len())
	}
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

func BenchmarkQueueAppend10(b *testing.B) {
	ctx, batch := b.Context(), make([]string, 10)
	benchmarkQueue(b, func(q *queue.Queue[string]) { _ = q.Append(ctx, batch...) })
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

func BenchmarkQueueItems(b *testing.B) {
	benchmarkQueue(b, func(q *queue.Queue[string]) { _ = q.Items() })
}

func BenchmarkQueueAll(b *testing.B) {
	benchmarkQueue(b, func(q *queue.Queue[string]) {
		for range q.All() {
		}
	})
}

func BenchmarkQueueMarshalJSON(b *testing.B) {
	benchmarkQueue(b, func(q *queue.Queue[string]) { _, _ = json.Marshal(q) })
}

func BenchmarkQueueUnmarshalJSON(b *testing.B) {
	benchmark(b, func(b *testing.B, limit int) func() {
		q := fullQueue(b, limit)
		state, err := json.Marshal(q)
		require.NoError(b, err)
		return func() { _ = json.Unmarshal(state, q) }
	})
}

func BenchmarkPoolAdd(b *testing.B) {
	benchmark(b, func(b *testing.B, limit int) func() {
		p, items := fullPool(b, limit)
		i := 0
		return func() { _ = p.Add(b.Context(), items[i%len(items)]); i++ }
	})
}

func BenchmarkPoolReplace(b *testing.B) {
	benchmark(b, func(b *testing.B, limit int) func() {
		p, _ := fullPool(b, limit)
		present, i := p.Items(), 0
		return func() { _ = p.Add(b.Context(), present[i%limit]); i++ }
	})
}
