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

// restoring puts a state that was read, and found in order, in the place of what a
// collection holds. nil changes nothing: the state was null.
type restoring func()

// restore puts a state in place that was just read.
func restore(put restoring, err error) error {
	if put != nil && err == nil {
		put()
	}
	return err
}

// checkState refuses what cannot be a state of any collection, and reports
// whether data is null. Errors: *StateError.
func checkState(data []byte) (null bool, err error) {
	switch {
	case len(data) > MaxStateBytes:
		return false, &StateError{Index: -1, Err: tooManyBytes(data)}
	case !utf8.Valid(data):
		return false, &StateError{Index: -1, Err: errors.New("it is not valid UTF-8")}
	}
	return string(bytes.TrimSpace(data)) == "null", nil
}

func tooManyBytes(state []byte) error {
	return fmt.Errorf("%d bytes are more than the limit of %d", len(state), MaxStateBytes)
}

// collectionState is the JSON state of a Queue or a Pool. Items are a slice when
// it is written, and raw JSON when it is read.
type collectionState[I any] struct {
	Limit *int                `json:"limit,omitempty"`
	Items I                   `json:"items"`
	Hooks map[string][]string `json:"hooks,omitempty"`
}

// encode returns the state as JSON.
func (s *collectionState[I]) encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("memory: writing state: %w", err)
	}
	return data, nil
}

// readCollection reads all of a state but its items. Errors: *StateError.
func readCollection(data []byte) (state collectionState[json.RawMessage], err error) {
	if err := json.Unmarshal(data, &state); err != nil {
		return state, &StateError{Index: -1, Err: withoutContent(err)}
	}
	return state, nil
}

// readList reads a list, which is valid JSON or missing, item by item: a long one
// does not occupy more memory than what is kept of it. keep is to take a copy of
// the item, which is used again. Errors: *StateError.
func readList[T any](data []byte, keep func(*T) error) error {
	switch {
	case len(data) == 0 || data[0] == 'n':
		return nil
	case data[0] != '[':
		return &StateError{Index: -1, Err: errors.New("what should be a list is none")}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	item := new(T)
	for i := 0; dec.More(); i++ {
		*item = *new(T) // nothing of the item before
		if err := dec.Decode(item); err != nil {
			return &StateError{Index: i, Err: withoutContent(err)}
		}
		if err := keep(item); err != nil {
			return &StateError{Index: i, Err: err}
		}
	}
	return nil
}

// withoutContent replaces errors whose text quotes the input, which may be
// long, hostile or secret.
func withoutContent(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return errors.New("it has the wrong type")
		}
		return fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return errors.New("timestamp is not an RFC 3339 time")
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return err
	}
	return &undecodedError{err}
}

// undecodedError says that the type of an item failed to read it, and keeps to
// itself what it said.
type undecodedError struct{ err error }

func (e *undecodedError) Error() string { return fmt.Sprintf("it cannot be read (%T)", e.err) }
func (e *undecodedError) Unwrap() error { return e.err }
