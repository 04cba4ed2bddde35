package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var _ longtermdriver.Index = (*Index)(nil)

// Index is a driver.Index in the file of a Store. It is safe for concurrent use, by
// several processes too, and is closed with its Store.
type Index struct{ store *Store }

// Index returns the long-term memory that is in the file.
func (s *Store) Index() *Index { return &Index{store: s} }

// Causes of a *FileError, beside those of messages.
var errBody = errors.New("not a record")

// failed is what a method returns for err: one of the errors that driver.Index
// names where there is one.
func (x *Index) failed(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case x.store.writer.isClosed() && !isOwn(err), errors.Is(err, sessiondriver.ErrClosed):
		err = longtermdriver.ErrClosed
	case ctx.Err() != nil && isInterrupted(err):
		err = ctx.Err()
	case isDamage(err), errors.Is(err, errBody), errors.Is(err, errNotNumber), errors.Is(err, errMissing):
		err = &FileError{Path: x.store.path, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isOutage(err), errors.Is(err, sessiondriver.ErrUnavailable):
		err = fmt.Errorf("%w: %w", longtermdriver.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlitestore: %s: %w", doing, err)
}

// read calls f with a transaction in which all is of the same moment.
func (x *Index) read(ctx context.Context, f func(*recordReader) error) error {
	tx, err := x.store.reader.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it has written nothing
	return f(&recordReader{ctx: ctx, tx: tx, prepared: x.store.reader})
}

// recordReader reads records.
type recordReader struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared *reader
}

// each hands a function that scans a row to each, for all rows of a query.
func (r *recordReader) each(each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := r.tx.QueryContext(r.ctx, query, args...)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}
