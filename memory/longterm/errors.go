package longterm

import "errors"

// Errors of an Index and of a Memory. They come wrapped.
var (
	// ErrNotFound says that there is no such record, or several where an id alone is
	// to name one.
	ErrNotFound = errors.New("longterm: not found")
	// ErrConflict says that a record is not what it was when it was read, or that one
	// has the hash of another: nothing was changed.
	ErrConflict = errors.New("longterm: changed by another")
	// ErrUnavailable says that the index did not answer, or not in time. What was to be
	// written may have been written or not. Putting the same records again is always safe.
	ErrUnavailable = errors.New("longterm: index is unavailable")
	// ErrScope says that a call does not say whose records it is about.
	ErrScope = errors.New("longterm: no scope")
	// ErrFilter says that a filter or a query contradicts itself or is out of bounds.
	ErrFilter = errors.New("longterm: bad filter")
	// ErrEmbedder says that texts could not be embedded.
	ErrEmbedder = errors.New("longterm: embedder failed")
	// ErrClosed says that a memory, a promoter or an index was closed.
	ErrClosed = errors.New("longterm: closed")
)
