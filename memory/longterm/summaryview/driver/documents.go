package driver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors of a DocumentStore. Test for them with errors.Is: they come wrapped.
var (
	// ErrNotFound is returned when there is no document with the key.
	ErrNotFound = errors.New("summaryview: document not found")
	// ErrConflict is returned when a document does not have the expected revision.
	ErrConflict = errors.New("summaryview: document was changed concurrently")
	// ErrDocument is returned for invalid arguments.
	ErrDocument = errors.New("summaryview: bad document")
	// ErrUnavailable is returned when a store does not answer.
	ErrUnavailable = errors.New("summaryview: store is unavailable")
	// ErrClosed is returned by a store that has been closed.
	ErrClosed = errors.New("summaryview: store is closed")
)

// Limits of documents.
const (
	// MaxKeyBytes limits a key.
	MaxKeyBytes = 200
	// MaxRevisionBytes limits a revision.
	MaxRevisionBytes = 64
	// MaxValueBytes limits a value: 1 MiB.
	MaxValueBytes = 1 << 20
	// MaxDocumentChanges limits the changes of a Write.
	MaxDocumentChanges = 100
	// MaxDocuments limits the documents that List and Due return.
	MaxDocuments = 1000
)

// DocumentStore stores documents. It is safe for concurrent use, also by several processes if
// they share it. Every call sees the writes acknowledged before it. Results belong to the caller.
//
// Any method may return ErrDocument, ErrUnavailable, ErrClosed, or an error that wraps ctx.Err().
// A Write that failed with ErrUnavailable may have taken effect. No error contains a value.
type DocumentStore interface {
	// Get returns the document with a key, or ErrNotFound.
	Get(ctx context.Context, key string) (Document, error)
	// List returns the first documents whose keys begin with prefix and are greater than after,
	// ordered by key. limit is from 1 to MaxDocuments.
	List(ctx context.Context, prefix, after string, limit int) ([]Document, error)
	// Count returns the number of documents whose keys begin with prefix.
	Count(ctx context.Context, prefix string) (int, error)
	// Due returns the first documents whose due time is at or before a time, ordered by due
	// time, then by key. limit is from 1 to MaxDocuments.
	Due(ctx context.Context, at time.Time, limit int) ([]Document, error)
	// Write applies changes to different documents, all or none. It returns ErrConflict if a
	// document does not have the revision that its change expects.
	Write(ctx context.Context, changes []DocumentChange) error
}

// Document is a value with a key.
type Document struct {
	// Key consists of 1 to MaxKeyBytes visible ASCII characters.
	Key string
	// Revision identifies the contents. The writer chooses it and never uses one twice. It
	// consists of 1 to MaxRevisionBytes visible ASCII characters.
	Revision string
	// Due is when the document needs attention, from 1970 to 9999, truncated to the millisecond
	// and in UTC. If zero, it never does.
	Due time.Time
	// Value is any bytes, at most MaxValueBytes.
	Value []byte
}

// DocumentChange is a change of a Write.
type DocumentChange struct {
	// Do is what happens to the document.
	Do DocumentAction
	// If is the revision that the document must have. If empty, which only PutDocument allows, there must
	// be no document.
	If string
	// Document is the new document. For RemoveDocument and RequireDocument, only its Key counts.
	Document Document
}

// DocumentAction is what a DocumentChange does.
type DocumentAction int

const (
	// PutDocument stores the document.
	PutDocument DocumentAction = iota
	// RemoveDocument removes the document.
	RemoveDocument
	// RequireDocument leaves the document as it is.
	RequireDocument
)

// CheckKey returns ErrDocument for an invalid key.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKeyBytes || !isVisible(key) {
		return fmt.Errorf("%w: a key must consist of 1 to %d visible ASCII characters", ErrDocument, MaxKeyBytes)
	}
	return nil
}

// CheckPage returns ErrDocument for invalid arguments of List or Due. prefix and after may be
// empty.
func CheckPage(prefix, after string, limit int) error {
	switch {
	case len(prefix) > MaxKeyBytes, len(after) > MaxKeyBytes, !isVisible(prefix), !isVisible(after):
		return fmt.Errorf("%w: the prefix or the key before the page is invalid", ErrDocument)
	case limit < 1, limit > MaxDocuments:
		return fmt.Errorf("%w: the limit must be from 1 to %d", ErrDocument, MaxDocuments)
	}
	return nil
}

// CheckChanges returns ErrDocument for invalid arguments of Write.
func CheckChanges(changes []DocumentChange) error {
	if len(changes) > MaxDocumentChanges {
		return fmt.Errorf("%w: %d changes exceed the limit of %d", ErrDocument, len(changes), MaxDocumentChanges)
	}
	seen := make(map[string]bool, len(changes))
	for i := range changes {
		c := &changes[i]
		if err := c.check(); err != nil {
			return err
		}
		if seen[c.Document.Key] {
			return fmt.Errorf("%w: two changes have one key", ErrDocument)
		}
		seen[c.Document.Key] = true
	}
	return nil
}

func (c *DocumentChange) check() error {
	if err := CheckKey(c.Document.Key); err != nil {
		return err
	}
	d := &c.Document
	switch {
	case c.Do < PutDocument || c.Do > RequireDocument:
		return fmt.Errorf("%w: unknown action", ErrDocument)
	case len(c.If) > MaxRevisionBytes, !isVisible(c.If), c.If == "" && c.Do != PutDocument:
		return fmt.Errorf("%w: invalid revision", ErrDocument)
	case c.Do != PutDocument:
		return nil
	case d.Revision == "", len(d.Revision) > MaxRevisionBytes, !isVisible(d.Revision), d.Revision == c.If:
		return fmt.Errorf("%w: a new revision must differ and consist of 1 to %d visible ASCII characters", ErrDocument, MaxRevisionBytes)
	case len(d.Value) > MaxValueBytes:
		return fmt.Errorf("%w: the value has %d bytes, the limit is %d", ErrDocument, len(d.Value), MaxValueBytes)
	case !d.Due.IsZero() && (d.Due.UTC().Year() < 1970 || d.Due.UTC().Year() > 9999):
		return fmt.Errorf("%w: the due time must be in the years 1970 to 9999", ErrDocument)
	}
	return nil
}

func isVisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
