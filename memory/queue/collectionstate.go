package queue

import (
	"encoding/json"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// collectionState is the JSON state of a Queue or a Pool. I is a slice when the state
// is written and raw JSON when it is read.
type collectionState[I any] struct {
	Limit *int                `json:"limit,omitempty"`
	Items I                   `json:"items"`
	Hooks map[string][]string `json:"hooks,omitempty"`
}

func (s *collectionState[I]) encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("queue: writing state: %w", err)
	}
	return data, nil
}

// readCollection reads all of a state but its items, and reports whether it is null.
// Errors: *memory.StateError.
func readCollection(data []byte) (read collectionState[json.RawMessage], null bool, err error) {
	null, err = state.Check(data)
	if err == nil && !null {
		err = state.WithoutContent(json.Unmarshal(data, &read))
	}
	if err != nil {
		return read, false, &memory.StateError{Index: -1, Err: err}
	}
	return read, null, nil
}

// readItems reads the items of a state. Errors: *memory.StateError.
func readItems[T any](data []byte, keep func(*T) error) error {
	if i, err := state.ReadList(data, keep); err != nil {
		return &memory.StateError{Index: i, Err: err}
	}
	return nil
}
