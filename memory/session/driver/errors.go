package driver

import (
	"errors"
	"fmt"
)

// Errors of a Store and of a session.Manager, which wrap them.
var (
	// ErrNotFound is returned for a session that does not exist, was deleted or has
	// expired.
	ErrNotFound = errors.New("session: not found")
	// ErrConflict is returned if a session has changed since it was read, or exists though
	// it should not. Nothing was changed.
	ErrConflict = errors.New("session: changed concurrently")
	// ErrUnavailable is returned if the store did not answer in time. The write may or may
	// not have happened. Appending messages with ids again is always safe.
	ErrUnavailable = errors.New("session: store is unavailable")
	// ErrTTL is returned for a time to live that is not positive.
	ErrTTL = errors.New("session: time to live must be positive")
	// ErrClosed is returned after a manager or a store has been closed.
	ErrClosed = errors.New("session: closed")
)

// DamagedError is returned for a session whose stored data cannot be read. It is never
// overwritten, but Delete removes it.
type DamagedError struct {
	Key Key
	// Part names what is damaged: "head", "message 17" (a sequence number), …
	Part string
	// Err is the cause. Its text quotes no stored data.
	Err error
}

// Error implements error. It names the key.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("session: %s: damaged %s: %v", e.Key.Short(), e.Part, e.Err)
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// FormatError is returned for a session that was written in a later format than this
// version knows. It is never overwritten.
type FormatError struct {
	Key Key
	// Format is the format of the session, Known the latest that can be read.
	Format, Known int
}

// Error implements error. It names the key.
func (e *FormatError) Error() string {
	return fmt.Sprintf("session: %s: stored in format %d, this version knows formats up to %d", e.Key.Short(), e.Format, e.Known)
}
