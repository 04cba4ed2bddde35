package longterm

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/embedding"
)

// Errors of a Memory. They come wrapped.
var (
	// ErrNotFound is returned if there is no such record, or if an id alone is to name one
	// and several have it.
	ErrNotFound = errors.New("longterm: not found")
	// ErrEmbedder is returned if texts could not be embedded.
	ErrEmbedder = embedding.ErrEmbedder
	// ErrConflict is returned if a record is not what it was when it was read, after 100
	// attempts: nothing was changed.
	ErrConflict = driver.ErrConflict
	// ErrUnavailable is returned if the index did not answer, or not in time. What was to be
	// written may have been written or not. Putting the same records again is always safe.
	ErrUnavailable = driver.ErrUnavailable
	// ErrScope is returned if a call does not name the owner of its records.
	ErrScope = driver.ErrScope
	// ErrFilter is returned if a filter, a query or a policy contradicts itself or is out of
	// bounds.
	ErrFilter = driver.ErrFilter
	// ErrClosed is returned by calls after Close.
	ErrClosed = driver.ErrClosed
)

// RecordError names a record that was refused, and with it all others of its call: Index
// is its position in what was given, ID its id, Err the cause.
type RecordError = driver.RecordError

// Causes of a *RecordError, beside ErrScope for a record of another owner.
var (
	ErrNoID        = driver.ErrNoID
	ErrNoText      = driver.ErrNoText
	ErrType        = driver.ErrType
	ErrInvalidUTF8 = driver.ErrInvalidUTF8
	ErrTooLarge    = driver.ErrTooLarge
	ErrMetadata    = driver.ErrMetadata
	// ErrFixed is of a Memory.Update alone.
	ErrFixed = errors.New("owner, id and hash cannot be changed")
)

func refused(why string) error { return fmt.Errorf("%w: %s", ErrFilter, why) }
