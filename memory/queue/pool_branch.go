package queue

import "github.com/go-workingmemory/workingmemory/internal/slab"

// PoolBranchOptions describes how a branch differs from its pool. A nil field is
// inherited. Other values are used as they are: new(0) means no limit, and &PoolHooks{}
// no hooks.
type PoolBranchOptions struct {
	Limit *int
	Hooks *PoolHooks
}

// Branch returns an independent copy of the pool, in time proportional to its length.
// With a smaller limit, the newest items are copied. The registry is shared. If opts is
// nil, everything is inherited. Errors are those of NewPool.
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
		hooks, err := opts.Hooks.clone()
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

// copyFrom copies the newest items that fit into a new pool.
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
