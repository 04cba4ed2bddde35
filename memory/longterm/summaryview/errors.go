package summaryview

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Errors of Views. Test for them with errors.Is: they come wrapped.
var (
	// ErrNotFound is returned when the tenant has no view or task with the id.
	ErrNotFound = errors.New("summaryview: not found")
	// ErrInvalid is returned for a definition or an argument that is out of bounds.
	ErrInvalid = errors.New("summaryview: invalid")
	// ErrLimit is returned when a view or a tenant would exceed a limit.
	ErrLimit = errors.New("summaryview: limit exceeded")
	// ErrBusy is returned when an unfinished task of another view has the id.
	ErrBusy = errors.New("summaryview: task id is in use")
	// ErrUnavailable is returned when the store of documents does not answer.
	ErrUnavailable = driver.ErrUnavailable
	// ErrConflict is returned if other callers changed a document in each of 100 attempts.
	ErrConflict = driver.ErrConflict
	// ErrClosed is returned when the store of documents is closed.
	ErrClosed = driver.ErrClosed
)

// errLost is the error of a task whose lease another process has.
var errLost = errors.New("summaryview: lease was lost")

// GroupError is returned for a group whose fields are not those of the view. Both lists are
// sorted.
type GroupError struct{ Fields, GroupBy []string }

// Error implements error.
func (e *GroupError) Error() string {
	return fmt.Sprintf("summaryview: group has the fields %q, the view has %q", e.Fields, e.GroupBy)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

func exceeded(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrLimit}, args...)...)
}
