package queue

import (
	"iter"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Pool keeps context items by id, in the order in which they were added. If it has a
// limit and is full, a new item evicts the oldest. An item whose id is present replaces
// the old item. A Pool is safe for concurrent use. The zero value is an empty pool
// without limit and hooks. It must not be copied; see Branch.
//
// Add, Get and Remove take constant time, whatever the limit; hooks receive copies of
// all items.
type Pool struct {
	registry *HookRegistry[ContextItem] // immutable
	made     *PoolHooks                 // the initial hooks, nil if none; immutable
	turn     turn                       // held by changes that call hooks

	mu    sync.Mutex
	items slab.Keyed[ContextItem] // oldest first
	limit int                     // 0 means none
	hooks *PoolHooks
}

// PoolOptions configures a Pool. The zero value is useful.
type PoolOptions struct {
	// Limit is the maximum number of items, at most 1<<30. 0 means that there is no
	// limit. Memory is allocated as items arrive.
	Limit int
	// Hooks are called when the pool changes. The zero value has none.
	Hooks PoolHooks
	// Registry finds the hooks named by a JSON state. If nil, they are looked up among
	// Hooks.
	Registry *HookRegistry[ContextItem]
}

// PoolHooks are the hooks of a Pool. The hooks of each list are called in order. An
// error of a Before hook stops the change: the remaining hooks are not called, and the
// pool is unchanged. After a change all hooks are called, and their errors are returned.
type PoolHooks struct {
	// BeforeAdd and AfterAdd hooks receive the item that is added or replaces another.
	BeforeAdd, AfterAdd []*Hook[ContextItem]
	// BeforeRemove and AfterRemove hooks receive the item that is removed.
	BeforeRemove, AfterRemove []*Hook[ContextItem]
	// BeforeClear and AfterClear hooks receive all items, even if the pool is empty.
	BeforeClear, AfterClear []*Hook[ContextItem]
	// OnEvict hooks receive the item evicted because of the limit, before the AfterAdd
	// hooks are called. Items that are removed, replaced or dropped by Branch are not
	// evicted.
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

// clone checks the hooks and returns a copy, or nil if there are none. Errors:
// ErrHookName, ErrHookTaken.
func (h PoolHooks) clone() (*PoolHooks, error) {
	if empty, err := h.points().adopt(); empty || err != nil {
		return nil, err
	}
	return &h, nil
}

// NewPool returns an empty pool. If opts is nil, the defaults are used. Errors: ErrLimit
// for a limit that is negative or more than 1<<30; ErrHookName for a hook that is nil or
// has no name; ErrHookTaken for two hooks with the same name, which a state could not
// distinguish.
func NewPool(opts *PoolOptions) (*Pool, error) {
	if opts == nil {
		return new(Pool), nil
	}
	if err := checkPoolLimit(opts.Limit); err != nil {
		return nil, err
	}
	hooks, err := opts.Hooks.clone()
	if err != nil {
		return nil, err
	}
	return &Pool{registry: opts.Registry, made: hooks, limit: opts.Limit, hooks: hooks}, nil
}

// checkPoolLimit is like checkLimit but accepts 0.
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

// Items returns the items in the order in which they were added. The caller owns the
// slice.
func (p *Pool) Items() []ContextItem {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.copyItems()
}

// All iterates over a snapshot, in the order of Items. The snapshot is taken when a
// loop starts; the loop may change the pool.
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

// Limit returns the maximum number of items, or 0 if there is no limit.
func (p *Pool) Limit() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit
}

// Catalogue lists the items for a model, in the order of Items, as lines
// "- [id] description" joined by "\n". It returns "" if there are none. Ids and
// descriptions are untrusted: characters that could end a line or an id, or are not
// plain text, are escaped as in a JSON string.
func (p *Pool) Catalogue() string {
	var list []byte
	for i, item := range p.Items() {
		if i > 0 {
			list = append(list, '\n')
		}
		list = append(list, "- ["...)
		list = inert.AppendEscaped(list, item.ID, inert.InBrackets)
		list = append(list, "] "...)
		list = inert.AppendEscaped(list, item.Description, inert.InQuotes)
	}
	return string(list)
}

// copyItems returns a copy of the items. The pool must be locked.
func (p *Pool) copyItems() []ContextItem {
	items := make([]ContextItem, 0, p.items.Len())
	for h := p.items.Front(); h != slab.None; h = p.items.Next(h) {
		items = append(items, *p.items.At(h))
	}
	return items
}

// capacity returns the maximum number of items. The pool must be locked.
func (p *Pool) capacity() int {
	if p.limit == 0 {
		return slab.MaxLen
	}
	return p.limit
}
