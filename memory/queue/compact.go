package queue

import (
	"context"
	"fmt"
	"slices"
)

// CompactFunc rewrites the items of a Queue before others are appended: the result,
// which may be empty, replaces them. If the function fails or panics, nothing is
// appended and the queue is unchanged. The rules for using the queue are those of
// hooks; see NewHook.
//
// A CompactFunc is called for every Append and should return w.Items if there is
// nothing to do. The limit applies to the result and the new items together. A function
// that returns a summary and w.Limit-1 items therefore loses the summary at once,
// because it is the oldest item and makes room for the new one. A result of at most
// w.Limit-w.Incoming items is kept; see SummarizeOlder.
type CompactFunc[T any] func(ctx context.Context, w CompactionInput[T]) ([]T, error)

// CompactionInput is the input of a CompactFunc.
type CompactionInput[T any] struct {
	// Items are the items of the queue, oldest first. The function owns the slice.
	Items []T
	// Limit is the maximum number of items.
	Limit int
	// Incoming is the number of items to be appended. It may be 0 or more than Limit.
	Incoming int
}

// overflows reports whether the append evicts old items and leaves room for some. If
// the incoming items fill the queue, no old item can be saved.
func (w *CompactionInput[T]) overflows() bool {
	return w.Incoming < w.Limit && len(w.Items) > w.room()
}

// room returns the number of items that can stay.
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

// SummarizeOlder returns a compaction that replaces all items but the newest keepLast
// with a summary when the queue is about to overflow. The summary is then the oldest
// item and is included in the next summary, so that it is carried forward.
//
// A negative keepLast means 0. At most half of the room that the summary and the
// incoming items leave is kept, so that summarize is not called at every Append, as
// long as each Append adds at most a third of the limit. An Append that fills the queue
// by itself evicts the old items without a summary.
//
// older holds at least two items. If summarize fails, so does the Append, and the queue
// is unchanged. If summarize is nil, SummarizeOlder returns nil: no compaction.
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

// DropMiddle returns a compaction that drops items from the middle when the queue is
// about to overflow. It keeps the oldest first items, which state the task, and as many
// of the newest last items, which state its progress, as fit beside the incoming ones.
// If not all of the first items fit, it keeps as many of them as do. An Append that
// fills the queue by itself evicts all old items. Negative numbers mean 0.
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
