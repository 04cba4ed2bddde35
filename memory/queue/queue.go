package queue

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// DefaultLimit is how many items a Queue keeps whose limit nobody chose (seed 003).
const DefaultLimit = 10

// ErrLimit says that a limit is not a number of items that a collection can have.
var ErrLimit = errors.New("queue: limit is out of range")

// Queue is a bounded list of items: when it is full, a new item makes the oldest
// one fall out. It is safe for concurrent use; readers see all items of an Append
// or none. The zero value is an empty queue of DefaultLimit items without
// compaction and hooks. It must not be copied; see Branch.
//
// Items are kept as they are, not deeply copied: what they point to is shared
// with the caller and with branches.
//
// Without compaction and hooks Append takes constant time for an item, whatever
// the limit, and nothing is allocated once the queue is full. Compaction and
// hooks are given copies of all items.
type Queue[T any] struct {
	registry *HookRegistry[T] // as given; never changes
	made     *Hooks[T]        // the hooks it was made with, nil if none; never changes
	compact  CompactFunc[T]   // never changes
	turn     turn             // of changes that call hooks or compact

	mu       sync.Mutex
	items    slab.Ring[T] // the oldest in front
	limit    int          // 0 means DefaultLimit
	hooks    *Hooks[T]
	restored uint64 // how often UnmarshalJSON has replaced the items
}

// Options configures a Queue. The zero value is useful.
type Options[T any] struct {
	// Compact rewrites the items before others are appended. nil means that they
	// stay as they are.
	Compact CompactFunc[T]
	// Hooks are called when items are appended. The zero value has none.
	Hooks Hooks[T]
	// Registry finds the hooks that a JSON state names. nil means that they are
	// among those that the queue was made with.
	Registry *HookRegistry[T]
}

// Hooks are the hooks of a Queue. Those of each list are called in its order.
type Hooks[T any] struct {
	// BeforeAppend hooks are told of the items to be appended. The first error
	// stops the append: the hooks behind are not called, the queue stays as it is.
	BeforeAppend []*Hook[T]
	// AfterAppend hooks are told of the items that were appended. All are called;
	// their errors are returned, the items stay.
	AfterAppend []*Hook[T]
	// OnEvict hooks are told of the items that fell out because of the limit,
	// oldest first, before the AfterAppend hooks are called; appended ones that
	// never fitted are among them. What a compaction left out, Clear removed,
	// a branch did not take over or UnmarshalJSON replaced did not fall out. Errors
	// as with AfterAppend.
	OnEvict []*Hook[T]
}

func (h *Hooks[T]) points() hookPoints[T] {
	return hookPoints[T]{
		{"before_append", &h.BeforeAppend},
		{"after_append", &h.AfterAppend},
		{"on_evict", &h.OnEvict},
	}
}

// checked returns a copy of the hooks, nil if there are none. Errors:
// ErrHookName, ErrHookTaken.
func (h Hooks[T]) checked() (*Hooks[T], error) {
	if empty, err := h.points().adopt(); empty || err != nil {
		return nil, err
	}
	return &h, nil
}

// New makes an empty queue of at most limit items, 1 to 1<<30. Memory is
// taken as items come, not ahead. nil options mean the defaults. Errors: ErrLimit;
// ErrHookName for a hook that is nil or has no name; ErrHookTaken for two hooks
// with one name, which a state could not tell apart.
func New[T any](limit int, opts *Options[T]) (*Queue[T], error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	if opts == nil {
		return &Queue[T]{limit: limit}, nil
	}
	hooks, err := opts.Hooks.checked()
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

// Items returns the items, oldest first. The slice is the caller's.
func (q *Queue[T]) Items() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.copied()
}

// copied is Items of a queue that is locked.
func (q *Queue[T]) copied() []T {
	return q.items.AppendTo(make([]T, 0, q.items.Len()))
}

// All iterates over a snapshot, oldest first. Each loop takes its own when it
// starts, and may change the queue; the items are copied only if somebody does.
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

// Limit returns how many items fit.
func (q *Queue[T]) Limit() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.capacity()
}

// capacity is Limit of a queue that is locked.
func (q *Queue[T]) capacity() int {
	if q.limit == 0 {
		return DefaultLimit
	}
	return q.limit
}
