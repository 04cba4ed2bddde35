package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// Workspace is all the working memory of an agent, of one of its turns, or of a tool
// in it: a queue of what came last, a pool of what is kept by id, the entities
// that tools returned, and items by importance. An agent that delegates gives its
// sub-agent a Branch.
//
//	agent ── Branch ──▶ turn ── Branch ──▶ tool
//
// It is safe for concurrent use, as its parts are. Make one with New.
type Workspace struct {
	queue   *queue.Queue[queue.ContextItem]
	pool    *queue.Pool
	context *memory.WorkingContext
	items   *items.Store
}

// Options are the parts of a Workspace, which owns them from then on. The zero
// value is useful.
type Options struct {
	// Queue holds items without an id. nil means an empty one of queue.DefaultLimit.
	Queue *queue.Queue[queue.ContextItem]
	// Pool holds items with an id. nil means an empty one without a limit.
	Pool *queue.Pool
	// Context holds the entities that tools returned. nil means an empty one with default options.
	Context *memory.WorkingContext
	// Items holds what happened, by importance. nil means an empty one with
	// default options.
	Items *items.Store
}

// New makes a workspace. nil options mean the defaults.
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
		s.items, _ = items.New(nil) // the defaults are in order
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

// Route puts items where they belong: those without an id into the queue, all
// of them by one Append, and those with an id into the pool.
//
// An item that the pool refuses keeps no other from its place. The error joins
// one for each of them that names its index, and wraps queue.ErrNoDescription where an
// item has an id but no description, or what a hook returned.
func (s *Workspace) Route(ctx context.Context, items ...queue.ContextItem) error {
	var queued []queue.ContextItem
	var errs []error
	for i, item := range items {
		if item.ID == "" {
			queued = append(queued, item)
		} else if err := s.pool.Add(ctx, item); err != nil {
			errs = append(errs, fmt.Errorf("workspace: routing item %d: %w", i, err))
		}
	}
	if len(queued) > 0 {
		if err := s.queue.Append(ctx, queued...); err != nil {
			errs = append(errs, fmt.Errorf("workspace: routing %d items to the queue: %w", len(queued), err))
		}
	}
	return errors.Join(errs...)
}

// BranchOptions say what a branch does not inherit. The zero value inherits
// everything.
type BranchOptions struct {
	// Queue is for the queue's Branch.
	Queue *queue.BranchOptions[queue.ContextItem]
	// Pool is for the pool's Branch.
	Pool *queue.PoolBranchOptions
}

// Branch returns a workspace that begins with what this one holds, and then goes its
// own way: neither sees what the other takes in. The parts are copied one after
// the other. nil options inherit everything. The errors are those of Queue.Branch
// and Pool.Branch.
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
