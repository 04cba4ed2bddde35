package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// MarshalJSON returns the state: {"step":…,"items":[…]}, oldest first. Nothing
// in the state is live. The error is that of a state of more than MaxStateBytes,
// which could not be read.
func (s *ItemStore) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(s.state())
	if err == nil && len(data) > MaxStateBytes {
		err = tooManyBytes(data)
	}
	if err != nil {
		return nil, fmt.Errorf("memory: writing state: %w", err)
	}
	return data, nil
}

// writtenItems is the state of a store.
type writtenItems struct {
	Step  int    `json:"step"`
	Items []Item `json:"items"`
}

func (s *ItemStore) state() writtenItems {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.AppendSeq([]Item{}, s.items.filtered(everything)) // [], not null
	return writtenItems{Step: s.items.now.step, Items: items}
}

func tooManyBytes(state []byte) error {
	return fmt.Errorf("%d bytes are more than the limit of %d", len(state), MaxStateBytes)
}

// UnmarshalJSON replaces the items and the step by those of a state, of this or
// of any other store; the options stay. To restore a store, unmarshal into a new
// one:
//
//	s, err := memory.NewItemStore(opts)
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
// Damaged input changes nothing and gives a *StateError: syntax, wrong types,
// text that is not UTF-8, more than MaxStateBytes, items without an id, with one
// that occurs twice, or that Memorize would refuse.
func (s *ItemStore) UnmarshalJSON(data []byte) error {
	op := s.begin(context.Background(), OpLoad)
	items, tokens, evicted, err := s.load(op.now, data)
	op.record.Items, op.record.Tokens, op.evicted = items, tokens, evicted
	op.end(err)
	return err
}

func (s *ItemStore) load(now moment, data []byte) (items, tokens int, evicted []EvictedItem, err error) {
	switch {
	case len(data) > MaxStateBytes:
		return 0, 0, nil, &StateError{Index: -1, Err: tooManyBytes(data)}
	case !utf8.Valid(data):
		return 0, 0, nil, &StateError{Index: -1, Err: errors.New("it is not valid UTF-8")}
	case string(bytes.TrimSpace(data)) == "null":
		return 0, 0, nil, nil
	}
	now.time = s.latest(now.time)
	reader := itemReader{list: itemList{policy: s.policy}, ids: map[string]bool{}, audit: s.policy.Audit != nil}
	if err := reader.read(now, data); err != nil {
		return 0, 0, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = reader.list
	s.version++
	return s.items.len(), s.items.tokens(), reader.evicted, nil
}

// latest is a time, or a later one that the store has seen.
func (s *ItemStore) latest(t time.Time) time.Time {
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
	evicted []EvictedItem
}

func (r *itemReader) read(now moment, data []byte) error {
	var state struct {
		Step  int             `json:"step"`
		Items json.RawMessage `json:"items"` // read once the step is known
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return &StateError{Index: -1, Err: withoutContent(err)}
	}
	r.list.now.step = clampStep(state.Step)
	r.list.advance(now)
	if len(state.Items) == 0 || string(state.Items) == "null" {
		return nil
	}
	if state.Items[0] != '[' {
		return &StateError{Index: -1, Err: errors.New("items are not a list")}
	}
	dec := json.NewDecoder(bytes.NewReader(state.Items))
	if _, err := dec.Token(); err != nil {
		return &StateError{Index: -1, Err: err}
	}
	for i := 0; dec.More(); i++ {
		if err := r.readItem(dec); err != nil {
			return &StateError{Index: i, Err: err}
		}
	}
	return nil
}

// storedItem is an Item as a state has it, of which it is known what is missing.
type storedItem struct {
	Item
	StepIndex  *int     `json:"step_index"`
	Importance *float64 `json:"importance"`
}

func (r *itemReader) readItem(dec *json.Decoder) error {
	var stored storedItem
	if err := dec.Decode(&stored); err != nil {
		return withoutContent(err)
	}
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
	var evicted []EvictedItem
	if it.Tokens > r.list.policy.MaxTokens {
		it.Position = r.list.len()
		c := classes[r.list.policy.classify(&it, r.list.now)]
		evicted = []EvictedItem{{Item: it, Class: c, Reason: ReasonTooLarge}}
	} else {
		r.list.push(it)
		evicted = r.list.makeRoom(0, 0)
	}
	if r.audit {
		r.evicted = append(r.evicted, evicted...)
	}
}
