package items

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// MarshalJSON returns the state: {"step":…,"items":[…]}, oldest first. Nothing
// in the state is live. The error is that of a state of more than memory.MaxStateBytes,
// which could not be read.
func (s *Store) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(s.state())
	if err == nil && len(data) > state.MaxBytes {
		err = state.TooLarge(data)
	}
	if err != nil {
		return nil, fmt.Errorf("items: writing state: %w", err)
	}
	return data, nil
}

// writtenItems is the state of a store.
type writtenItems struct {
	Step  int    `json:"step"`
	Items []Item `json:"items"`
}

func (s *Store) state() writtenItems {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.AppendSeq([]Item{}, s.items.filtered(everything)) // [], not null
	return writtenItems{Step: s.items.now.step, Items: items}
}

// UnmarshalJSON replaces the items and the step by those of a state, of this or
// of any other store; the options stay. To restore a store, unmarshal into a new
// one:
//
//	s, err := New(opts)
//	err = json.Unmarshal(data, s)
//
// The limits hold: items arrive one after another, and where there are too many
// the first one in the order of eviction leaves, be it protected or the one that
// arrives. One that alone takes more tokens than the store holds is left out.
// Tokens are counted anew, positions given by the order. A missing type, time,
// step or importance is what Memorize makes of it. Unknown fields are ignored; a
// missing list, or null in its place, is an empty one. As with all types, null
// instead of a state changes nothing.
//
// Damaged input changes nothing and gives a *memory.StateError: syntax, wrong types,
// text that is not UTF-8, more than memory.MaxStateBytes, items without an id, with one
// that occurs twice, or that Memorize would refuse.
func (s *Store) UnmarshalJSON(data []byte) error {
	apply, err := s.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is UnmarshalJSON up to where the store changes: apply does the rest. So
// several collections can be restored together or not at all.
func (s *Store) ReadState(data []byte) (apply func(), err error) {
	op := s.begin(context.Background(), opLoad)
	null, err := state.Check(data)
	if err != nil {
		err = &memory.StateError{Index: -1, Err: err}
	}
	reader := itemReader{list: itemList{policy: s.policy}, ids: map[string]bool{}, audit: s.policy.Audit != nil}
	if !null && err == nil {
		now := op.now
		now.time = s.latest(now.time)
		err = reader.read(now, data)
	}
	if null || err != nil {
		op.end(err)
		return func() {}, err
	}
	op.record.Items, op.record.Tokens, op.evicted = reader.list.len(), reader.list.tokens, reader.evicted
	return func() {
		s.adopt(reader.list)
		op.end(nil)
	}, nil
}

// adopt puts a list in the place of the store's.
func (s *Store) adopt(items itemList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = items
	s.version++
}

// latest is a time, or a later one that the store has seen.
func (s *Store) latest(t time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen := s.items.now.time; seen.After(t) {
		return seen
	}
	return t
}

// itemReader reads a state item by item, so that a long list does not occupy
// more memory than the items that stay.
type itemReader struct {
	list    itemList
	ids     map[string]bool // of all items, also those that left
	audit   bool            // evictions are asked for
	evicted []Evicted
}

func (r *itemReader) read(now moment, data []byte) error {
	var read struct {
		Step  int             `json:"step"`
		Items json.RawMessage `json:"items"` // read once the step is known
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return &memory.StateError{Index: -1, Err: state.WithoutContent(err)}
	}
	r.list.now.step = clampStep(read.Step)
	r.list.advance(now)
	if i, err := state.ReadList(read.Items, r.keepItem); err != nil {
		return &memory.StateError{Index: i, Err: err}
	}
	return nil
}

// storedItem is an Item as a state has it, of which it is known what is missing.
type storedItem struct {
	Item
	StepIndex  *int     `json:"step_index"`
	Importance *float64 `json:"importance"`
}

// keepItem takes a copy of an item.
func (r *itemReader) keepItem(stored *storedItem) error {
	in := ItemInput{
		ID: stored.ID, Type: stored.Type, Text: stored.Text, AgentID: stored.AgentID, Tags: stored.Tags,
		Metadata: stored.Metadata, Timestamp: stored.Timestamp, StepIndex: stored.StepIndex, Importance: stored.Importance,
	}
	if err := in.check(); err != nil {
		return err
	}
	if r.ids[in.ID] {
		return ErrDuplicateID
	}
	it := in.item(r.list.policy.Counter)
	it.Deleted = stored.Deleted
	r.ids[it.ID] = true
	r.put(it, in.StepIndex)
	return nil
}

// put adds an item, and evicts what is too much then.
func (r *itemReader) put(it Item, step *int) {
	r.list.date(&it, step)
	var evicted []Evicted
	if it.Tokens > r.list.policy.MaxTokens {
		it.Position = r.list.len()
		c := classes[r.list.policy.classify(&it, r.list.now)]
		evicted = []Evicted{{Item: it, Class: c, Reason: reasonTooLarge}}
	} else {
		r.list.push(it)
		evicted = r.list.makeRoom(0, 0)
	}
	if r.audit {
		r.evicted = append(r.evicted, evicted...)
	}
}
