package queue

import (
	"context"
	"errors"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Add adds an item. An item with the same id is replaced in its place, without an
// eviction; otherwise the oldest item is evicted if the pool is full. Hooks are called
// in the order BeforeAdd, OnEvict, AfterAdd. After an error of a BeforeAdd hook the pool
// is unchanged; after one of the others the item has been added. Panics of hooks become
// errors that wrap memory.ErrPanic.
//
// Errors: memory.ErrNoID, ErrNoDescription, memory.ErrTooLong for an id of more than
// memory.MaxIDBytes, memory.ErrInvalidID. In a pool with hooks, changes wait for each
// other. If ctx ends while waiting, its error is returned and the pool is unchanged. A
// call with the context of a hook of the pool fails with ErrReentrant; see NewHook.
func (p *Pool) Add(ctx context.Context, item ContextItem) error {
	if err := item.checkForPool(); err != nil {
		return err
	}
	if p.lockPlain() {
		defer p.mu.Unlock()
		p.put(item, nil)
		return nil
	}
	return p.turn.do(ctx, func(ctx context.Context) error { return p.add(ctx, item) })
}

// Remove removes an item. It returns a *memory.NotFoundError, before hooks are called,
// if the item is not present. Other errors are those of Add.
func (p *Pool) Remove(ctx context.Context, id string) error {
	if p.lockPlain() {
		defer p.mu.Unlock()
		_, err := p.delete(id)
		return err
	}
	return p.turn.do(ctx, func(ctx context.Context) error { return p.remove(ctx, id) })
}

// Clear removes all items and releases their memory. Errors are those of Add.
func (p *Pool) Clear(ctx context.Context) error {
	if p.lockPlain() {
		defer p.mu.Unlock()
		p.items = slab.Keyed[ContextItem]{}
		return nil
	}
	return p.turn.do(ctx, p.clear)
}

// lockPlain locks the pool and returns true if the pool has no hooks. Otherwise it
// returns false without locking.
func (p *Pool) lockPlain() bool {
	p.mu.Lock()
	if p.hooks == nil {
		return true
	}
	p.mu.Unlock()
	return false
}

// add implements Add while the turn is held: only UnmarshalJSON can change the pool
// concurrently.
func (p *Pool) add(ctx context.Context, item ContextItem) error {
	hooks := p.currentHooks()
	if err := callEach(ctx, "before_add", hooks.BeforeAdd, p.event(item)); err != nil {
		return err
	}
	var evicted []ContextItem
	p.mu.Lock()
	p.put(item, &evicted)
	p.mu.Unlock()
	var onEvict error
	if len(evicted) > 0 {
		onEvict = callAll(ctx, "on_evict", hooks.OnEvict, p.event(evicted...))
	}
	return errors.Join(onEvict, callAll(ctx, "after_add", hooks.AfterAdd, p.event(item)))
}

// remove implements Remove while the turn is held.
func (p *Pool) remove(ctx context.Context, id string) error {
	item, err := p.Get(id)
	if err != nil {
		return err
	}
	hooks := p.currentHooks()
	if err := callEach(ctx, "before_remove", hooks.BeforeRemove, p.event(item)); err != nil {
		return err
	}
	p.mu.Lock()
	item, err = p.delete(id)
	p.mu.Unlock()
	if err != nil { // UnmarshalJSON was called by a hook or concurrently
		return err
	}
	return callAll(ctx, "after_remove", hooks.AfterRemove, p.event(item))
}

// clear implements Clear while the turn is held.
func (p *Pool) clear(ctx context.Context) error {
	items, hooks := p.Items(), p.currentHooks()
	if err := callEach(ctx, "before_clear", hooks.BeforeClear, p.event(items...)); err != nil {
		return err
	}
	p.mu.Lock()
	items = p.copyItems() // UnmarshalJSON may have been called since
	p.items = slab.Keyed[ContextItem]{}
	p.mu.Unlock()
	return callAll(ctx, "after_clear", hooks.AfterClear, p.event(items...))
}

// currentHooks returns the hooks, which must not be modified.
func (p *Pool) currentHooks() PoolHooks {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hooks == nil {
		return PoolHooks{}
	}
	return *p.hooks
}

// event returns a function that makes an event for a hook.
func (p *Pool) event(subject ...ContextItem) func() HookEvent[ContextItem] {
	return func() HookEvent[ContextItem] {
		return HookEvent[ContextItem]{Items: p.Items(), Subject: slices.Clone(subject)}
	}
}

// put adds or replaces an item of a locked pool. An evicted item is appended to evicted
// unless it is nil.
func (p *Pool) put(item ContextItem, evicted *[]ContextItem) {
	if h := p.items.Find(item.ID); h != slab.None {
		*p.items.At(h) = item
		return
	}
	if p.items.Len() >= p.capacity() {
		oldest := p.items.Front()
		if evicted != nil {
			*evicted = append(*evicted, *p.items.At(oldest))
		}
		p.items.Remove(oldest)
	}
	p.items.PushBack(item.ID, item)
}

// delete removes and returns an item of a locked pool, and releases memory if most of it
// is unused. Errors: *memory.NotFoundError.
func (p *Pool) delete(id string) (ContextItem, error) {
	h := p.items.Find(id)
	if h == slab.None {
		return ContextItem{}, &memory.NotFoundError{ID: id}
	}
	item := *p.items.At(h)
	p.items.Remove(h)
	p.items.Compact()
	return item, nil
}
