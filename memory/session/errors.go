package session

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Errors of a Manager. They come wrapped.
var (
	// ErrKey is returned for a key that names no session: it has no session id, or is
	// too long.
	ErrKey = driver.ErrKey
	// ErrNotFound is returned for a session that is not there, or no longer: it has
	// expired or was deleted.
	ErrNotFound = driver.ErrNotFound
	// ErrConflict is returned for a session that is not what it was when it was read,
	// and for one that is there and should not be: nothing was changed.
	ErrConflict = driver.ErrConflict
	// ErrPartial is returned if messages of a session that was read in part were changed
	// or left out: only a session with all its messages, or one with others behind those
	// that were read, can be written.
	ErrPartial = errors.New("session: only a part of the messages was read")
	// ErrUnavailable is returned if the store did not answer, or not in time. What was
	// to be written may have been written or not. Appending the same messages, by
	// their ids, again is always safe.
	ErrUnavailable = driver.ErrUnavailable
	// ErrTTL is returned for a time to live that is not positive.
	ErrTTL = driver.ErrTTL
	// ErrNoLongTerm is returned by a manager that has no Options.LongTerm.
	ErrNoLongTerm = errors.New("session: no long-term memory")
	// ErrClosed is returned after the store was closed.
	ErrClosed = driver.ErrClosed
)

// Causes of a *MessageError.
var (
	ErrNoRole      = driver.ErrNoRole
	ErrIDTooLong   = driver.ErrIDTooLong
	ErrInvalidUTF8 = driver.ErrInvalidUTF8
	ErrTooLarge    = driver.ErrTooLarge
	ErrDuplicateID = driver.ErrDuplicateID
)

// CloseError is returned by Manager.Close if its context ended before all work was done.
type CloseError struct {
	// Summaries is the number of sessions whose summary was queued or canceled,
	// Promotions the number of sessions that were not promoted in full.
	Summaries, Promotions int
	// Err is the error of the context.
	Err error
}

func (e *CloseError) Error() string {
	return fmt.Sprintf("session: closing: sessions left: %d to summarise, %d to promote: %v", e.Summaries, e.Promotions, e.Err)
}

// Unwrap returns Err.
func (e *CloseError) Unwrap() error { return e.Err }

// Errors with details.
type (
	// MessageError reports which message was refused, with all others of its call: Index
	// is its position in what was given, Err the cause.
	MessageError = driver.MessageError
	// DamagedError reports that what a store holds under a key cannot be read. It is
	// never overwritten: Delete removes it. Key is the session's, Part what is damaged,
	// Err the cause.
	DamagedError = driver.DamagedError
	// FormatError reports a session that was written in a later format than this
	// version knows. It is never overwritten. Key is the session's, Format that of what
	// is stored, Known the latest that can be read.
	FormatError = driver.FormatError
)
