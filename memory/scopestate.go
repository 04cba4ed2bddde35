package memory

import (
	"encoding/json"
	"fmt"
)

// MarshalJSON returns the states of all parts:
//
//	{"queue":{…},"pool":{…},"context":{…},"items":{…}}
//
// They are taken one after the other. Errors are those of the parts.
func (s *Scope) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(struct {
		Queue   *Queue[ContextItem] `json:"queue"`
		Pool    *Pool               `json:"pool"`
		Context *WorkingContext     `json:"context"`
		Items   *ItemStore          `json:"items"`
	}{s.queue, s.pool, s.context, s.items})
	if err != nil {
		return nil, fmt.Errorf("memory: writing state of scope: %w", err)
	}
	return data, nil
}

// UnmarshalJSON replaces what the parts hold by a state, of this or of any other
// scope, as UnmarshalJSON of each part says; the parts themselves stay, with
// their options. To restore a scope, unmarshal into a new one:
//
//	s := memory.NewScope(opts)
//	err := json.Unmarshal(data, s)
//
// A part that the state does not have stays as it is; null instead of a state
// changes nothing. Damage in one part changes none, with the error of that part:
// a *StateError or an *UnregisteredHookError.
func (s *Scope) UnmarshalJSON(data []byte) error {
	if null, err := checkState(data); null || err != nil {
		return err
	}
	var state scopeState
	if err := json.Unmarshal(data, &state); err != nil {
		return &StateError{Index: -1, Err: withoutContent(err)}
	}
	if s.queue == nil { // a zero Scope
		*s = *NewScope(nil)
	}
	restorings, err := state.read(s)
	if err != nil {
		return err
	}
	for _, put := range restorings {
		if put != nil { // the part was not null
			put()
		}
	}
	return nil
}

// scopeState is a state whose parts are not read yet.
type scopeState struct {
	Queue   json.RawMessage `json:"queue"`
	Pool    json.RawMessage `json:"pool"`
	Context json.RawMessage `json:"context"`
	Items   json.RawMessage `json:"items"`
}

// read reads the parts for those of a scope, up to the first damaged one. Items
// come last: once they are read, nothing fails any more.
func (state *scopeState) read(s *Scope) (restorings []restoring, err error) {
	for _, part := range []struct {
		name string
		data []byte
		read func([]byte) (restoring, error)
	}{
		{"queue", state.Queue, s.queue.readState},
		{"pool", state.Pool, s.pool.readState},
		{"context", state.Context, s.context.readState},
		{"items", state.Items, s.items.readState},
	} {
		if part.data == nil {
			continue
		}
		put, err := part.read(part.data)
		if err != nil {
			return nil, fmt.Errorf("memory: %s of scope: %w", part.name, err)
		}
		restorings = append(restorings, put)
	}
	return restorings, nil
}
