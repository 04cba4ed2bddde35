package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// MaxStateBytes is the largest JSON state that is read: 64 MiB.
const MaxStateBytes = 64 << 20

// StateError says what is wrong with a JSON state. Its text contains nothing
// of the state.
type StateError struct {
	// Index is the position of the damaged entity or item in its list, -1 if the
	// damage is not in one.
	Index int
	// Err is the cause: ErrNoID, ErrTooLong, a *json.SyntaxError, …
	Err error
}

// Error implements error.
func (e *StateError) Error() string {
	if e.Index < 0 {
		return "memory: damaged state: " + e.Err.Error()
	}
	return fmt.Sprintf("memory: damaged state: item %d: %v", e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *StateError) Unwrap() error { return e.Err }

// MarshalJSON returns the state: {"entities":[…]}, newest first. An entity
// without a name is written with its Placeholder for one. Nothing in the state
// is live. The error is nil.
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
		Entities []Entity `json:"entities"`
	}{entities})
	if err != nil {
		return nil, fmt.Errorf("memory: writing state: %w", err)
	}
	return data, nil
}

// UnmarshalJSON replaces the content by a state, of this or of any other
// context; the options stay. To restore a context, unmarshal into a new one:
//
//	c := memory.NewWorkingContext(opts)
//	err := json.Unmarshal(data, c)
//
// Entities that are the same are merged as in AddMany, those beyond the
// capacity dropped, without OnEvict being told. Timestamps are kept, missing
// ones set. Unknown fields are ignored; a missing list, or null in its place,
// is an empty one. As with all types, null instead of a state changes nothing.
//
// Damaged input changes nothing and gives a *StateError: syntax, wrong types,
// text that is not UTF-8, more than MaxStateBytes, entities that AddMany would
// refuse.
func (c *WorkingContext) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > MaxStateBytes:
		return &StateError{Index: -1, Err: fmt.Errorf("%d bytes are more than the limit of %d", len(data), MaxStateBytes)}
	case !utf8.Valid(data):
		return &StateError{Index: -1, Err: errors.New("it is not valid UTF-8")}
	case string(bytes.TrimSpace(data)) == "null":
		return nil
	}
	var state struct {
		Entities stateReader `json:"entities"`
	}
	state.Entities.draft = newDraft(&c.opts)
	defer state.Entities.draft.release()
	if err := json.Unmarshal(data, &state); err != nil {
		if damage, ok := errors.AsType[*StateError](err); ok {
			return damage
		}
		return &StateError{Index: -1, Err: withoutContent(err)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = state.Entities.entries
	c.version++
	return nil
}

// stateReader reads the list of entities one by one, so that a long list does
// not occupy more memory than the entities that stay.
type stateReader struct {
	draft   *draft
	entries entries
}

// UnmarshalJSON reads the list, or null. data is valid JSON.
func (r *stateReader) UnmarshalJSON(data []byte) error {
	r.entries = entries{} // the last one counts where a key is repeated
	switch data[0] {
	case 'n':
		return nil
	case '[':
	default:
		return &StateError{Index: -1, Err: errors.New("entities are not a list")}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for i := 0; dec.More(); i++ {
		var e Entity
		if err := dec.Decode(&e); err != nil {
			return &StateError{Index: i, Err: withoutContent(err)}
		}
		if err := r.draft.add(&e); err != nil {
			return &StateError{Index: i, Err: err}
		}
		r.put()
	}
	return nil
}

// put adds the entity of the draft behind the newer ones. It goes by identity
// alone: what stood apart when the state was written stays apart.
func (r *stateReader) put() {
	defer r.draft.clear()
	older := r.draft.record(r.draft.adds[0])
	id := older.identity()
	hash := r.entries.hashOf(&id)
	if p, _, _ := r.entries.lookup(&id, hash); p != nowhere {
		old, newer := older.facts(), r.entries.at(p).facts()
		merged := merge(&old, &newer)
		r.entries.replace(p, r.draft.pack(&merged))
		return
	}
	if r.entries.len() < r.draft.opts.capacity() {
		r.entries.pushBack(hash, older)
	}
}

// withoutContent replaces errors whose text quotes the input, which may be
// long, hostile or secret.
func withoutContent(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return errors.New("it is not an object")
		}
		return fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return errors.New("timestamp is not an RFC 3339 time")
	}
	return err
}
