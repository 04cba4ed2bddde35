package queue

import (
	"github.com/go-workingmemory/workingmemory/memory"
)

// MarshalJSON returns the state:
//
//	{"limit":10,"items":[{"content":…,"description":…,"id":…}],"hooks":{"before_add":["name"]}}
//
// Items are written in the order of Items. Hooks are written by name, under
// "before_add", "after_add", "before_remove", "after_remove", "before_clear",
// "after_clear" and "on_evict". Limit and hooks are omitted if there are none. The error
// is always nil.
func (p *Pool) MarshalJSON() ([]byte, error) {
	p.mu.Lock()
	state := collectionState[[]ContextItem]{Items: p.copyItems()}
	if p.limit != 0 {
		state.Limit = new(p.limit)
	}
	if p.hooks != nil {
		state.Hooks = p.hooks.points().names()
	}
	p.mu.Unlock()
	return state.encode()
}

// UnmarshalJSON replaces limit, items and hooks with those of a state of this or any
// other pool. The registry is kept. To restore a pool, unmarshal into a new one:
//
//	p, err := NewPool(opts)
//	…
//	err = json.Unmarshal(data, p)
//
// Hooks are looked up in PoolOptions.Registry; if the state has no hooks field, those
// of the pool are kept. Items are added as by Add: the newest are kept up to the limit,
// and a repeated id is kept once. A missing limit means no limit, a missing list is
// empty, unknown fields are ignored, and a null state is a no-op. No hooks are called.
// UnmarshalJSON does not wait for other changes: a change in progress, including one
// whose hook calls UnmarshalJSON, continues with its own hooks and applies to the items
// of the state.
//
// A *memory.StateError is returned, and nothing is changed, for invalid JSON, a limit
// out of range (ErrLimit), text that is not UTF-8, more than memory.MaxStateBytes, and
// items that Add would reject. For an unknown hook, an *UnregisteredHookError is
// returned and nothing is changed.
func (p *Pool) UnmarshalJSON(data []byte) error {
	apply, err := p.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is like UnmarshalJSON but leaves the change of the pool to apply; see
// Queue.ReadState.
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
	hooks, err := p.resolveHooks(state.Hooks)
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

// resolveHooks returns the hooks that a state names, or nil if there are none. Errors:
// *UnregisteredHookError, *memory.StateError.
func (p *Pool) resolveHooks(names map[string][]string) (*PoolHooks, error) {
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
