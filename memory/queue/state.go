package queue

import (
	"github.com/go-workingmemory/workingmemory/memory"
)

// MarshalJSON returns the state:
//
//	{"limit":10,"items":[…],"hooks":{"before_append":["name"]}}
//
// Items are written oldest first, each as json.Marshal writes it, hooks by their
// names, under "before_append", "after_append" and "on_evict", or not at all if
// there are none. Compact is not part of the state. Errors are those of items.
func (q *Queue[T]) MarshalJSON() ([]byte, error) {
	q.mu.Lock()
	state := collectionState[[]T]{Limit: new(q.capacity()), Items: q.copied()}
	if q.hooks != nil {
		state.Hooks = q.hooks.points().names()
	}
	q.mu.Unlock()
	return state.encode()
}

// UnmarshalJSON replaces limit, items and hooks by those of a state, of this or
// of any other queue. Compact and the registry stay. To restore a queue,
// unmarshal into a new one:
//
//	q, err := New(DefaultLimit, opts)
//	…
//	err = json.Unmarshal(data, q)
//
// Hooks are looked up in Options.Registry; a state that does not mention any
// leaves those of the queue in place. Of more items than the limit the newest are
// kept, a missing list is an empty one, unknown fields are ignored, and null
// instead of a state changes nothing. No hooks are called, and no other change is
// waited for: an Append under way, also the one that called the caller, goes on with
// its own hooks, puts its items behind those of the state, and discards what a
// compaction of the old items returns.
//
// Damaged input changes nothing and gives a *memory.StateError: syntax, a limit that is
// missing or out of range (ErrLimit), text that is not UTF-8, more than
// memory.MaxStateBytes, items that cannot be read as a T. A hook that is not found gives an
// *UnregisteredHookError and changes nothing either.
func (q *Queue[T]) UnmarshalJSON(data []byte) error {
	apply, err := q.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is UnmarshalJSON up to where the queue changes: apply does the rest. So
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
	hooks, err := q.named(state.Hooks)
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

// named returns the hooks of the names in a state, nil if there are none. Errors:
// *UnregisteredHookError, *memory.StateError.
func (q *Queue[T]) named(names map[string][]string) (*Hooks[T], error) {
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
