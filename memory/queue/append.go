package queue

import (
	"context"
	"errors"
	"slices"
)

// Append adds items, the last one as the newest. What happens, in this order:
//
//  1. BeforeAppend hooks are called; an error ends it here.
//  2. Compact is called, once, also if the queue is empty; an error ends it here.
//  3. The result takes the place of what was there, the items go in behind it,
//     and the oldest fall out until the limit holds. Readers see all of it at once.
//  4. OnEvict hooks are called if something fell out.
//  5. AfterAppend hooks are called.
//
// An error of 1 or 2 means that the queue is as it was, one of 4 or 5 that the
// items are in. Panics of callbacks become errors that wrap memory.ErrPanic. An Append
// without items is one all the same: it lets a queue be compacted.
//
// In a queue with compaction or hooks one Append waits for another to end. If ctx
// ends first, its error is returned, and the queue is as it was. A call with the
// context of a callback of the queue fails with ErrReentrant; see NewHook. ctx is
// handed on to the callbacks; that it has ended does not by itself keep items out.
func (q *Queue[T]) Append(ctx context.Context, items ...T) error {
	if q.lockPlain() {
		defer q.mu.Unlock()
		q.push(items, nil)
		return nil
	}
	items = slices.Clone(items) // the caller's may change while callbacks run
	return q.turn.do(ctx, func(ctx context.Context) error { return q.append(ctx, items) })
}

// Clear removes all items, and releases their memory. No hooks are called. Like
// Append it waits for other changes to end, with the same errors.
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

// lockPlain locks the queue and returns true if no callbacks need to be called.
func (q *Queue[T]) lockPlain() bool {
	q.mu.Lock()
	if q.compact == nil && q.hooks == nil {
		return true
	}
	q.mu.Unlock()
	return false
}

// append is Append when it is its turn: only UnmarshalJSON can change the queue
// concurrently.
func (q *Queue[T]) append(ctx context.Context, items []T) error {
	event := func(subject []T) func() HookEvent[T] {
		return func() HookEvent[T] { return HookEvent[T]{Items: q.Items(), Subject: slices.Clone(subject)} }
	}
	hooks := q.currentHooks()
	if err := callEach(ctx, "before_append", hooks.BeforeAppend, event(items)); err != nil {
		return err
	}
	fallen, err := q.insert(ctx, items)
	if err != nil {
		return err
	}
	var onEvict error
	if len(fallen) > 0 {
		onEvict = callAll(ctx, "on_evict", hooks.OnEvict, event(fallen))
	}
	return errors.Join(onEvict, callAll(ctx, "after_append", hooks.AfterAppend, event(items)))
}

// currentHooks returns the hooks, which are not to be changed.
func (q *Queue[T]) currentHooks() Hooks[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.hooks == nil {
		return Hooks[T]{}
	}
	return *q.hooks
}

// insert compacts, puts items in and returns what fell out.
func (q *Queue[T]) insert(ctx context.Context, items []T) (fallen []T, err error) {
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
		q.push(compacted, &fallen)
	}
	q.push(items, &fallen)
	return fallen, nil
}

// window returns what a compaction receives, and the count of restores at which it
// was read.
func (q *Queue[T]) window(incoming int) (w CompactionInput[T], restored uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.compact == nil {
		return w, 0
	}
	return CompactionInput[T]{Items: q.copied(), Limit: q.capacity(), Incoming: incoming}, q.restored
}

// push puts items behind the others, in a queue that is locked. What falls out
// is appended to fallen, unless that is nil.
func (q *Queue[T]) push(items []T, fallen *[]T) {
	over := max(0, q.items.Len()+len(items)-q.capacity())
	old := min(over, q.items.Len())
	if fallen != nil {
		*fallen = append(q.items.AppendFirst(*fallen, old), items[:over-old]...)
	}
	q.items.Drop(old)
	q.items.PushBack(items[over-old:]...)
}
