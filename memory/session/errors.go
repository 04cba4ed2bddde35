package session

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Errors of a Manager, which wraps them.
var (
	// ErrKey is returned for a key without a session id, and for one that is too long.
	ErrKey = driver.ErrKey
	// ErrNotFound is returned for a session that does not exist, was deleted or has
	// expired.
	ErrNotFound = driver.ErrNotFound
	// ErrConflict is returned if a session has changed since it was read, or exists though
	// it should not. Nothing was changed.
	ErrConflict = driver.ErrConflict
	// ErrPartial is returned when messages of a session that was read in part are changed
	// or removed. Such a session may only be appended to.
	ErrPartial = errors.New("session: only a part of the messages was read")
	// ErrUnavailable is returned if the store did not answer in time. The write may or may
	// not have happened. Appending messages with ids again is always safe.
	ErrUnavailable = driver.ErrUnavailable
	// ErrTTL is returned for a time to live that is not positive.
	ErrTTL = driver.ErrTTL
	// ErrNoLongTerm is returned by a manager without Options.LongTerm.
	ErrNoLongTerm = errors.New("session: no long-term memory")
	// ErrClosed is returned after the store has been closed.
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
	// MessageError is returned for a message that cannot be written. None of its call was
	// written. Index is the position of the message, Err the cause.
	MessageError = driver.MessageError
	// DamagedError is returned for a session whose stored data cannot be read. It is never
	// overwritten, but Delete removes it. Part names what is damaged, Err is the cause.
	DamagedError = driver.DamagedError
	// FormatError is returned for a session written in a Format later than the last Known
	// one. It is never overwritten.
	FormatError = driver.FormatError
)
