package driver

import (
	"errors"
	"fmt"
)

// Errors of a Store and of a session.Manager. They come wrapped.
var (
	// ErrNotFound says that there is no such session, or no more: it has expired or
	// was deleted.
	ErrNotFound = errors.New("session: not found")
	// ErrConflict says that a session is not what it was when it was read, or that
	// one is there which should not be: nothing was changed.
	ErrConflict = errors.New("session: changed by another")
	// ErrUnavailable says that the store did not answer, or not in time. What was
	// to be written may have been written or not. Appending the same messages, by
	// their ids, again is always safe.
	ErrUnavailable = errors.New("session: store is unavailable")
	// ErrTTL says that a time to live is not positive.
	ErrTTL = errors.New("session: time to live must be positive")
	// ErrClosed says that a manager or a store was closed.
	ErrClosed = errors.New("session: closed")
)

// DamagedError says that what a store holds under a key cannot be read. It is
// never overwritten: Delete removes it.
type DamagedError struct {
	Key Key
	// Part is what is damaged: "head", "message 17" (by its sequence number), …
	Part string
	// Err is the cause. Its text has nothing of what is stored.
	Err error
}

// Error implements error. It names the key.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("session: %s: damaged %s: %v", e.Key.Short(), e.Part, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// FormatError says that a session was written in a format that this version does
// not know, of a later one. It is never overwritten.
type FormatError struct {
	Key Key
	// Format is that of what is stored, Known the latest that can be read.
	Format, Known int
}

// Error implements error. It names the key.
func (e *FormatError) Error() string {
	return fmt.Sprintf("session: %s: stored in format %d, this version knows formats up to %d", e.Key.Short(), e.Format, e.Known)
}
