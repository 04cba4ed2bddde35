package memory

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// MarshalJSON returns the state: {"entities":[…],"candidates":[…],"removed":[…]}, each newest
// first, the last two only if there are any. An entity without a name is written with its
// Placeholder as the name. The state is a snapshot. The error is always nil.
func (c *WorkingContext) MarshalJSON() ([]byte, error) {
	entities := c.Recent(c.Capacity())
	if entities == nil {
		entities = []Entity{} // [], not null
	}
	for i := range entities {
		if entities[i].Name == "" {
			entities[i].Name = Placeholder(entities[i].Type)
		}
	}
	data, err := json.Marshal(struct {
		Entities   []Entity `json:"entities"`
		Candidates []Entity `json:"candidates,omitempty"`
		Removed    []Entity `json:"removed,omitempty"`
	}{entities, c.Candidates(c.opts.candidates()), c.removedEntities()})
	if err != nil {
		return nil, fmt.Errorf("memory: writing state: %w", err)
	}
	return data, nil
}

// removedEntities returns the removed entities that are remembered, newest first.
func (c *WorkingContext) removedEntities() []Entity {
	d := newDraft(&c.opts)
	defer d.release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone == nil {
		return nil
	}
	return c.gone.appendNewest(nil, maxGone, d)
}

// UnmarshalJSON replaces the content with a state of this or any other context. The
// options are kept. To restore a context, unmarshal into a new one:
//
//	c := memory.NewWorkingContext(opts)
//	err := json.Unmarshal(data, c)
//
// Equal entities are merged as in AddMany. Candidates that are entities are dropped, and so
// are entities beyond the capacity, without a call of OnEvict. Timestamps are kept; missing
// ones are set. Unknown fields are ignored, a list that is missing or null is empty, and a null state is a no-op.
//
// A *StateError is returned, and nothing is changed, for invalid JSON, wrong types,
// text that is not UTF-8, more than MaxStateBytes, and entities that AddMany would
// reject.
func (c *WorkingContext) UnmarshalJSON(data []byte) error {
	apply, err := c.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is like UnmarshalJSON but leaves the change of the context to apply, so
// that several collections can be restored together or not at all.
func (c *WorkingContext) ReadState(data []byte) (apply func(), err error) {
	null, err := state.Check(data)
	if err != nil {
		return nil, &StateError{Index: -1, Err: err}
	}
	if null {
		return func() {}, nil
	}
	var read struct {
		Entities   stateReader `json:"entities"`
		Candidates stateReader `json:"candidates"`
		Removed    stateReader `json:"removed"`
	}
	d := newDraft(&c.opts)
	defer d.release()
	read.Entities = stateReader{draft: d, capacity: c.opts.capacity()}
	read.Candidates = stateReader{draft: d, capacity: c.opts.candidates(), candidates: true}
	read.Removed = stateReader{draft: d, capacity: maxGone}
	if err := json.Unmarshal(data, &read); err != nil {
		if damage, ok := errors.AsType[*StateError](err); ok {
			return nil, damage
		}
		return nil, &StateError{Index: -1, Err: state.WithoutContent(err)}
	}
	restored, loose := read.Entities.entries, read.Candidates.entries
	for _, p := range loose.newest(nil, loose.len()) { // newest first: the places of older ones stay valid
		r := loose.at(p)
		if id := r.identity(); restored.hasID(&id, nowhere, r.role() == RoleCandidate) {
			loose.remove(p)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.entries, c.loose, c.gone = restored, loose.orNil(), read.Removed.entries.orNil()
		c.version++
	}, nil
}

// stateReader reads the list of entities one by one, so that a long list occupies no
// more memory than the entities that are kept.
type stateReader struct {
	draft      *draft
	capacity   int
	candidates bool
	entries    entries
	bytes      int
}

// UnmarshalJSON reads the list, or null. data is valid JSON.
func (r *stateReader) UnmarshalJSON(data []byte) error {
	r.entries, r.bytes = entries{}, 0 // of a repeated key, the last value counts
	i, err := state.ReadList(data, func(e *Entity) error {
		if !r.candidates && e.Role == RoleCandidate {
			e.Role = RoleReference
		}
		if err := r.draft.add(e); err != nil {
			return err
		}
		r.put()
		return nil
	})
	if err != nil {
		return &StateError{Index: i, Err: err}
	}
	return nil
}

// put adds the entity of the draft behind the newer ones. It compares identities only:
// entities that were distinct when the state was written stay distinct.
func (r *stateReader) put() {
	defer r.draft.clear()
	older := r.draft.record(r.draft.adds[0])
	id := older.identity()
	hash := r.entries.hashOf(&id)
	if p, _, _ := r.entries.lookup(&id, hash); p != nowhere {
		old, newer := older.facts(), r.entries.at(p).facts()
		merged := merge(&old, &newer, true)
		r.entries.replace(p, r.draft.pack(&merged))
		return
	}
	if r.bytes += len(older); r.entries.len() < r.capacity && (!r.candidates || r.bytes <= maxLooseBytes) {
		r.entries.pushBack(hash, older)
	}
}
