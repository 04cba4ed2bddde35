package queue

import "github.com/go-workingmemory/workingmemory/internal/slab"

// BranchOptions says in what a branch differs. A nil field means the same as
// in the queue it comes from; what a field points to is used as it is, also where
// that is nothing: new(CompactFunc[T]) is no compaction, &Hooks[T]{} no hooks.
type BranchOptions[T any] struct {
	Limit   *int
	Compact *CompactFunc[T]
	Hooks   *Hooks[T]
}

// Branch returns an independent copy of the queue, in constant time: the items are
// copied once, when one of the two changes. A smaller limit takes over the newest
// items, which are copied at once. The registry is the same. nil options mean no
// difference. Errors as in New.
//
// A hook may branch the queue it is called for and change the branch, but is
// called for that too, unless the branch has other hooks.
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
		hooks, err := opts.Hooks.checked()
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

// newest returns the last n items. All of them share the memory of the queue
// until one of the two changes; fewer do not, which may be a few of very many.
func newest[T any](items *slab.Ring[T], n int) slab.Ring[T] {
	if items.Len() <= n {
		return items.Share()
	}
	var copied slab.Ring[T]
	copied.PushBack(items.AppendLast(nil, n)...)
	return copied
}
