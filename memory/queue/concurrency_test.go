package queue_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// tagged is the item of a batch: writer, round, and position in the batch.
type tagged struct{ Writer, Round, At int }

// Writers append batches of three; whoever reads sees whole batches only, those of
// one writer in order, and in the end nothing is lost that fits.
func TestAppendsAreAtomic(t *testing.T) {
	t.Parallel()
	keep := func(_ context.Context, w queue.CompactionInput[tagged]) ([]tagged, error) { return w.Items, nil }
	for name, compact := range map[string]queue.CompactFunc[tagged]{"plain": nil, "compacting": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, err := queue.New(15, &queue.Options[tagged]{Compact: compact})
			require.NoError(t, err)
			seen := hammer(t, q)
			assert.Equal(t, 15, q.Len())
			wholeBatches(t, q.Items())
			assert.Positive(t, seen)
		})
		t.Run(name+", nothing lost", func(t *testing.T) {
			t.Parallel()
			q, err := queue.New(writers*rounds*batch, &queue.Options[tagged]{Compact: compact})
			require.NoError(t, err)
			hammer(t, q)
			unique := map[tagged]bool{}
			for item := range q.All() {
				unique[item] = true
			}
			assert.Len(t, unique, writers*rounds*batch)
		})
	}
}

const writers, rounds, batch = 4, 50, 3

// hammer appends from several goroutines while others read, and returns how often
// they did.
func hammer(t *testing.T, q *queue.Queue[tagged]) (reads int) {
	t.Helper()
	done := make(chan struct{})
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for r := range rounds {
				assert.NoError(t, q.Append(t.Context(), tagged{w, r, 0}, tagged{w, r, 1}, tagged{w, r, 2}))
			}
		})
	}
	reading.Go(func() {
		for ; ; reads++ {
			select {
			case <-done:
				reads++
				return
			default:
			}
			wholeBatches(t, q.Items())
			branch, err := q.Branch(nil)
			assert.NoError(t, err)
			wholeBatches(t, branch.Items())
			state, err := json.Marshal(q)
			assert.NoError(t, err)
			var restored queue.Queue[tagged]
			assert.NoError(t, json.Unmarshal(state, &restored))
			wholeBatches(t, restored.Items())
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()
	return reads
}

func wholeBatches(t *testing.T, items []tagged) {
	t.Helper()
	if !assert.Zero(t, len(items)%batch) {
		return
	}
	last := map[int]int{}
	for i, item := range items {
		first := items[i-i%batch]
		assert.Equal(t, tagged{first.Writer, first.Round, i % batch}, item)
		assert.LessOrEqual(t, last[item.Writer], item.Round)
		last[item.Writer] = item.Round
	}
}

// Everything that changes or reads a queue and a pool at the same time, for the
// race detector.
func TestQueueAndPoolAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	counted := 0 // hooks of one collection are called one at a time
	count := queue.NewHook("count", func(context.Context, queue.HookEvent[string]) error { counted++; return nil })
	q := newQueue(t, 3, hooked(queue.Hooks[string]{AfterAppend: hooks{count}}))
	counter := 0
	countItems := queue.NewHook("count", func(context.Context, queue.HookEvent[queue.ContextItem]) error { counter++; return nil })
	p := newPool(t, &queue.PoolOptions{Limit: 3, Hooks: queue.PoolHooks{AfterAdd: itemHooks{countItems}}})
	queueState, err := json.Marshal(q)
	require.NoError(t, err)
	poolState, err := json.Marshal(p)
	require.NoError(t, err)

	operations := []func(){
		func() { assert.NoError(t, q.Append(ctx, "a", "b")) },
		func() { assert.NoError(t, q.Append(ctx, "c")) },
		func() { assert.NoError(t, q.Clear(ctx)) },
		func() { assert.LessOrEqual(t, len(q.Items()), 3) },
		func() { _, err := q.Branch(nil); assert.NoError(t, err) },
		func() { _, err := q.MarshalJSON(); assert.NoError(t, err) },
		func() { assert.NoError(t, q.UnmarshalJSON(queueState)) },
		func() { assert.NoError(t, p.Add(ctx, contextItem("a"))) },
		func() { assert.NoError(t, p.Add(ctx, contextItem("b"))) },
		func() { _ = p.Remove(ctx, "a") },
		func() { assert.NoError(t, p.Clear(ctx)) },
		func() { _, _ = p.Get("b"); _ = p.Catalogue() },
		func() { _, err := p.Branch(nil); assert.NoError(t, err) },
		func() { assert.NoError(t, p.UnmarshalJSON(poolState)) },
	}
	var running sync.WaitGroup
	for _, operation := range operations {
		running.Go(func() {
			for range 50 {
				operation()
			}
		})
	}
	running.Wait()
	assert.Equal(t, 100, counted)
	assert.Equal(t, 100, counter)
}
