package driver

import (
	"errors"
	"fmt"
)

// Errors of an Index. They come wrapped.
var (
	// ErrConflict is returned if a record has changed since it was read, or if another record
	// has its hash. Nothing was changed.
	ErrConflict = errors.New("longterm: record changed concurrently")
	// ErrUnavailable is returned if the index does not reply in time. A write may or may not have
	// happened. Putting the same records again is always safe.
	ErrUnavailable = errors.New("longterm: index is unavailable")
	// ErrScope is returned if a call does not name the owner of its records.
	ErrScope = errors.New("longterm: no scope")
	// ErrFilter is returned if a filter or query is contradictory or out of bounds.
	ErrFilter = errors.New("longterm: invalid filter")
	// ErrClosed is returned by calls after Close.
	ErrClosed = errors.New("longterm: closed")
)

// Causes of a *RecordError.
var (
	ErrNoID        = errors.New("no id")
	ErrNoText      = errors.New("no text")
	ErrType        = errors.New("unknown record type")
	ErrInvalidUTF8 = errors.New("not valid UTF-8")
	ErrTooLarge    = errors.New("too large")
	ErrMetadata    = errors.New("metadata is not a JSON object")
)

// RecordError is returned if a record is refused, and with it all others of its call.
type RecordError struct {
	// Index is the record's position in the call.
	Index int
	// ID is the record's id, shortened if it is long.
	ID string
	// Err is one of the causes above, or ErrScope for a record of another owner.
	Err error
}

// Error implements error. It quotes nothing of the record but its id.
func (e *RecordError) Error() string {
	return fmt.Sprintf("longterm: record %d (%q): %v", e.Index, e.ID, e.Err)
}

// Unwrap returns the cause.
func (e *RecordError) Unwrap() error { return e.Err }
