package queue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
)

// UnregisteredHookError is returned when a JSON state names a hook that is not
// registered.
type UnregisteredHookError struct {
	// Hook is the name.
	Hook string
	// Point is the point at which the hook is called, such as "before_append".
	Point string
}

// maxShownName is the number of characters of an unknown name that an error shows.
const maxShownName = 64

// Error implements error.
func (e *UnregisteredHookError) Error() string {
	return fmt.Sprintf("queue: %s hook %.*q is not registered", e.Point, maxShownName, e.Hook)
}

// hookPoint is a point at which hooks are called, with its name in a JSON state.
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

// adopt checks the hooks, copies their lists, and reports whether all are empty. Errors
// are those of registry.
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

// names returns the names of the hooks by point, without the points that have none.
func (ps hookPoints[T]) names() map[string][]string {
	names := make(map[string][]string)
	for _, p := range ps {
		for _, h := range *p.hooks {
			names[p.name] = append(names[p.name], h.name)
		}
	}
	return names
}

// resolve adds the hooks that a state names to their points, and reports whether there
// are none. If r is nil, hooks are looked up among made. Errors: *UnregisteredHookError;
// *memory.StateError for an unknown point, whose hooks would never be called.
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
		return false, &memory.StateError{Index: -1, Err: errors.New("unknown hook point")}
	}
	return ps.empty(), nil
}
