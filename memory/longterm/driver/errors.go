package driver

import (
	"errors"
	"fmt"
)

// Errors of an Index. They come wrapped.
var (
	// ErrConflict is returned if a record is not what it was when it was read, or if another
	// has its hash: nothing was changed.
	ErrConflict = errors.New("longterm: changed by another")
	// ErrUnavailable is returned if the index did not answer, or not in time. What was to be
	// written may have been written or not. Putting the same records again is always safe.
	ErrUnavailable = errors.New("longterm: index is unavailable")
	// ErrScope is returned if a call does not name the owner of its records.
	ErrScope = errors.New("longterm: no scope")
	// ErrFilter is returned if a filter or a query contradicts itself or is out of bounds.
	ErrFilter = errors.New("longterm: bad filter")
	// ErrClosed is returned by calls after Close.
	ErrClosed = errors.New("longterm: closed")
)

// Causes of a *RecordError.
var (
	ErrNoID        = errors.New("no id")
	ErrNoText      = errors.New("no text")
	ErrType        = errors.New("no type of memories")
	ErrInvalidUTF8 = errors.New("not valid UTF-8")
	ErrTooLarge    = errors.New("too large")
	ErrMetadata    = errors.New("metadata is no JSON object")
)

// RecordError says which record was refused, and with it all others of its call.
type RecordError struct {
	// Index is the record's position in what was given.
	Index int
	// ID is that of the record, cut if it is long.
	ID string
	// Err is the cause, one of those above, or ErrScope for one of another owner.
	Err error
}

// Error implements error. Of the record it has the id alone.
func (e *RecordError) Error() string {
	return fmt.Sprintf("longterm: record %d (%q): %v", e.Index, e.ID, e.Err)
}

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }
