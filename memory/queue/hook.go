package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
)

var (
	// ErrHookName says that a hook is nil or has no name.
	ErrHookName = errors.New("queue: hook has no name")
	// ErrHookTaken says that another hook has the name already.
	ErrHookTaken = errors.New("queue: another hook has this name")
)

// Hook is a function with a name, called when a Queue or a Pool changes. A state
// in JSON holds the name, and a HookRegistry finds the function again. Two hooks
// are the same only if they are one value: hooks are compared by pointer.
type Hook[T any] struct {
	name string
	run  func(context.Context, HookEvent[T]) error
}

// NewHook makes a hook. A nil run does nothing. An empty name is refused where
// the hook is to be used.
//
// run may read the collection that it is called for, branch it, replace its state
// by UnmarshalJSON, and change other collections. Any other change of the collection
// fails with ErrReentrant, from any goroutine, until run and the change that called
// it have returned. The collection recognizes such a call by its context: run must
// pass on the one that it receives, or one derived from it. With an unrelated
// context the call waits for the very change that it is part of, until that context
// ends. If run panics, the change fails with an error that wraps memory.ErrPanic.
//
// Changes of one collection call run one after the other; changes of several
// collections may call it at the same time. If one collection's hook changes a
// second and the second's the first, two simultaneous changes wait for each other
// until a context ends.
func NewHook[T any](name string, run func(ctx context.Context, e HookEvent[T]) error) *Hook[T] {
	return &Hook[T]{name: name, run: run}
}

// Name returns the name of the hook.
func (h *Hook[T]) Name() string { return h.name }

// HookEvent is what a hook is told. Each hook is given slices of its own.
type HookEvent[T any] struct {
	// Items are those of the collection, oldest first: as they are before the
	// change in a Before hook, as they are after it in all others.
	Items []T
	// Subject are the items that the event is about, oldest first: those to be
	// added or removed, those that were, or those that fell out.
	Subject []T
}

// call calls the hook at a point: "before_append", ….
func (h *Hook[T]) call(ctx context.Context, point string, e HookEvent[T]) error {
	if h.run == nil {
		return nil
	}
	if err := guard(func() error { return h.run(ctx, e) }); err != nil {
		return fmt.Errorf("queue: %s hook %q: %w", point, h.name, err)
	}
	return nil
}

// guard makes an error of a panic. Its text has what an error says, but nothing
// of any other value, which may be an item.
func guard(f func() error) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("%w: %w", memory.ErrPanic, value)
		default:
			err = fmt.Errorf("%w: %T", memory.ErrPanic, value)
		}
	}()
	return f()
}

// callEach calls hooks in order until one fails.
func callEach[T any](ctx context.Context, point string, hooks []*Hook[T], event func() HookEvent[T]) error {
	for _, h := range hooks {
		if err := h.call(ctx, point, event()); err != nil {
			return err
		}
	}
	return nil
}

// callAll calls all hooks in order, whether or not some fail, and joins their errors.
func callAll[T any](ctx context.Context, point string, hooks []*Hook[T], event func() HookEvent[T]) error {
	var errs []error
	for _, h := range hooks {
		errs = append(errs, h.call(ctx, point, event()))
	}
	return errors.Join(errs...)
}

// HookRegistry finds hooks by their names. The zero value is empty and ready for
// use. It is safe for concurrent use, and must not be copied.
type HookRegistry[T any] struct {
	mu    sync.RWMutex
	hooks map[string]*Hook[T]
}

// NewHookRegistry makes a registry of hooks. Errors as in Register.
func NewHookRegistry[T any](hooks ...*Hook[T]) (*HookRegistry[T], error) {
	r := new(HookRegistry[T])
	for _, h := range hooks {
		if err := r.Register(h); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Register adds a hook; one that is there already stays. Errors: ErrHookName,
// ErrHookTaken.
func (r *HookRegistry[T]) Register(h *Hook[T]) error {
	if h == nil || h.name == "" {
		return ErrHookName
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.hooks[h.name]; ok && known != h {
		return fmt.Errorf("%w: %q", ErrHookTaken, h.name)
	}
	if r.hooks == nil {
		r.hooks = make(map[string]*Hook[T])
	}
	r.hooks[h.name] = h
	return nil
}

// Lookup returns the hook with a name, if there is one.
func (r *HookRegistry[T]) Lookup(name string) (*Hook[T], bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	h, ok := r.hooks[name]
	return h, ok
}
