package queue

import (
	"iter"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Pool keeps context items by their ids, in the order in which they came. When it
// has a limit and is full, a new item makes the oldest one fall out; one with a
// known id takes the place of that one. It is safe for concurrent use. The zero
// value is an empty pool without limit and hooks. It must not be copied; see
// Branch.
//
// Add, Get and Remove take constant time, whatever the limit; hooks are given
// copies of all items.
type Pool struct {
	registry *HookRegistry[ContextItem] // as given; never changes
	made     *PoolHooks                 // the hooks it was made with, nil if none; never changes
	turn     turn                       // of changes that call hooks

	mu    sync.Mutex
	items slab.Keyed[ContextItem] // the oldest in front
	limit int                     // 0 means none
	hooks *PoolHooks
}

// PoolOptions configures a Pool. The zero value is useful.
type PoolOptions struct {
	// Limit is how many items fit, at most 1<<30. 0 means that this is the limit,
	// which is none. Memory is taken as items come, not ahead.
	Limit int
	// Hooks are called when the pool changes. The zero value has none.
	Hooks PoolHooks
	// Registry finds the hooks that a JSON state names. nil means that they are
	// among those that the pool was made with.
	Registry *HookRegistry[ContextItem]
}

// PoolHooks are the hooks of a Pool. Those of each list are called in its order.
// An error of a Before hook stops the change: the hooks behind are not called,
// the pool stays as it is. After the change all hooks are called, and their
// errors returned.
type PoolHooks struct {
	// BeforeAdd and AfterAdd hooks are told of the item that is added, or takes
	// the place of another.
	BeforeAdd, AfterAdd []*Hook[ContextItem]
	// BeforeRemove and AfterRemove hooks are told of the item that is removed.
	BeforeRemove, AfterRemove []*Hook[ContextItem]
	// BeforeClear and AfterClear hooks are told of all items, also if there are none.
	BeforeClear, AfterClear []*Hook[ContextItem]
	// OnEvict hooks are told of the item that fell out because of the limit,
	// before the AfterAdd hooks are called. What was removed, replaced, or not
	// taken over by a branch did not fall out.
	OnEvict []*Hook[ContextItem]
}

func (h *PoolHooks) points() hookPoints[ContextItem] {
	return hookPoints[ContextItem]{
		{"before_add", &h.BeforeAdd},
		{"after_add", &h.AfterAdd},
		{"before_remove", &h.BeforeRemove},
		{"after_remove", &h.AfterRemove},
		{"before_clear", &h.BeforeClear},
		{"after_clear", &h.AfterClear},
		{"on_evict", &h.OnEvict},
	}
}

// checked returns a copy of the hooks, nil if there are none. Errors:
// ErrHookName, ErrHookTaken.
func (h PoolHooks) checked() (*PoolHooks, error) {
	if empty, err := h.points().adopt(); empty || err != nil {
		return nil, err
	}
	return &h, nil
}

// NewPool makes an empty pool. nil options mean the defaults. Errors: ErrLimit for
// a negative limit or one over 1<<30; ErrHookName for a hook that is nil or has no
// name; ErrHookTaken for two hooks with one name, which a state could not tell
// apart.
func NewPool(opts *PoolOptions) (*Pool, error) {
	if opts == nil {
		return new(Pool), nil
	}
	if err := checkPoolLimit(opts.Limit); err != nil {
		return nil, err
	}
	hooks, err := opts.Hooks.checked()
	if err != nil {
		return nil, err
	}
	return &Pool{registry: opts.Registry, made: hooks, limit: opts.Limit, hooks: hooks}, nil
}

// checkPoolLimit is checkLimit for a limit that may be none.
func checkPoolLimit(limit int) error {
	if limit == 0 {
		return nil
	}
	return checkLimit(limit)
}

// Get returns the item with an id. Errors: *memory.NotFoundError.
func (p *Pool) Get(id string) (ContextItem, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.items.Find(id)
	if h == slab.None {
		return ContextItem{}, &memory.NotFoundError{ID: id}
	}
	return *p.items.At(h), nil
}

// Items returns the items in the order in which they came. The slice is the
// caller's.
func (p *Pool) Items() []ContextItem {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.copied()
}

// All iterates over a snapshot, in the order of Items. Each loop takes its own
// when it starts, and may change the pool.
func (p *Pool) All() iter.Seq[ContextItem] {
	return func(yield func(ContextItem) bool) {
		for _, item := range p.Items() {
			if !yield(item) {
				return
			}
		}
	}
}

// Len returns the number of items.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.items.Len()
}

// Limit returns how many items fit, 0 if there is no limit.
func (p *Pool) Limit() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit
}

// Catalogue lists what there is to ask for, a line "- [id] description" for each
// item in the order of Items, "" for none. Lines are joined by "\n". Ids and
// descriptions may be written by strangers: what could pass for another line, for
// the end of an id, or for anything but text is escaped as in a JSON string.
func (p *Pool) Catalogue() string {
	var list []byte
	for i, item := range p.Items() {
		if i > 0 {
			list = append(list, '\n')
		}
		list = append(list, "- ["...)
		list = plaintext.AppendEscaped(list, item.ID, plaintext.InBrackets)
		list = append(list, "] "...)
		list = plaintext.AppendEscaped(list, item.Description, plaintext.InQuotes)
	}
	return string(list)
}

// copied is Items of a pool that is locked.
func (p *Pool) copied() []ContextItem {
	items := make([]ContextItem, 0, p.items.Len())
	for h := p.items.Front(); h != slab.None; h = p.items.Next(h) {
		items = append(items, *p.items.At(h))
	}
	return items
}

// capacity is how many items fit into a pool that is locked.
func (p *Pool) capacity() int {
	if p.limit == 0 {
		return slab.MaxLen
	}
	return p.limit
}
