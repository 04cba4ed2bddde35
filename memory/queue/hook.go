package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory"
)

var (
	// ErrHookName is returned for a hook that is nil or has no name.
	ErrHookName = errors.New("queue: hook has no name")
	// ErrHookTaken is returned when another hook has the same name.
	ErrHookTaken = errors.New("queue: another hook has this name")
)

// Hook is a named function that is called when a Queue or a Pool changes. A JSON state
// contains the name, by which a HookRegistry finds the hook. Hooks are compared by
// pointer.
type Hook[T any] struct {
	name string
	run  func(context.Context, HookEvent[T]) error
}

// NewHook returns a hook. A nil run does nothing. A hook with an empty name is rejected
// with ErrHookName where it is used.
//
// run may read its collection, branch it, replace its state by UnmarshalJSON, and change
// other collections. Any other change of its collection fails with ErrReentrant, from
// any goroutine, until the change that called run has returned. The collection
// recognizes such a call by its context: run must pass on the context that it receives,
// or one derived from it. With an unrelated context, the call waits for the change that
// it is part of until that context ends. If run panics, the change fails with an error
// that wraps memory.ErrPanic.
//
// One collection calls run sequentially; several collections may call it concurrently.
// If the hooks of two collections change each other, concurrent changes of the two wait
// for each other until a context ends.
func NewHook[T any](name string, run func(ctx context.Context, e HookEvent[T]) error) *Hook[T] {
	return &Hook[T]{name: name, run: run}
}

// Name returns the name of the hook.
func (h *Hook[T]) Name() string { return h.name }

// HookEvent is the input of a hook. Each hook owns the slices that it receives.
type HookEvent[T any] struct {
	// Items are the items of the collection, oldest first: before the change in a
	// Before hook, after it in all others.
	Items []T
	// Subject are the items that are added, removed or evicted, oldest first.
	Subject []T
}

// call calls the hook at a point such as "before_append".
func (h *Hook[T]) call(ctx context.Context, point string, e HookEvent[T]) error {
	if h.run == nil {
		return nil
	}
	if err := guard(func() error { return h.run(ctx, e) }); err != nil {
		return fmt.Errorf("queue: %s hook %q: %w", point, h.name, err)
	}
	return nil
}

// guard calls f and turns a panic into an error. The text of the error includes a panic
// value that is an error; any other value may be an item, so only its type is given.
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

// callAll calls all hooks in order and joins their errors.
func callAll[T any](ctx context.Context, point string, hooks []*Hook[T], event func() HookEvent[T]) error {
	var errs []error
	for _, h := range hooks {
		errs = append(errs, h.call(ctx, point, event()))
	}
	return errors.Join(errs...)
}

// HookRegistry finds hooks by name. The zero value is empty and ready for use. It is
// safe for concurrent use and must not be copied.
type HookRegistry[T any] struct {
	mu    sync.RWMutex
	hooks map[string]*Hook[T]
}

// NewHookRegistry returns a registry of the given hooks. Errors are those of Register.
func NewHookRegistry[T any](hooks ...*Hook[T]) (*HookRegistry[T], error) {
	r := new(HookRegistry[T])
	for _, h := range hooks {
		if err := r.Register(h); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Register adds a hook. Adding the same hook again is a no-op. Errors: ErrHookName,
// ErrHookTaken.
func (r *HookRegistry[T]) Register(h *Hook[T]) error {
	if h == nil || h.name == "" {
		return ErrHookName
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, ok := r.hooks[h.name]; ok && other != h {
		return fmt.Errorf("%w: %q", ErrHookTaken, h.name)
	}
	if r.hooks == nil {
		r.hooks = make(map[string]*Hook[T])
	}
	r.hooks[h.name] = h
	return nil
}

// Lookup returns the hook with a name, if present.
func (r *HookRegistry[T]) Lookup(name string) (*Hook[T], bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	h, ok := r.hooks[name]
	return h, ok
}
