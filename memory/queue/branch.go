package queue

import "github.com/go-workingmemory/workingmemory/internal/slab"

// BranchOptions describes how a branch differs from its queue. A nil field is inherited.
// Other values are used as they are: new(CompactFunc[T]) means no compaction, and
// &Hooks[T]{} no hooks.
type BranchOptions[T any] struct {
	Limit   *int
	Compact *CompactFunc[T]
	Hooks   *Hooks[T]
}

// Branch returns an independent copy of the queue in constant time: the items are
// copied when one of the two first changes. With a smaller limit, the newest items are
// copied at once. The registry is shared. If opts is nil, everything is inherited.
// Errors are those of New.
//
// A hook may branch its queue and change the branch. It is called for changes of the
// branch too, unless the branch has other hooks.
func (q *Queue[T]) Branch(opts *BranchOptions[T]) (*Queue[T], error) {
	if opts == nil {
		opts = new(BranchOptions[T])
	}
	branch := &Queue[T]{registry: q.registry, made: q.made, compact: q.compact}
	if opts.Compact != nil {
		branch.compact = *opts.Compact
	}
	if opts.Limit != nil {
		if err := checkLimit(*opts.Limit); err != nil {
			return nil, err
		}
		branch.limit = *opts.Limit
	}
	if opts.Hooks != nil {
		hooks, err := opts.Hooks.clone()
		if err != nil {
			return nil, err
		}
		branch.made, branch.hooks = hooks, hooks
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if opts.Limit == nil {
		branch.limit = q.limit
	}
	if opts.Hooks == nil {
		branch.hooks = q.hooks
	}
	branch.items = newest(&q.items, branch.capacity())
	return branch, nil
}

// newest returns the last n items. If these are all, they share memory with the queue.
// Fewer are copied, because they could retain the memory of very many.
func newest[T any](items *slab.Ring[T], n int) slab.Ring[T] {
	if items.Len() <= n {
		return items.Share()
	}
	var copied slab.Ring[T]
	copied.PushBack(items.AppendLast(nil, n)...)
	return copied
}
