package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// Workspace is the working memory of an agent, of one of its turns, or of a tool: a
// queue of recent items, a pool of items by id, the entities that tools returned, and
// items by importance. An agent that delegates gives its sub-agent a Branch.
//
// A Workspace is safe for concurrent use. Use New to create one.
type Workspace struct {
	queue   *queue.Queue[queue.ContextItem]
	pool    *queue.Pool
	context *memory.WorkingContext
	items   *items.Store
}

// Options are the parts of a Workspace, which takes ownership of them. The zero value is
// useful.
type Options struct {
	// Queue holds items without an id. If nil, an empty queue of queue.DefaultLimit is
	// used.
	Queue *queue.Queue[queue.ContextItem]
	// Pool holds items with an id. If nil, an empty pool without a limit is used.
	Pool *queue.Pool
	// Context holds the entities that tools returned. If nil, an empty context with
	// default options is used.
	Context *memory.WorkingContext
	// Items holds items by importance. If nil, an empty store with default options is
	// used.
	Items *items.Store
}

// New returns a workspace. If opts is nil, the defaults are used.
func New(opts *Options) *Workspace {
	if opts == nil {
		opts = &Options{}
	}
	s := &Workspace{queue: opts.Queue, pool: opts.Pool, context: opts.Context, items: opts.Items}
	if s.queue == nil {
		s.queue = new(queue.Queue[queue.ContextItem])
	}
	if s.pool == nil {
		s.pool = new(queue.Pool)
	}
	if s.context == nil {
		s.context = new(memory.WorkingContext)
	}
	if s.items == nil {
		s.items, _ = items.New(nil) // the defaults are valid
	}
	return s
}

// Queue returns the workspace's queue.
func (s *Workspace) Queue() *queue.Queue[queue.ContextItem] { return s.queue }

// Pool returns the workspace's pool.
func (s *Workspace) Pool() *queue.Pool { return s.pool }

// Context returns the workspace's working context.
func (s *Workspace) Context() *memory.WorkingContext { return s.context }

// Items returns the workspace's item store.
func (s *Workspace) Items() *items.Store { return s.items }

// Route appends items without an id to the queue, in one Append, and adds those with an
// id to the pool.
//
// An item that the pool rejects does not prevent the others from being added. The error
// joins one error for each rejected item, which has its index and wraps the error of the
// pool, such as queue.ErrNoDescription.
func (s *Workspace) Route(ctx context.Context, items ...queue.ContextItem) error {
	var queued []queue.ContextItem
	var errs []error
	for i, item := range items {
		if item.ID == "" {
			queued = append(queued, item)
		} else if err := s.pool.Add(ctx, item); err != nil {
			errs = append(errs, fmt.Errorf("workspace: adding item %d to the pool: %w", i, err))
		}
	}
	if len(queued) > 0 {
		if err := s.queue.Append(ctx, queued...); err != nil {
			errs = append(errs, fmt.Errorf("workspace: appending %d items to the queue: %w", len(queued), err))
		}
	}
	return errors.Join(errs...)
}

// BranchOptions describes how a branch differs from its workspace. The zero value
// inherits everything.
type BranchOptions struct {
	// Queue has the options for Queue.Branch.
	Queue *queue.BranchOptions[queue.ContextItem]
	// Pool has the options for Pool.Branch.
	Pool *queue.PoolBranchOptions
}

// Branch returns an independent copy of the workspace. The parts are copied one after
// another, not atomically. If opts is nil, everything is inherited. The errors are those
// of Queue.Branch and Pool.Branch.
func (s *Workspace) Branch(opts *BranchOptions) (*Workspace, error) {
	if opts == nil {
		opts = &BranchOptions{}
	}
	queue, err := s.queue.Branch(opts.Queue)
	if err != nil {
		return nil, err
	}
	pool, err := s.pool.Branch(opts.Pool)
	if err != nil {
		return nil, err
	}
	return &Workspace{queue: queue, pool: pool, context: s.context.Branch(), items: s.items.Branch()}, nil
}
