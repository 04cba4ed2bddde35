package queue

import (
	"github.com/go-workingmemory/workingmemory/memory"
)

// MarshalJSON returns the state:
//
//	{"limit":10,"items":[{"content":…,"description":…,"id":…}],"hooks":{"before_add":["name"]}}
//
// Items are written in the order of Items, hooks by their names, under
// "before_add", "after_add", "before_remove", "after_remove", "before_clear",
// "after_clear" and "on_evict", or not at all if there are none; nor is the limit
// if there is none. The error is nil.
func (p *Pool) MarshalJSON() ([]byte, error) {
	p.mu.Lock()
	state := collectionState[[]ContextItem]{Items: p.copied()}
	if p.limit != 0 {
		state.Limit = new(p.limit)
	}
	if p.hooks != nil {
		state.Hooks = p.hooks.points().names()
	}
	p.mu.Unlock()
	return state.encode()
}

// UnmarshalJSON replaces limit, items and hooks by those of a state, of this or
// of any other pool. The registry stays. To restore a pool, unmarshal into a new
// one:
//
//	p, err := NewPool(opts)
//	…
//	err = json.Unmarshal(data, p)
//
// Hooks are looked up in PoolOptions.Registry; a state that does not mention any
// leaves those of the pool in place. Items are put in one after the other as by
// Add: of more than the limit the newest are kept, and an id that is repeated is
// kept once. A missing limit is none, a missing list an empty one, unknown fields
// are ignored, and null instead of a state changes nothing. No hooks are called, and
// no other change is waited for: one under way, also the one that called the caller,
// goes on with its own hooks and applies to the items of the state.
//
// Damaged input changes nothing and gives a *memory.StateError: syntax, a limit that is
// out of range (ErrLimit), text that is not UTF-8, more than memory.MaxStateBytes, items
// that Add would refuse. A hook that is not found gives an *UnregisteredHookError
// and changes nothing either.
func (p *Pool) UnmarshalJSON(data []byte) error {
	apply, err := p.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is UnmarshalJSON up to where the pool changes, as Queue.ReadState.
func (p *Pool) ReadState(data []byte) (apply func(), err error) {
	state, null, err := readCollection(data)
	if err != nil {
		return nil, err
	}
	if null {
		return func() {}, nil
	}
	var restored Pool
	if state.Limit != nil {
		restored.limit = *state.Limit
	}
	if checkPoolLimit(restored.limit) != nil {
		return nil, &memory.StateError{Index: -1, Err: ErrLimit}
	}
	hooks, err := p.named(state.Hooks)
	if err != nil {
		return nil, err
	}
	err = readItems(state.Items, func(item *ContextItem) error {
		if err := item.checkForPool(); err != nil {
			return err
		}
		restored.put(*item, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.limit, p.items = restored.limit, restored.items
		if state.Hooks != nil {
			p.hooks = hooks
		}
	}, nil
}

// named returns the hooks of the names in a state, nil if there are none. Errors:
// *UnregisteredHookError, *memory.StateError.
func (p *Pool) named(names map[string][]string) (*PoolHooks, error) {
	var made, hooks PoolHooks
	if p.made != nil {
		made = *p.made
	}
	empty, err := hooks.points().resolve(names, p.registry, made.points())
	if empty || err != nil {
		return nil, err
	}
	return &hooks, nil
}
