package queue

import (
	"context"
	"errors"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Add puts an item in. One with the same id is replaced and keeps its place, and
// nothing falls out; a new one makes the oldest fall out if the pool is full.
// Hooks are called in the order BeforeAdd, OnEvict, AfterAdd: an error of the
// first leaves the pool as it was, one of the others is returned with the item
// in. Panics of hooks become errors that wrap memory.ErrPanic.
//
// Errors: memory.ErrNoID, ErrNoDescription, memory.ErrTooLong for an id of more than
// memory.MaxIDBytes, memory.ErrInvalidID. In a pool with hooks one change waits for
// another to end. If ctx ends first, its error is returned, and the pool is as it was. A
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

// Remove takes an item out. Errors: *memory.NotFoundError, before hooks are called;
// otherwise as in Add.
func (p *Pool) Remove(ctx context.Context, id string) error {
	if p.lockPlain() {
		defer p.mu.Unlock()
		_, err := p.drop(id)
		return err
	}
	return p.turn.do(ctx, func(ctx context.Context) error { return p.remove(ctx, id) })
}

// Clear removes all items, and releases their memory. Errors as in Add.
func (p *Pool) Clear(ctx context.Context) error {
	if p.lockPlain() {
		defer p.mu.Unlock()
		p.items = slab.Keyed[ContextItem]{}
		return nil
	}
	return p.turn.do(ctx, p.clear)
}

// lockPlain locks the pool and returns true if no hooks need to be called.
func (p *Pool) lockPlain() bool {
	p.mu.Lock()
	if p.hooks == nil {
		return true
	}
	p.mu.Unlock()
	return false
}

// add is Add when it is its turn: only UnmarshalJSON can change the pool concurrently.
func (p *Pool) add(ctx context.Context, item ContextItem) error {
	hooks := p.currentHooks()
	if err := callEach(ctx, "before_add", hooks.BeforeAdd, p.event(item)); err != nil {
		return err
	}
	var fallen []ContextItem
	p.mu.Lock()
	p.put(item, &fallen)
	p.mu.Unlock()
	var onEvict error
	if len(fallen) > 0 {
		onEvict = callAll(ctx, "on_evict", hooks.OnEvict, p.event(fallen...))
	}
	return errors.Join(onEvict, callAll(ctx, "after_add", hooks.AfterAdd, p.event(item)))
}

// remove is Remove when it is its turn.
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
	item, err = p.drop(id)
	p.mu.Unlock()
	if err != nil { // UnmarshalJSON came in between
		return err
	}
	return callAll(ctx, "after_remove", hooks.AfterRemove, p.event(item))
}

// clear is Clear when it is its turn.
func (p *Pool) clear(ctx context.Context) error {
	items, hooks := p.Items(), p.currentHooks()
	if err := callEach(ctx, "before_clear", hooks.BeforeClear, p.event(items...)); err != nil {
		return err
	}
	p.mu.Lock()
	items = p.copied() // UnmarshalJSON may have come in between
	p.items = slab.Keyed[ContextItem]{}
	p.mu.Unlock()
	return callAll(ctx, "after_clear", hooks.AfterClear, p.event(items...))
}

// currentHooks returns the hooks, which are not to be changed.
func (p *Pool) currentHooks() PoolHooks {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hooks == nil {
		return PoolHooks{}
	}
	return *p.hooks
}

// event returns what makes the event for a hook.
func (p *Pool) event(subject ...ContextItem) func() HookEvent[ContextItem] {
	return func() HookEvent[ContextItem] {
		return HookEvent[ContextItem]{Items: p.Items(), Subject: slices.Clone(subject)}
	}
}

// put adds or replaces an item of a pool that is locked. What falls out is
// appended to fallen, unless that is nil.
func (p *Pool) put(item ContextItem, fallen *[]ContextItem) {
	if h := p.items.Find(item.ID); h != slab.None {
		*p.items.At(h) = item
		return
	}
	if p.items.Len() >= p.capacity() {
		oldest := p.items.Front()
		if fallen != nil {
			*fallen = append(*fallen, *p.items.At(oldest))
		}
		p.items.Remove(oldest)
	}
	p.items.PushBack(item.ID, item)
}

// drop removes and returns an item of a pool that is locked, and releases memory if
// most of what the pool occupies is not in use. Errors: *memory.NotFoundError.
func (p *Pool) drop(id string) (ContextItem, error) {
	h := p.items.Find(id)
	if h == slab.None {
		return ContextItem{}, &memory.NotFoundError{ID: id}
	}
	item := *p.items.At(h)
	p.items.Remove(h)
	p.items.Compact()
	return item, nil
}
