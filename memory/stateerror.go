package memory

import (
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// MaxStateBytes is the largest JSON state that is read: 64 MiB.
const MaxStateBytes = 64 << 20

var _ [MaxStateBytes]struct{} = [state.MaxBytes]struct{}{}

// StateError is returned for a damaged JSON state. Its text contains nothing of the
// state.
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
