package summaryview

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The documents are
//
//	view/TENANT/ID       a Definition
//	partition/ID/GROUP   a partitionDocument
//	queue/TENANT/TASK    a job, due when it may be claimed: at once, or when its lease expires
//	task/TENANT/TASK     a finished Task, due when it expires
//	refresh/ID           a viewRef of a continuous view, due for its next refresh
//	removal/ID           a viewRef of a view that was deleted, due until its partitions are removed
//
// where TENANT, GROUP and TASK are hashes.
const (
	viewKind    = "view/"
	queueKind   = "queue/"
	taskKind    = "task/"
	refreshKind = "refresh/"
	removalKind = "removal/"
)

func viewPrefix(t Tenant) string         { return viewKind + t.hash() + "/" }
func viewKey(t Tenant, id string) string { return viewPrefix(t) + id }

// viewRef names a view.
type viewRef struct {
	Tenant Tenant
	ID     string
}

var errDocument = errors.New("summaryview: stored document cannot be read")

// stored is the decoded value of a document.
type stored[T any] struct {
	value         T
	key, revision string
}

// decode decodes a document. The error has no contents.
func decode[T any](d *driver.Document) (s stored[T], err error) {
	if json.Unmarshal(d.Value, &s.value) != nil {
		return s, errDocument
	}
	s.key, s.revision = d.Key, d.Revision
	return s, nil
}

// load returns a document. Errors: ErrNotFound.
func load[T any](ctx context.Context, store driver.DocumentStore, key string) (s stored[T], err error) {
	d, err := store.Get(ctx, key)
	switch {
	case errors.Is(err, driver.ErrNotFound):
		return s, ErrNotFound
	case err != nil:
		return s, err
	}
	return decode[T](&d)
}

// pageSize is the number of documents that are listed at once.
const pageSize = 100

// each calls do with all documents whose keys begin with a prefix. It reserves twice their size: as
// they are stored and decoded.
func each[T any](ctx context.Context, store driver.DocumentStore, prefix string, do func(s stored[T])) error {
	after, reserve := "", sessiondriver.ReserveParts(ctx, store)
	for {
		page, err := store.List(ctx, prefix, after, pageSize)
		if err != nil {
			return err
		}
		for i := range page {
			if err := reserve(2 * int64(len(page[i].Value))); err != nil {
				return err
			}
			s, err := decode[T](&page[i])
			if err != nil {
				return err
			}
			do(s)
		}
		if len(page) < pageSize {
			return nil
		}
		after = page[len(page)-1].Key
	}
}

// put returns a change that stores a value with a new revision. expected is the revision that it
// replaces, or empty.
func put(key, expected string, value any, due time.Time) (driver.DocumentChange, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return driver.DocumentChange{}, fmt.Errorf("summaryview: encoding a document: %w", err)
	}
	return driver.DocumentChange{If: expected, Document: driver.Document{Key: key, Revision: rand.Text(), Due: due, Value: data}}, nil
}

// remove returns a change that removes the document.
func (s *stored[T]) remove() driver.DocumentChange {
	return driver.DocumentChange{Do: driver.RemoveDocument, If: s.revision, Document: driver.Document{Key: s.key}}
}

// require returns a change that requires that the document has not changed.
func (s *stored[T]) require() driver.DocumentChange {
	return driver.DocumentChange{Do: driver.RequireDocument, If: s.revision, Document: driver.Document{Key: s.key}}
}
