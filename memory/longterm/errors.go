package longterm

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/embedding"
)

// Errors of a Memory. They come wrapped.
var (
	// ErrNotFound is returned if no record, or more than one record, has the id.
	ErrNotFound = errors.New("longterm: not found")
	// ErrTaken is returned if a record would move to an owner that has a record with its id.
	// Nothing was changed.
	ErrTaken = draft.ErrTaken
	// ErrEmbedder is returned if texts cannot be embedded.
	ErrEmbedder = embedding.ErrEmbedder
	// ErrConflict is returned if other callers changed a record concurrently in each of 100
	// attempts. Nothing was changed.
	ErrConflict = driver.ErrConflict
	// ErrUnavailable is returned if the index does not reply in time. A write may or may not have
	// happened. Putting the same records again is always safe.
	ErrUnavailable = driver.ErrUnavailable
	// ErrScope is returned if a call does not name the owner of its records.
	ErrScope = driver.ErrScope
	// ErrFilter is returned if a filter, query or policy is contradictory or out of bounds.
	ErrFilter = driver.ErrFilter
	// ErrClosed is returned by calls after Close.
	ErrClosed = driver.ErrClosed
)

// RecordError is returned if a record is refused, and with it all others of its call. Index is
// its position in the call, ID its id, possibly shortened, and Err the cause.
type RecordError = driver.RecordError

// Causes of a RecordError, besides ErrScope for a record of another owner.
var (
	ErrNoID        = driver.ErrNoID
	ErrNoText      = driver.ErrNoText
	ErrType        = driver.ErrType
	ErrInvalidUTF8 = driver.ErrInvalidUTF8
	ErrTooLarge    = driver.ErrTooLarge
	ErrMetadata    = driver.ErrMetadata
	// ErrFixed is a cause in Memory.Update only.
	ErrFixed = errors.New("id and hash cannot be changed")
)

func refused(why string) error { return fmt.Errorf("%w: %s", ErrFilter, why) }
