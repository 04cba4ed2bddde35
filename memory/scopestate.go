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
// a *StateError or an *UnregisteredHookError. Inside a hook of the scope's queue
// or pool it is ErrReentrant, and nothing is changed either.
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
	if s.queue.turn.entered() || s.pool.turn.entered() {
		return ErrReentrant
	}
	trial, err := s.Branch(nil)
	if err != nil {
		return err
	}
	trial.items = s.items.unaudited()
	if err := state.restore(trial); err != nil {
		return err
	}
	return state.restore(s)
}

// scopeState is a state whose parts are not read yet.
type scopeState struct {
	Queue   json.RawMessage `json:"queue"`
	Pool    json.RawMessage `json:"pool"`
	Context json.RawMessage `json:"context"`
	Items   json.RawMessage `json:"items"`
}

// restore reads the parts into those of a scope, up to the first damaged one.
func (state *scopeState) restore(s *Scope) error {
	for _, part := range []struct {
		name  string
		data  json.RawMessage
		state json.Unmarshaler
	}{
		{"queue", state.Queue, s.queue},
		{"pool", state.Pool, s.pool},
		{"context", state.Context, s.context},
		{"items", state.Items, s.items},
	} {
		if part.data == nil {
			continue
		}
		if err := part.state.UnmarshalJSON(part.data); err != nil {
			return fmt.Errorf("memory: %s of scope: %w", part.name, err)
		}
	}
	return nil
}
