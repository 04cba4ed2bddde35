package queue

import (
	"context"
	"fmt"
	"slices"
)

// CompactFunc rewrites the items of a Queue before others are appended: what it
// returns takes their place, nothing being a valid result. If it fails or panics,
// nothing is appended and the queue stays as it was. What it may do with the queue
// is the same as for a hook: see NewHook.
//
// It is called for every Append and should return w.Items where there is nothing
// to do. There is a trap in it: the limit holds for the result and the new items
// together. A function that returns a summary and w.Limit-1 items loses the
// summary at once, because the oldest item makes room for the new one. A summary
// survives in a result of at most w.Limit-w.Incoming items; see SummarizeOlder.
type CompactFunc[T any] func(ctx context.Context, w CompactionInput[T]) ([]T, error)

// CompactionInput is what a CompactFunc is given.
type CompactionInput[T any] struct {
	// Items are those in the queue, oldest first. The slice is the function's.
	Items []T
	// Limit is how many items fit.
	Limit int
	// Incoming is how many items are to be appended, 0 or more; it can be more
	// than Limit.
	Incoming int
}

// overflows reports whether items are going to fall out, or would if it were not
// for those that come: where these fill the queue, nothing can be saved.
func (w *CompactionInput[T]) overflows() bool {
	return w.Incoming < w.Limit && len(w.Items) > w.room()
}

// room is how many items can stay.
func (w *CompactionInput[T]) room() int { return w.Limit - w.Incoming }

func (f CompactFunc[T]) call(ctx context.Context, w CompactionInput[T]) (items []T, err error) {
	err = guard(func() error {
		items, err = f(ctx, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("queue: compact: %w", err)
	}
	return items, nil
}

// SummarizeOlder returns a compaction that, when the queue is about to overflow,
// puts a summary in the place of all items but the newest keepLast. The summary
// is the oldest item from then on, and the first of the older items the next time:
// it is carried forward, not lost.
//
// keepLast less than 0 counts as 0. Where it is more than half of what the limit
// leaves besides the summary and the incoming items, that half is kept: the queue
// has room again afterwards, so that summarize is not called at every Append, as
// long as each brings at most a third of the limit. An Append that fills the
// queue by itself leaves nothing to summarize, and the old items fall out.
//
// older holds at least two items. If summarize fails, so does the Append, and the
// queue stays as it was. nil makes a nil function: no compaction.
func SummarizeOlder[T any](keepLast int, summarize func(ctx context.Context, older []T) (T, error)) CompactFunc[T] {
	if summarize == nil {
		return nil
	}
	return func(ctx context.Context, w CompactionInput[T]) ([]T, error) {
		if !w.overflows() {
			return w.Items, nil
		}
		kept := min(max(keepLast, 0), (w.room()-1)/2)
		older := len(w.Items) - kept
		summary, err := summarize(ctx, w.Items[:older:older])
		if err != nil {
			return nil, err
		}
		return append([]T{summary}, w.Items[older:]...), nil
	}
}

// DropMiddle returns a compaction that, when the queue is about to overflow,
// leaves out items from the middle: the oldest first ones stay (what the task is),
// and of the newest last ones as many as fit (where it stands). Where not even the
// first ones fit beside the incoming items, as many of them as do stay. An Append
// that fills the queue by itself leaves nothing of the old items. Less than 0
// counts as 0.
func DropMiddle[T any](first, last int) CompactFunc[T] {
	return func(_ context.Context, w CompactionInput[T]) ([]T, error) {
		if !w.overflows() {
			return w.Items, nil
		}
		head := min(max(first, 0), w.room())
		tail := min(max(last, 0), w.room()-head)
		return slices.Delete(w.Items, head, len(w.Items)-tail), nil
	}
}
