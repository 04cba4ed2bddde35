package queue

import "github.com/go-workingmemory/workingmemory/internal/slab"

// PoolBranchOptions says in what a branch differs. A nil field means the same as
// in the pool it comes from; what a field points to is used as it is, also where
// that is nothing: new(0) is no limit, &PoolHooks{} no hooks.
type PoolBranchOptions struct {
	Limit *int
	Hooks *PoolHooks
}

// Branch returns an independent copy of the pool, in time proportional to its
// length. A smaller limit takes over the newest items. The registry is the same.
// nil options mean no difference. Errors as in NewPool.
func (p *Pool) Branch(opts *PoolBranchOptions) (*Pool, error) {
	if opts == nil {
		opts = new(PoolBranchOptions)
	}
	branch := &Pool{registry: p.registry, made: p.made}
	if opts.Limit != nil {
		if err := checkPoolLimit(*opts.Limit); err != nil {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if opts.Limit == nil {
		branch.limit = p.limit
	}
	if opts.Hooks == nil {
		branch.hooks = p.hooks
	}
	branch.copyFrom(&p.items)
	return branch, nil
}

// copyFrom makes a copy of items, but for the oldest that do not fit, those of a new
// pool.
func (p *Pool) copyFrom(items *slab.Keyed[ContextItem]) {
	if items.Len() <= p.capacity() {
		p.items = items.Clone()
		return
	}
	h := items.Front()
	for range items.Len() - p.capacity() {
		h = items.Next(h)
	}
	for ; h != slab.None; h = items.Next(h) {
		p.items.PushBack(items.At(h).ID, *items.At(h))
	}
}
