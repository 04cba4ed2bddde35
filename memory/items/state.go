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

// MarshalJSON returns the state: {"step":…,"items":[…]}, oldest first. The state is a
// snapshot. An error is returned for a state of more than memory.MaxStateBytes, which
// could not be read.
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

// UnmarshalJSON replaces the items and the step with those of a state of this or any
// other store. The options are kept. To restore a store, unmarshal into a new one:
//
//	s, err := New(opts)
//	err = json.Unmarshal(data, s)
//
// The limits hold: items are added one after another, and if there are too many, the
// next one in the order of eviction is evicted, even if it is protected or the one just
// added. An item that alone exceeds the tokens of the store is omitted. Tokens are
// counted again, and positions follow from the order. A missing type, time, step or
// importance is set as by Memorize. Unknown fields are ignored, a list that is missing
// or null is empty, and a null state is a no-op.
//
// A *memory.StateError is returned, and nothing is changed, for invalid JSON, wrong
// types, text that is not UTF-8, more than memory.MaxStateBytes, items without an id or
// with a repeated one, and items that Memorize would reject.
func (s *Store) UnmarshalJSON(data []byte) error {
	apply, err := s.ReadState(data)
	if err == nil {
		apply()
	}
	return err
}

// ReadState is like UnmarshalJSON but leaves the change of the store to apply, so that
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

// adopt replaces the list of the store.
func (s *Store) adopt(items itemList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = items
	s.version++
}

// latest returns the later of t and the latest time that the store has seen.
func (s *Store) latest(t time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen := s.items.now.time; seen.After(t) {
		return seen
	}
	return t
}

// itemReader reads a state item by item, so that a long list occupies no more memory
// than the items that are kept.
type itemReader struct {
	list    itemList
	ids     map[string]bool // of all items, including evicted ones
	audit   bool            // collect evictions
	evicted []Evicted
}

func (r *itemReader) read(now moment, data []byte) error {
	var read struct {
		Step  int             `json:"step"`
		Items json.RawMessage `json:"items"` // decoded after the step is known
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

// storedItem is an Item of a state in which a step or an importance may be missing.
type storedItem struct {
	Item
	StepIndex  *int     `json:"step_index"`
	Importance *float64 `json:"importance"`
}

// keepItem adds a copy of an item.
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

// put adds an item and evicts what exceeds the limits.
func (r *itemReader) put(it Item, step *int) {
	r.list.complete(&it, step)
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
