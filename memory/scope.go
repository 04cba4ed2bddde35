package memory

import (
	"context"
	"errors"
	"fmt"
)

// Scope is all the working memory of an agent, of one of its turns, or of a tool
// in it: a queue of what came last, a pool of what is kept by id, the entities
// that tools returned, and items by importance. An agent that delegates gives its
// sub-agent a Branch.
//
//	agent ── Branch ──▶ turn ── Branch ──▶ tool
//
// It is safe for concurrent use, as its parts are. Make one with NewScope.
type Scope struct {
	queue   *Queue[ContextItem]
	pool    *Pool
	context *WorkingContext
	items   *ItemStore
}

// ScopeOptions are the parts of a Scope, which owns them from then on. The zero
// value is useful.
type ScopeOptions struct {
	// Queue holds items without an id. nil means an empty one of DefaultQueueLimit.
	Queue *Queue[ContextItem]
	// Pool holds items with an id. nil means an empty one without a limit.
	Pool *Pool
	// Context holds the entities that tools returned. nil means an empty one with default options.
	Context *WorkingContext
	// Items holds what happened, by importance. nil means an empty one with
	// default options.
	Items *ItemStore
}

// NewScope makes a scope. nil options mean the defaults.
func NewScope(opts *ScopeOptions) *Scope {
	if opts == nil {
		opts = &ScopeOptions{}
	}
	s := &Scope{queue: opts.Queue, pool: opts.Pool, context: opts.Context, items: opts.Items}
	if s.queue == nil {
		s.queue = new(Queue[ContextItem])
	}
	if s.pool == nil {
		s.pool = new(Pool)
	}
	if s.context == nil {
		s.context = new(WorkingContext)
	}
	if s.items == nil {
		s.items, _ = NewItemStore(nil) // the defaults are in order
	}
	return s
}

// Queue returns the scope's queue.
func (s *Scope) Queue() *Queue[ContextItem] { return s.queue }

// Pool returns the scope's pool.
func (s *Scope) Pool() *Pool { return s.pool }

// Context returns the scope's working context.
func (s *Scope) Context() *WorkingContext { return s.context }

// Items returns the scope's item store.
func (s *Scope) Items() *ItemStore { return s.items }

// Route puts items where they belong: those without an id into the queue, all
// of them by one Append, and those with an id into the pool.
//
// An item that the pool refuses keeps no other from its place. The error joins
// one for each of them that names its index, and wraps ErrNoDescription where an
// item has an id but no description, or what a hook returned.
func (s *Scope) Route(ctx context.Context, items ...ContextItem) error {
	var queued []ContextItem
	var errs []error
	for i, item := range items {
		if item.ID == "" {
			queued = append(queued, item)
		} else if err := s.pool.Add(ctx, item); err != nil {
			errs = append(errs, fmt.Errorf("memory: routing item %d: %w", i, err))
		}
	}
	if len(queued) > 0 {
		if err := s.queue.Append(ctx, queued...); err != nil {
			errs = append(errs, fmt.Errorf("memory: routing %d items to the queue: %w", len(queued), err))
		}
	}
	return errors.Join(errs...)
}

// ScopeBranchOptions say what a branch does not inherit. The zero value inherits
// everything.
type ScopeBranchOptions struct {
	// Queue is for the queue's Branch.
	Queue *QueueBranchOptions[ContextItem]
	// Pool is for the pool's Branch.
	Pool *PoolBranchOptions
}

// Branch returns a scope that begins with what this one holds, and then goes its
// own way: neither sees what the other takes in. The parts are copied one after
// the other. nil options inherit everything. The errors are those of Queue.Branch
// and Pool.Branch.
func (s *Scope) Branch(opts *ScopeBranchOptions) (*Scope, error) {
	if opts == nil {
		opts = &ScopeBranchOptions{}
	}
	queue, err := s.queue.Branch(opts.Queue)
	if err != nil {
		return nil, err
	}
	pool, err := s.pool.Branch(opts.Pool)
	if err != nil {
		return nil, err
	}
	return &Scope{queue: queue, pool: pool, context: s.context.Branch(), items: s.items.Branch()}, nil
}
