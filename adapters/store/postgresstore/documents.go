package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Documents is a driver.DocumentStore in the schema of a Store. It is safe for concurrent use by
// any number of processes, and is closed with its Store.
type Documents struct{ store *Store }

var _ driver.DocumentStore = (*Documents)(nil)

// Documents returns the store of the documents of summary views in the same schema.
func (s *Store) Documents() *Documents { return &Documents{store: s} }

const (
	selectDocuments = `SELECT key, revision, due_at, value FROM {schema}.documents `
	listDocuments   = selectDocuments + `WHERE key >= $1 AND key < $1::text || chr(127) AND key > $2 ORDER BY key LIMIT $3::bigint`
	countDocuments  = `SELECT count(*) FROM {schema}.documents WHERE key >= $1 AND key < $1::text || chr(127)`
	dueDocuments    = selectDocuments + `WHERE due_at <= $1 ORDER BY due_at, key LIMIT $2::bigint`
	insertDocument  = `INSERT INTO {schema}.documents (key, revision, due_at, value) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`
	updateDocument  = `UPDATE {schema}.documents SET revision = $2, due_at = $3, value = $4 WHERE key = $1 AND revision = $5`
	removeDocument  = `DELETE FROM {schema}.documents WHERE key = $1 AND revision = $2`
	requireDocument = `SELECT FROM {schema}.documents WHERE key = $1 AND revision = $2 FOR SHARE`
)

// Get implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Get(ctx context.Context, key string) (d driver.Document, err error) {
	err = x.call(ctx, "get a document", driver.CheckKey(key), func() error {
		page, err := x.query(ctx, x.store.sql.document, key)
		if err == nil && len(page) == 0 {
			return driver.ErrNotFound
		}
		if err == nil {
			d = page[0]
		}
		return err
	})
	return d, err
}

// List implements driver.DocumentStore. It takes one round trip.
func (x *Documents) List(ctx context.Context, prefix, after string, limit int) (page []driver.Document, err error) {
	err = x.call(ctx, "list documents", driver.CheckPage(prefix, after, limit), func() (err error) {
		page, err = x.query(ctx, x.store.sql.documents, prefix, after, int64(limit))
		return err
	})
	return page, err
}

// Count implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Count(ctx context.Context, prefix string) (n int, err error) {
	err = x.call(ctx, "count documents", driver.CheckPage(prefix, "", 1), func() error {
		return x.store.pool.QueryRow(ctx, x.store.sql.countDocuments, prefix).Scan(&n)
	})
	return n, err
}

// Due implements driver.DocumentStore. It takes one round trip.
func (x *Documents) Due(ctx context.Context, at time.Time, limit int) (page []driver.Document, err error) {
	err = x.call(ctx, "list due documents", driver.CheckPage("", "", limit), func() (err error) {
		page, err = x.query(ctx, x.store.sql.dueDocuments, at, int64(limit))
		return err
	})
	return page, err
}

func (x *Documents) query(ctx context.Context, statement string, arguments ...any) (page []driver.Document, err error) {
	rows, err := x.store.pool.Query(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d driver.Document, err error) {
		var due *time.Time
		err = row.Scan(&d.Key, &d.Revision, &due, &d.Value)
		d.Due = utc(due)
		return d, err
	})
	if len(page) == 0 {
		page = nil
	}
	return page, err
}

// Write implements driver.DocumentStore. It is one transaction with a round trip for each change.
func (x *Documents) Write(ctx context.Context, changes []driver.DocumentChange) error {
	// Writers that change the same documents lock them in the same order.
	changes = slices.SortedFunc(slices.Values(changes), func(a, b driver.DocumentChange) int {
		return strings.Compare(a.Document.Key, b.Document.Key)
	})
	return x.call(ctx, "write documents", driver.CheckChanges(changes), func() error {
		// Regardless of the default level, a statement that waited for a lock must see what
		// others did while they held it.
		tx, err := x.store.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(ctx) }()
		for i := range changes {
			if err := x.change(ctx, tx, &changes[i]); err != nil {
				return err
			}
		}
		if err := tx.Commit(ctx); err != nil {
			return fmt.Errorf("%w: %w", errAnswered, err)
		}
		return nil
	})
}

// change applies a change. A statement that affects no row is a conflict.
func (x *Documents) change(ctx context.Context, tx pgx.Tx, c *driver.DocumentChange) error {
	d := &c.Document
	statement, arguments := x.store.sql.requireDocument, []any{d.Key, c.If}
	switch {
	case c.Do == driver.PutDocument:
		var due *time.Time
		if !d.Due.IsZero() {
			due = new(inMillis(d.Due))
		}
		statement, arguments = x.store.sql.insertDocument, []any{d.Key, d.Revision, due, append([]byte{}, d.Value...)}
		if c.If != "" {
			statement, arguments = x.store.sql.updateDocument, append(arguments, c.If)
		}
	case c.Do == driver.RemoveDocument:
		statement = x.store.sql.removeDocument
	}
	tag, err := tx.Exec(ctx, statement, arguments...)
	if err == nil && tag.RowsAffected() == 0 {
		err = driver.ErrConflict
	}
	return err
}

// call is like Store.call, with the errors of driver.DocumentStore. If invalid is an error, call
// returns it.
func (x *Documents) call(ctx context.Context, op string, invalid error, f func() error) error {
	s := x.store
	err := invalid
	switch {
	case err != nil:
	case s.closed.Load():
		err = driver.ErrClosed
	default:
		if err = ctx.Err(); err == nil {
			err = retry(ctx, f)
		}
	}
	for _, own := range []error{driver.ErrDocument, driver.ErrNotFound, driver.ErrConflict, driver.ErrClosed} {
		if errors.Is(err, own) {
			return fmt.Errorf("postgresstore: %s: %w", op, err)
		}
	}
	switch safe, lost := classify(ctx, err); {
	case err == nil:
		return nil
	case s.closed.Load():
		err = driver.ErrClosed
	case lost:
		err = fmt.Errorf("%w: %w", driver.ErrUnavailable, safe)
	default:
		err = safe
	}
	return fmt.Errorf("postgresstore: %s: %w", op, err)
}
