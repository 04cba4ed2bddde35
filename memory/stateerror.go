package memory

import (
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// MaxStateBytes is the size of the largest JSON state that is read: 64 MiB.
const MaxStateBytes = 64 << 20

var _ [MaxStateBytes]struct{} = [state.MaxBytes]struct{}{}

// StateError is returned when a JSON state is invalid. Its text does not quote the
// state.
type StateError struct {
	// Index is the position of the invalid entity or item in its list, or -1 if the
	// error is elsewhere.
	Index int
	// Err is the cause, such as ErrNoID, ErrTooLong or a *json.SyntaxError.
	Err error
}

// Error implements error.
func (e *StateError) Error() string {
	if e.Index < 0 {
		return "memory: invalid state: " + e.Err.Error()
	}
	return fmt.Sprintf("memory: invalid state: item %d: %v", e.Index, e.Err)
}

// Unwrap returns the cause.
func (e *StateError) Unwrap() error { return e.Err }
