package queue_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// Writers append batches of three. Readers see whole batches only, those of a writer in
// order, and no item is lost that fits.
func TestAppendsAreAtomic(t *testing.T) {
	t.Parallel()
	type tagged struct{ Writer, Round, At int }
	const writers, batch = 4, 3
	rounds := soak.Times(20, 200)
	checkBatches := func(items []tagged) {
		last := map[int]int{}
		for i, item := range items {
			first := items[i-i%batch]
			assert.Equal(t, tagged{first.Writer, first.Round, i % batch}, item)
			assert.LessOrEqual(t, last[item.Writer], item.Round)
			last[item.Writer] = item.Round
		}
		assert.Zero(t, len(items)%batch)
	}
	identity := func(_ context.Context, w queue.CompactionInput[tagged]) ([]tagged, error) { return w.Items, nil }
	for _, limit := range []int{5 * batch, writers * rounds * batch} {
		for _, compact := range []queue.CompactFunc[tagged]{nil, identity} {
			q, err := queue.New(limit, &queue.Options[tagged]{Compact: compact})
			require.NoError(t, err)
			var running sync.WaitGroup
			for w := range writers {
				running.Go(func() {
					for r := range rounds {
						assert.NoError(t, q.Append(t.Context(), tagged{w, r, 0}, tagged{w, r, 1}, tagged{w, r, 2}))
					}
				})
			}
			running.Go(func() {
				for range rounds {
					checkBatches(q.Items())
					branch, err := q.Branch(nil)
					assert.NoError(t, err)
					checkBatches(branch.Items())
				}
			})
			running.Wait()
			assert.Equal(t, limit, q.Len())
			checkBatches(q.Items())
		}
	}
}

// All operations run concurrently, for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rounds := soak.Times(20, 500)
	added, addedItems := 0, 0 // a collection calls its hooks sequentially
	count := queue.NewHook("count", func(context.Context, queue.HookEvent[string]) error { added++; return nil })
	countItems := queue.NewHook("count", func(context.Context, queue.HookEvent[queue.ContextItem]) error { addedItems++; return nil })
	q := newQueue(t, 3, hooked(queue.Hooks[string]{AfterAppend: hooks{count}}))
	p := newPool(t, &queue.PoolOptions{Limit: 3, Hooks: queue.PoolHooks{AfterAdd: itemHooks{countItems}}})
	var r queue.HookRegistry[string]
	var running sync.WaitGroup
	for _, operation := range []func(){
		func() { assert.NoError(t, q.Append(ctx, "a", "b")) },
		func() { assert.NoError(t, q.Clear(ctx)) },
		func() { _, err := q.MarshalJSON(); assert.NoError(t, err) },
		func() { assert.NoError(t, q.UnmarshalJSON([]byte(`{"limit":3,"items":["x"]}`))) },
		func() { assert.NoError(t, p.Add(ctx, contextItem("a"))) },
		func() { _ = p.Remove(ctx, "a") },
		func() { assert.NoError(t, p.Clear(ctx)) },
		func() { _, _ = p.Get("b"); _ = p.Catalogue() },
		func() { _, err := p.Branch(nil); assert.NoError(t, err) },
		func() { assert.NoError(t, p.UnmarshalJSON([]byte(`{"limit":3}`))) },
		func() { assert.NoError(t, r.Register(count)) },
		func() { _, _ = r.Lookup("count") },
	} {
		running.Go(func() {
			for range rounds {
				operation()
			}
		})
	}
	running.Wait()
	assert.Equal(t, []int{rounds, rounds}, []int{added, addedItems})
}
