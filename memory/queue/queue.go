package queue

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// DefaultLimit is the limit of the zero Queue (seed 003).
const DefaultLimit = 10

// ErrLimit is returned for a limit that is negative, zero where a limit is required, or
// more than 1<<30.
var ErrLimit = errors.New("queue: limit is out of range")

// Queue is a bounded list of items: when it is full, a new item evicts the oldest. It
// is safe for concurrent use; readers see all items of an Append or none. The zero
// value is an empty queue of DefaultLimit items without compaction and hooks. It must
// not be copied; see Branch.
//
// Items are copied shallowly: what they point to is shared with the caller and with
// branches.
//
// Without compaction and hooks, Append takes constant time per item, whatever the
// limit, and does not allocate once the queue is full. Compaction and hooks receive
// copies of all items.
type Queue[T any] struct {
	registry *HookRegistry[T] // immutable
	made     *Hooks[T]        // the initial hooks, nil if none; immutable
	compact  CompactFunc[T]   // immutable
	turn     turn             // held by changes that call hooks or compact

	mu       sync.Mutex
	items    slab.Ring[T] // oldest first
	limit    int          // 0 means DefaultLimit
	hooks    *Hooks[T]
	restored uint64 // number of states restored
}

// Options configures a Queue. The zero value is useful.
type Options[T any] struct {
	// Compact rewrites the items before others are appended. If nil, they are not
	// rewritten.
	Compact CompactFunc[T]
	// Hooks are called when items are appended. The zero value has none.
	Hooks Hooks[T]
	// Registry finds the hooks named by a JSON state. If nil, they are looked up among
	// Hooks.
	Registry *HookRegistry[T]
}

// Hooks are the hooks of a Queue. The hooks of each list are called in order.
type Hooks[T any] struct {
	// BeforeAppend hooks receive the items to be appended. The first error stops the
	// append: the remaining hooks are not called, and the queue is unchanged.
	BeforeAppend []*Hook[T]
	// AfterAppend hooks receive the appended items. All are called; their errors are
	// returned, but the items stay.
	AfterAppend []*Hook[T]
	// OnEvict hooks receive the items evicted because of the limit, oldest first,
	// before the AfterAppend hooks are called. Appended items that did not fit are
	// included; items dropped by a compaction, Clear, Branch or UnmarshalJSON are not.
	// Errors are handled as for AfterAppend.
	OnEvict []*Hook[T]
}

func (h *Hooks[T]) points() hookPoints[T] {
	return hookPoints[T]{
		{"before_append", &h.BeforeAppend},
		{"after_append", &h.AfterAppend},
		{"on_evict", &h.OnEvict},
	}
}

// clone checks the hooks and returns a copy, or nil if there are none. Errors:
// ErrHookName, ErrHookTaken.
func (h Hooks[T]) clone() (*Hooks[T], error) {
	if empty, err := h.points().adopt(); empty || err != nil {
		return nil, err
	}
	return &h, nil
}

// New returns an empty queue of at most limit items, 1 to 1<<30. Memory is allocated as
// items arrive. If opts is nil, the defaults are used. Errors: ErrLimit; ErrHookName for
// a hook that is nil or has no name; ErrHookTaken for two hooks with the same name,
// which a state could not distinguish.
func New[T any](limit int, opts *Options[T]) (*Queue[T], error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	if opts == nil {
		return &Queue[T]{limit: limit}, nil
	}
	hooks, err := opts.Hooks.clone()
	if err != nil {
		return nil, err
	}
	return &Queue[T]{
		registry: opts.Registry, made: hooks, compact: opts.Compact,
		limit: limit, hooks: hooks,
	}, nil
}

func checkLimit(limit int) error {
	if limit < 1 || limit > slab.MaxLen {
		return fmt.Errorf("%w: %d", ErrLimit, limit)
	}
	return nil
}

// Items returns the items, oldest first. The caller owns the slice.
func (q *Queue[T]) Items() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.copyItems()
}

// copyItems returns a copy of the items. The queue must be locked.
func (q *Queue[T]) copyItems() []T {
	return q.items.AppendTo(make([]T, 0, q.items.Len()))
}

// All iterates over a snapshot, oldest first. The snapshot is taken when a loop
// starts; the loop may change the queue. The items are copied only if the queue changes
// during the loop.
func (q *Queue[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		q.mu.Lock()
		items := q.items.Share()
		q.mu.Unlock()
		defer items.Release()
		items.All(yield)
	}
}

// Len returns the number of items.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items.Len()
}

// Limit returns the maximum number of items.
func (q *Queue[T]) Limit() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.capacity()
}

// capacity returns the limit. The queue must be locked.
func (q *Queue[T]) capacity() int {
	if q.limit == 0 {
		return DefaultLimit
	}
	return q.limit
}
