package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// documentTable is the migration that adds the documents of summary views.
const documentTable = `
CREATE TABLE documents (
	key      TEXT PRIMARY KEY,
	revision TEXT NOT NULL,
	due_at   INTEGER,          -- Unix time in ms; NULL: never
	value    BLOB NOT NULL
) STRICT;
CREATE INDEX documents_due ON documents (due_at, key) WHERE due_at IS NOT NULL;
`

const (
	selectDocuments  = `SELECT key, revision, due_at, value FROM documents `
	selectDocument   = selectDocuments + `WHERE key = ?`
	listDocuments    = selectDocuments + `WHERE key >= ?1 AND key < ?1 || char(127) AND key > ?2 ORDER BY key LIMIT ?3`
	countDocuments   = `SELECT count(*) FROM documents WHERE key >= ?1 AND key < ?1 || char(127)`
	dueDocuments     = selectDocuments + `WHERE due_at <= ? ORDER BY due_at, key LIMIT ?`
	documentRevision = `SELECT revision FROM documents WHERE key = ?`
	putDocument      = `INSERT INTO documents (key, revision, due_at, value) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, due_at = excluded.due_at, value = excluded.value`
	removeDocument = `DELETE FROM documents WHERE key = ?`
)

var _ driver.DocumentStore = (*Documents)(nil)

// Documents is a driver.DocumentStore in the file of a Store. It is safe for concurrent use by any
// number of processes, and is closed with its Store.
type Documents struct{ store *Store }

// Documents returns the store of the documents of summary views in the same file.
func (s *Store) Documents() *Documents { return &Documents{store: s} }

// Get implements driver.DocumentStore.
func (x *Documents) Get(ctx context.Context, key string) (driver.Document, error) {
	err := driver.CheckKey(key)
	var found []driver.Document
	if err == nil {
		found, err = x.query(ctx, selectDocument, key)
	}
	if err == nil && len(found) == 0 {
		err = driver.ErrNotFound
	}
	if err != nil {
		return driver.Document{}, x.failed(ctx, "reading a document", err)
	}
	return found[0], nil
}

// List implements driver.DocumentStore.
func (x *Documents) List(ctx context.Context, prefix, after string, limit int) (page []driver.Document, err error) {
	if err = driver.CheckPage(prefix, after, limit); err == nil {
		page, err = x.query(ctx, listDocuments, prefix, after, limit)
	}
	return page, x.failed(ctx, "listing documents", err)
}

// Count implements driver.DocumentStore.
func (x *Documents) Count(ctx context.Context, prefix string) (n int, err error) {
	if err = driver.CheckPage(prefix, "", 1); err == nil {
		err = x.store.reader.db.QueryRowContext(ctx, countDocuments, prefix).Scan(number(&n))
	}
	return n, x.failed(ctx, "counting documents", err)
}

// Due implements driver.DocumentStore.
func (x *Documents) Due(ctx context.Context, at time.Time, limit int) (page []driver.Document, err error) {
	if err = driver.CheckPage("", "", limit); err == nil {
		page, err = x.query(ctx, dueDocuments, at.UnixMilli(), limit)
	}
	return page, x.failed(ctx, "listing due documents", err)
}

// query returns the documents that a query selects.
func (x *Documents) query(ctx context.Context, query string, args ...any) (found []driver.Document, err error) {
	rows, err := x.store.reader.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	err = forEach(rows, func(scan func(...any) error) error {
		d := driver.Document{Value: []byte{}}
		var due sql.NullInt64
		if err := scan(&d.Key, &d.Revision, optional(&due), (*content)(&d.Value)); err != nil {
			return err
		}
		if due.Valid {
			d.Due = time.UnixMilli(due.Int64).UTC()
		}
		found = append(found, d)
		return nil
	})
	return found, err
}

// Write implements driver.DocumentStore.
func (x *Documents) Write(ctx context.Context, changes []driver.DocumentChange) error {
	err := driver.CheckChanges(changes)
	if err == nil {
		err = x.store.writer.do(ctx, func(tx *tx) error {
			if err := tx.checkRevisions(changes); err != nil {
				return err
			}
			return tx.writeDocuments(changes)
		})
	}
	return x.failed(ctx, "writing documents", err)
}

// checkRevisions returns driver.ErrConflict unless the documents have the expected revisions.
func (t *tx) checkRevisions(changes []driver.DocumentChange) error {
	for i := range changes {
		revision := ""
		err := t.query(func(scan func(...any) error) error { return scan(&revision) }, documentRevision, changes[i].Document.Key)
		switch {
		case err != nil:
			return err
		case revision != changes[i].If:
			return driver.ErrConflict
		}
	}
	return nil
}

func (t *tx) writeDocuments(changes []driver.DocumentChange) (err error) {
	for i := range changes {
		switch d := &changes[i].Document; changes[i].Do {
		case driver.PutDocument:
			due := sql.NullInt64{Int64: d.Due.UnixMilli(), Valid: !d.Due.IsZero()}
			_, err = t.exec(putDocument, d.Key, d.Revision, due, append([]byte{}, d.Value...))
		case driver.RemoveDocument:
			_, err = t.exec(removeDocument, d.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failed returns the error of a method for err, using the errors of driver.DocumentStore.
func (x *Documents) failed(ctx context.Context, op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, driver.ErrDocument):
	case x.store.writer.isClosed() && !isOwn(err), errors.Is(err, sessiondriver.ErrClosed):
		err = driver.ErrClosed
	case ctx.Err() != nil && isInterrupted(err):
		err = ctx.Err()
	case isDamage(err), errors.Is(err, errNotNumber):
		err = &FileError{Path: x.store.path, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isOutage(err), errors.Is(err, sessiondriver.ErrUnavailable):
		err = fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlitestore: %s: %w", op, err)
}
