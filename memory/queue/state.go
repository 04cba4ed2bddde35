package queue

import (
	"github.com/go-workingmemory/workingmemory/memory"
)

// MarshalJSON returns the state:
//
//	{"limit":10,"items":[…],"hooks":{"before_append":["name"]}}
//
// Items are written oldest first, each by json.Marshal. Hooks are written by name, under
// "before_append", "after_append" and "on_evict", and omitted if there are none. Compact
// is not part of the state. Errors are those of marshaling the items.
func (q *Queue[T]) MarshalJSON() ([]byte, error) {
	q.mu.Lock()
	state := collectionState[[]T]{Limit: new(q.capacity()), Items: q.copyItems()}
	if q.hooks != nil {
		state.Hooks = q.hooks.points().names()
	}
	q.mu.Unlock()
	return state.encode()
}

// UnmarshalJSON replaces limit, items and hooks with those of a state of this or any
// other queue. Compact and the registry are kept. To restore a queue, unmarshal into a
// new one:
//
//	q, err := New(DefaultLimit, opts)
//	…
//	err = json.Unmarshal(data, q)
//
// Hooks are looked up in Options.Registry; if the state has no hooks field, those of the
// queue are kept. The newest items are kept up to the limit, a missing list is empty,
// unknown fields are ignored, and a null state is a no-op. No hooks are called.
// UnmarshalJSON does not wait for other changes: an Append in progress, including one
// whose hook calls UnmarshalJSON, continues with its own hooks, adds its items after
// those of the state, and discards the result of compacting the old items.
//
// A *memory.StateError is returned, and nothing is changed, for invalid JSON, a limit
// that is missing or out of range (ErrLimit), text that is not UTF-8, more than
// memory.MaxStateBytes, and items that cannot be unmarshaled into a T. For an unknown
// hook, an *UnregisteredHookError is returned and nothing is changed.
func (q *Queue[T]) UnmarshalJSON(data []byte) error {
	apply, err := q.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is like UnmarshalJSON but leaves the change of the queue to apply, so that
// several collections can be restored together or not at all.
func (q *Queue[T]) ReadState(data []byte) (apply func(), err error) {
	state, null, err := readCollection(data)
	if err != nil {
		return nil, err
	}
	if null {
		return func() {}, nil
	}
	if state.Limit == nil || checkLimit(*state.Limit) != nil {
		return nil, &memory.StateError{Index: -1, Err: ErrLimit}
	}
	hooks, err := q.resolveHooks(state.Hooks)
	if err != nil {
		return nil, err
	}
	restored := Queue[T]{limit: *state.Limit}
	err = readItems(state.Items, func(item *T) error {
		restored.push([]T{*item}, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.items.Release()
		q.limit, q.items = restored.limit, restored.items
		q.restored++
		if state.Hooks != nil {
			q.hooks = hooks
		}
	}, nil
}

// resolveHooks returns the hooks that a state names, or nil if there are none. Errors:
// *UnregisteredHookError, *memory.StateError.
func (q *Queue[T]) resolveHooks(names map[string][]string) (*Hooks[T], error) {
	var made, hooks Hooks[T]
	if q.made != nil {
		made = *q.made
	}
	empty, err := hooks.points().resolve(names, q.registry, made.points())
	if empty || err != nil {
		return nil, err
	}
	return &hooks, nil
}
