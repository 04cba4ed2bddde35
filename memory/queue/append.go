package queue

import (
	"context"
	"errors"
	"slices"
)

// Append adds items, the last one as the newest. It proceeds in this order:
//
//  1. BeforeAppend hooks are called. An error stops the append.
//  2. Compact is called once, even if the queue is empty. An error stops the append.
//  3. The result replaces the old items, the new items are added, and the oldest are
//     evicted until the limit holds. This step is atomic for readers.
//  4. OnEvict hooks are called if items were evicted.
//  5. AfterAppend hooks are called.
//
// After an error of step 1 or 2 the queue is unchanged; after one of step 4 or 5 the
// items have been added. Panics of callbacks become errors that wrap memory.ErrPanic.
// An Append without items proceeds in the same way and can be used to compact the queue.
//
// If the queue has compaction or hooks, appends wait for each other. If ctx ends while
// waiting, its error is returned and the queue is unchanged. A call with the context of
// a callback of the queue fails with ErrReentrant; see NewHook. The callbacks receive
// ctx; a context that has ended does not by itself prevent the append.
func (q *Queue[T]) Append(ctx context.Context, items ...T) error {
	if q.lockPlain() {
		defer q.mu.Unlock()
		q.push(items, nil)
		return nil
	}
	items = slices.Clone(items) // the caller's may change while callbacks run
	return q.turn.do(ctx, func(ctx context.Context) error { return q.append(ctx, items) })
}

// Clear removes all items and releases their memory. No hooks are called. Like Append,
// it waits for other changes, with the same errors.
func (q *Queue[T]) Clear(ctx context.Context) error {
	if q.lockPlain() {
		defer q.mu.Unlock()
		q.items.Release()
		return nil
	}
	return q.turn.do(ctx, func(context.Context) error {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.items.Release()
		return nil
	})
}

// lockPlain locks the queue and returns true if the queue has no callbacks. Otherwise it
// returns false without locking.
func (q *Queue[T]) lockPlain() bool {
	q.mu.Lock()
	if q.compact == nil && q.hooks == nil {
		return true
	}
	q.mu.Unlock()
	return false
}

// append implements Append while the turn is held: only UnmarshalJSON can change the
// queue concurrently.
func (q *Queue[T]) append(ctx context.Context, items []T) error {
	event := func(subject []T) func() HookEvent[T] {
		return func() HookEvent[T] { return HookEvent[T]{Items: q.Items(), Subject: slices.Clone(subject)} }
	}
	hooks := q.currentHooks()
	if err := callEach(ctx, "before_append", hooks.BeforeAppend, event(items)); err != nil {
		return err
	}
	evicted, err := q.insert(ctx, items)
	if err != nil {
		return err
	}
	var onEvict error
	if len(evicted) > 0 {
		onEvict = callAll(ctx, "on_evict", hooks.OnEvict, event(evicted))
	}
	return errors.Join(onEvict, callAll(ctx, "after_append", hooks.AfterAppend, event(items)))
}

// currentHooks returns the hooks, which must not be modified.
func (q *Queue[T]) currentHooks() Hooks[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.hooks == nil {
		return Hooks[T]{}
	}
	return *q.hooks
}

// insert compacts the queue, adds items and returns the evicted ones.
func (q *Queue[T]) insert(ctx context.Context, items []T) (evicted []T, err error) {
	var compacted []T
	window, restored := q.window(len(items))
	if q.compact != nil {
		if compacted, err = q.compact.call(ctx, window); err != nil {
			return nil, err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.compact != nil && q.restored == restored {
		q.items.Release()
		q.push(compacted, &evicted)
	}
	q.push(items, &evicted)
	return evicted, nil
}

// window returns the input of a compaction and the value of q.restored to which it
// belongs.
func (q *Queue[T]) window(incoming int) (w CompactionInput[T], restored uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.compact == nil {
		return w, 0
	}
	return CompactionInput[T]{Items: q.copyItems(), Limit: q.capacity(), Incoming: incoming}, q.restored
}

// push adds items to a locked queue. Evicted items are appended to evicted unless it is
// nil.
func (q *Queue[T]) push(items []T, evicted *[]T) {
	over := max(0, q.items.Len()+len(items)-q.capacity())
	old := min(over, q.items.Len())
	if evicted != nil {
		*evicted = append(q.items.AppendFirst(*evicted, old), items[:over-old]...)
	}
	q.items.Drop(old)
	q.items.PushBack(items[over-old:]...)
}
