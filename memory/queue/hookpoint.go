package queue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// UnregisteredHookError says that a JSON state names a hook that the reader of
// the state does not know.
type UnregisteredHookError struct {
	// Hook is the name.
	Hook string
	// Point is where the hook was to be called: "before_append", "on_evict", ….
	Point string
}

// maxShownName is how many characters an error shows of a name that nobody knows.
const maxShownName = 64

// Error implements error.
func (e *UnregisteredHookError) Error() string {
	return fmt.Sprintf("queue: %s hook %.*q is not registered", e.Point, maxShownName, e.Hook)
}

// hookPoint is a place at which hooks are called, and its name in a JSON state.
type hookPoint[T any] struct {
	name  string
	hooks *[]*Hook[T]
}

// hookPoints are the points of a collection.
type hookPoints[T any] []hookPoint[T]

// registry returns a registry of the hooks of all points. Errors: ErrHookName,
// ErrHookTaken.
func (ps hookPoints[T]) registry() (*HookRegistry[T], error) {
	r := new(HookRegistry[T])
	for _, p := range ps {
		for _, h := range *p.hooks {
			if err := r.Register(h); err != nil {
				return nil, fmt.Errorf("%w (%s)", err, p.name)
			}
		}
	}
	return r, nil
}

// adopt checks the hooks, makes their lists independent of the caller's, and
// reports whether there are none. Errors as in registry.
func (ps hookPoints[T]) adopt() (empty bool, err error) {
	if _, err := ps.registry(); err != nil {
		return false, err
	}
	for _, p := range ps {
		*p.hooks = slices.Clone(*p.hooks)
	}
	return ps.empty(), nil
}

// empty reports whether there are no hooks.
func (ps hookPoints[T]) empty() bool {
	return !slices.ContainsFunc(ps, func(p hookPoint[T]) bool { return len(*p.hooks) > 0 })
}

// names returns the names of the hooks of each point that has any, for a state.
func (ps hookPoints[T]) names() map[string][]string {
	names := make(map[string][]string)
	for _, p := range ps {
		for _, h := range *p.hooks {
			names[p.name] = append(names[p.name], h.name)
		}
	}
	return names
}

// resolve puts at each point the hooks that a state names, and reports whether
// there are none. Without a registry they are among those made. Errors:
// *UnregisteredHookError; *memory.StateError for an unknown point, because who wrote the
// state counts on hooks that would never be called.
func (ps hookPoints[T]) resolve(names map[string][]string, r *HookRegistry[T], made hookPoints[T]) (empty bool, err error) {
	if r == nil {
		if r, err = made.registry(); err != nil {
			return false, err
		}
	}
	known := 0
	for _, p := range ps {
		list, ok := names[p.name]
		if ok {
			known++
		}
		for _, name := range list {
			h, ok := r.Lookup(name)
			if !ok {
				return false, &UnregisteredHookError{Hook: name, Point: p.name}
			}
			*p.hooks = append(*p.hooks, h)
		}
	}
	if known < len(names) {
		return false, &memory.StateError{Index: -1, Err: errors.New("hooks are at a point that does not exist")}
	}
	return ps.empty(), nil
}
