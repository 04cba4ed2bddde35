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

// fullQueue is a queue full of texts.
func fullQueue(tb testing.TB, limit int) *queue.Queue[string] {
	tb.Helper()
	q, err := queue.New[string](limit, nil)
	require.NoError(tb, err)
	for i := range limit + 3 {
		require.NoError(tb, q.Append(context.Background(), fmt.Sprint("observation ", i)))
	}
	return q
}

// fullPool is a pool full of items, and twice as many that cycle through it: each
// comes when it has just fallen out.
func fullPool(tb testing.TB, limit int) (*queue.Pool, []queue.ContextItem) {
	tb.Helper()
	p, err := queue.NewPool(&queue.PoolOptions{Limit: limit})
	require.NoError(tb, err)
	items := make([]queue.ContextItem, 2*limit)
	for i := range items {
		items[i] = contextItem(fmt.Sprint("item-", i))
	}
	for range 2 { // until the index has settled
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
	for _, limit := range limits {
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

// A limit is not a size: memory is taken as items come.
func TestLargeLimitCostsNothing(t *testing.T) {
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

// Neither a pool that shrank, nor a queue that was cleared, nor a small branch of a
// large one occupies what it needed before.
func TestMemoryIsReleased(t *testing.T) {
	const many = 20_000
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
	require.Greater(t, inUse()-before, int64(2<<20), "it is there to be measured")
	for i := range many - 1 {
		require.NoError(t, p.Remove(t.Context(), fmt.Sprint(i)))
	}
	small, err := q.Branch(&queue.BranchOptions[string]{Limit: new(1)})
	require.NoError(t, err)
	require.NoError(t, q.Clear(t.Context()))
	assert.Less(t, inUse()-before, int64(1<<19))
	assert.Equal(t, []int{0, 1, 1}, []int{q.Len(), small.Len(), p.Len()})
}

// What a queue shared with a branch and gave up is the branch's: nothing is copied.
func TestBranchKeepsWhatTheQueueGaveUp(t *testing.T) {
	const many = 20_000
	for name, giveUp := range map[string]func(*queue.Queue[string]) error{
		"append":    func(q *queue.Queue[string]) error { return q.Append(t.Context(), "other") },
		"clear":     func(q *queue.Queue[string]) error { return q.Clear(t.Context()) },
		"unmarshal": func(q *queue.Queue[string]) error { return q.UnmarshalJSON([]byte(`{"limit":1}`)) },
	} {
		q := fullQueue(t, many)
		branch := branchOf(t, q, nil)
		require.NoError(t, giveUp(q), name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, branch.Append(t.Context(), "new"))
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(many), name)
		assert.Equal(t, many, branch.Len())
	}
}

// perLimit runs a benchmark at all limits.
func perLimit(b *testing.B, run func(b *testing.B, limit int)) {
	for _, limit := range limits {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			b.ReportAllocs()
			run(b, limit)
		})
	}
}

func BenchmarkQueueAppend(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q, ctx := fullQueue(b, limit), b.Context()
		for b.Loop() {
			_ = q.Append(ctx, "observation")
		}
	})
}

func BenchmarkQueueAppend10(b *testing.B) {
	batch := make([]string, 10)
	perLimit(b, func(b *testing.B, limit int) {
		q, ctx := fullQueue(b, limit), b.Context()
		for b.Loop() {
			_ = q.Append(ctx, batch...)
		}
	})
}

// BenchmarkQueueAppendHooked is an append with a hook and a compaction that do
// nothing: what copies and turns cost.
func BenchmarkQueueAppendHooked(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		compact := queue.SummarizeOlder(0, func(context.Context, []string) (string, error) { return "summary", nil })
		q, err := fullQueue(b, limit).Branch(&queue.BranchOptions[string]{
			Compact: &compact,
			Hooks:   &queue.Hooks[string]{AfterAppend: hooks{queue.NewHook[string]("nothing", nil)}},
		})
		require.NoError(b, err)
		for b.Loop() {
			_ = q.Append(b.Context(), "observation")
		}
	})
}

func BenchmarkQueueBranch(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q := fullQueue(b, limit)
		for b.Loop() {
			_, _ = q.Branch(nil)
		}
	})
}

func BenchmarkQueueItems(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q := fullQueue(b, limit)
		for b.Loop() {
			_ = q.Items()
		}
	})
}

func BenchmarkQueueAll(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q := fullQueue(b, limit)
		for b.Loop() {
			for range q.All() {
			}
		}
	})
}

func BenchmarkQueueMarshalJSON(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q := fullQueue(b, limit)
		for b.Loop() {
			_, _ = json.Marshal(q)
		}
	})
}

func BenchmarkQueueUnmarshalJSON(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		q := fullQueue(b, limit)
		state, err := json.Marshal(q)
		require.NoError(b, err)
		for b.Loop() {
			_ = json.Unmarshal(state, q)
		}
	})
}

func BenchmarkPoolAdd(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		p, items := fullPool(b, limit)
		i := 0
		for b.Loop() {
			_ = p.Add(b.Context(), items[i])
			if i++; i == len(items) {
				i = 0
			}
		}
	})
}

func BenchmarkPoolReplace(b *testing.B) {
	perLimit(b, func(b *testing.B, limit int) {
		p, _ := fullPool(b, limit)
		present := p.Items()
		i := 0
		for b.Loop() {
			_ = p.Add(b.Context(), present[i])
			if i++; i == len(present) {
				i = 0
			}
		}
	})
}
