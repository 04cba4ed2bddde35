package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var _ driver.Store = (*Store)(nil)

// Store is a driver.Store in an SQLite file. Open makes one. It is safe for
// concurrent use.
type Store struct {
	path   string
	opts   Options
	writer *writer
	reader *reader

	sweeps    sync.WaitGroup
	stopSweep context.CancelFunc
	close     func() error
}

// Open opens the file at path, or makes it; its directory must exist. The path is
// one of the file system, not a URI. There is no store in memory here:
// memstore.New is one.
//
// Errors: *SchemaError, *FileError, session.ErrUnavailable if the file cannot be
// opened or stays locked, ctx.Err().
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	filled, err := opts.filled()
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, opts: filled}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	ctx, s.stopSweep = context.WithCancel(context.WithoutCancel(ctx))
	if s.opts.SweepInterval > 0 {
		s.sweeps.Go(func() { s.sweepEvery(ctx, s.opts.SweepInterval) })
	}
	s.close = sync.OnceValue(s.shut)
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	file, err := newFile(s.path, s.opts)
	if err != nil {
		return err
	}
	if err := file.prepare(ctx); err != nil {
		return openError(ctx, s.path, err)
	}
	writes, err := file.connect(writing)
	if err != nil {
		return openError(ctx, s.path, err)
	}
	reads, err := file.connect(reading)
	if err != nil {
		return openError(ctx, s.path, errors.Join(err, writes.Close()))
	}
	s.writer = newWriter(writes, file)
	if s.reader, err = newReader(ctx, reads); err != nil {
		return openError(ctx, s.path, errors.Join(err, reads.Close(), writes.Close()))
	}
	return nil
}

// openError is what Open returns for err.
func openError(ctx context.Context, path string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case isDamage(err):
		return &FileError{Path: path, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isOutage(err):
		err = fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlitestore: opening %s: %w", path, err)
}

// Close ends the sweeper, waits for the calls that are writing, and closes the
// file, where calls still read it with the last of them. All later calls return session.ErrClosed, further ones of Close what the
// first one did.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	s.stopSweep()
	s.writer.stop()
	s.sweeps.Wait()
	// The reader goes first: the last connection moves the log into the file, and
	// one that only reads could not.
	if err := errors.Join(s.reader.close(), s.writer.close()); err != nil {
		return fmt.Errorf("sqlitestore: closing: %w", err)
	}
	return nil
}

// check returns what is wrong with a call whatever is stored.
func check(ctx context.Context, key driver.Key, ttl time.Duration) error {
	if err := key.Check(); err != nil {
		return err
	}
	if _, err := driver.TTLMillis(ttl); err != nil {
		return err
	}
	return ctx.Err()
}

// now is the clock in the milliseconds that the file has.
func (s *Store) now() int64 { return s.opts.Now().UnixMilli() }

// reader is what reads.
type reader struct {
	db                      *sql.DB
	loadSession, loadWindow *sql.Stmt
	// Of records: by key, by hash and by number, the numbers of owners, and keys.
	recordByKey, recordByHash, recordByNumber, owner, keyOfRecord *sql.Stmt
	// Of tokens, by id.
	token *sql.Stmt
}

func newReader(ctx context.Context, db *sql.DB) (*reader, error) {
	r := &reader{db: db}
	for _, s := range []struct {
		stmt  **sql.Stmt
		query string
	}{
		{&r.loadSession, selectWithHead}, {&r.loadWindow, selectMessages},
		{&r.recordByKey, selectByKey}, {&r.recordByHash, selectByHash}, {&r.recordByNumber, selectByNumber},
		{&r.owner, selectOwner}, {&r.keyOfRecord, selectKey},
		{&r.token, selectToken},
	} {
		var err error
		if *s.stmt, err = db.PrepareContext(ctx, s.query); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *reader) close() error { return r.db.Close() }
