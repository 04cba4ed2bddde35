package workspace

import (
	"encoding/json"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// MarshalJSON returns the states of all parts:
//
//	{"queue":{…},"pool":{…},"context":{…},"items":{…}}
//
// The parts are written one after another, not atomically. Errors are those of the
// parts.
func (s *Workspace) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(struct {
		Queue   *queue.Queue[queue.ContextItem] `json:"queue"`
		Pool    *queue.Pool                     `json:"pool"`
		Context *memory.WorkingContext          `json:"context"`
		Items   *items.Store                    `json:"items"`
	}{s.queue, s.pool, s.context, s.items})
	if err != nil {
		return nil, fmt.Errorf("workspace: writing state: %w", err)
	}
	return data, nil
}

// UnmarshalJSON replaces the contents of the parts with a state of this or any other
// workspace, by UnmarshalJSON of each part. The parts and their options are kept. To
// restore a workspace, unmarshal into a new one:
//
//	s := New(opts)
//	err := json.Unmarshal(data, s)
//
// A part that the state lacks is unchanged, and a null state is a no-op. If the state
// of any part is invalid, nothing is changed and the error of that part is returned: a
// *memory.StateError or a *queue.UnregisteredHookError.
func (s *Workspace) UnmarshalJSON(data []byte) error {
	null, err := state.Check(data)
	if err != nil {
		return &memory.StateError{Index: -1, Err: err}
	}
	if null {
		return nil
	}
	var read parts
	if err := json.Unmarshal(data, &read); err != nil {
		return &memory.StateError{Index: -1, Err: state.WithoutContent(err)}
	}
	if s.queue == nil { // a zero Workspace
		*s = *New(nil)
	}
	applies, err := read.read(s)
	if err != nil {
		return err
	}
	for _, apply := range applies {
		apply()
	}
	return nil
}

// parts is a state whose parts are still raw JSON.
type parts struct {
	Queue   json.RawMessage `json:"queue"`
	Pool    json.RawMessage `json:"pool"`
	Context json.RawMessage `json:"context"`
	Items   json.RawMessage `json:"items"`
}

// read reads the states of the parts of s, up to the first invalid one. Items are read
// last, because reading them is audited and nothing may fail afterwards.
func (state *parts) read(s *Workspace) (applies []func(), err error) {
	for _, part := range []struct {
		name string
		data []byte
		read func([]byte) (func(), error)
	}{
		{"queue", state.Queue, s.queue.ReadState},
		{"pool", state.Pool, s.pool.ReadState},
		{"context", state.Context, s.context.ReadState},
		{"items", state.Items, s.items.ReadState},
	} {
		if part.data == nil {
			continue
		}
		apply, err := part.read(part.data)
		if err != nil {
			return nil, fmt.Errorf("workspace: reading state of %s: %w", part.name, err)
		}
		applies = append(applies, apply)
	}
	return applies, nil
}
