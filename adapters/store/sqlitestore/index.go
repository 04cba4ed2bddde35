package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var (
	_ longtermdriver.Index             = (*Index)(nil)
	_ sessiondriver.DurabilityReporter = (*Index)(nil)
)

// Index is a driver.Index in the file of a Store. It is safe for concurrent use by any number of
// processes, and is closed with its Store.
type Index struct{ store *Store }

// Index returns the index of long-term memory in the same file.
func (s *Store) Index() *Index { return &Index{store: s} }

// Durability implements driver.DurabilityReporter: see Store.Durability.
func (x *Index) Durability(ctx context.Context) (sessiondriver.Durability, error) {
	return x.store.Durability(ctx)
}

// errBody is the cause of a *FileError for a damaged record.
var errBody = errors.New("not a record")

// failed returns the error of a method for err, using the errors of driver.Index.
func (x *Index) failed(ctx context.Context, op string, err error) error {
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
	return fmt.Errorf("sqlitestore: %s: %w", op, err)
}

// read calls f with a transaction that reads one snapshot.
func (x *Index) read(ctx context.Context, f func(*recordReader) error) error {
	tx, err := x.store.reader.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return f(&recordReader{ctx: ctx, tx: tx, prepared: x.store.reader, reserve: sessiondriver.ReserveParts(ctx, x)})
}

// recordReader reads records in a transaction.
type recordReader struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared *reader
	reserve  func(bytes int64) error
}

// each calls each for every row of a query with the function that scans it.
func (r *recordReader) each(each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := r.tx.QueryContext(r.ctx, query, args...)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}
