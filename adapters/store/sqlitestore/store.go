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

var (
	_ driver.ResultStore        = (*Store)(nil)
	_ driver.DurabilityReporter = (*Store)(nil)
)

// Store is a driver.Store in an SQLite file. Use Open to create one. It is safe for concurrent
// use.
type Store struct {
	path   string
	opts   Options
	writer *writer
	reader *reader

	// background is what runs until Close.
	background     sync.WaitGroup
	stopBackground context.CancelFunc
	// reindexed is closed when no more records of earlier versions are indexed.
	reindexed chan struct{}
	close     func() error
}

// Open opens the file at path, or creates it in an existing directory. The path is one of the
// file system, not a URI. For a store in memory use memstore.New.
//
// Errors: *SchemaError, *FileError, session.ErrUnavailable if the file cannot be opened or stays
// locked, ctx.Err().
func Open(ctx context.Context, path string, opts *Options) (*Store, error) {
	filled, err := opts.filled()
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, opts: filled, reindexed: make(chan struct{})}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	ctx, s.stopBackground = context.WithCancel(context.WithoutCancel(ctx))
	if s.opts.SweepInterval > 0 {
		s.background.Go(func() { s.sweepEvery(ctx, s.opts.SweepInterval) })
	}
	s.background.Go(func() { s.reindexAll(ctx) })
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

// openError returns the error of Open for err.
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

// Close stops what runs in the background, waits for running writes and closes the file once the last running
// read has ended. Later calls return session.ErrClosed, and further calls of Close the result of
// the first.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut() error {
	s.stopBackground()
	s.writer.stop()
	s.background.Wait()
	// The reader is closed first: the last connection moves the log into the file, which a
	// read-only one cannot.
	if err := errors.Join(s.reader.close(), s.writer.close()); err != nil {
		return fmt.Errorf("sqlitestore: closing: %w", err)
	}
	return nil
}

// Durability implements driver.DurabilityReporter: see Options.Relaxed. A killed process loses
// nothing in either case.
func (s *Store) Durability(context.Context) (driver.Durability, error) {
	if s.opts.Relaxed {
		return driver.Durability{Level: driver.DurabilityDelayed, Settings: "synchronous=NORMAL"}, nil
	}
	return driver.Durability{Level: driver.DurabilitySynced, Settings: "synchronous=FULL"}, nil
}

// check returns an error for an invalid key or TTL, or if ctx has ended.
func check(ctx context.Context, key driver.Key, ttl time.Duration) error {
	if err := key.Check(); err != nil {
		return err
	}
	if _, err := driver.TTLMillis(ttl); err != nil {
		return err
	}
	return ctx.Err()
}

// now returns the time of the clock in Unix milliseconds.
func (s *Store) now() int64 { return s.opts.Now().UnixMilli() }

// reader has the connections for reads and their statements.
type reader struct {
	db                                *sql.DB
	loadSession, loadWindow, loadSize *sql.Stmt
	// For records: by key, by hash and by row id; the row ids of owners; keys.
	recordByKey, recordByHash, recordByNumber, owner, keyOfRecord *sql.Stmt
	blocks                                                        blockCache
	// For messages: by key; the ids of their neighbours.
	message, previous, next *sql.Stmt
	// For tokens, by id.
	token *sql.Stmt
	// For results: those of a session, and chunks of one.
	results, chunks *sql.Stmt
}

func newReader(ctx context.Context, db *sql.DB) (*reader, error) {
	r := &reader{db: db, blocks: blockCache{blocks: map[int64]*decodedBlock{}}}
	for _, s := range []struct {
		stmt  **sql.Stmt
		query string
	}{
		{&r.loadSession, selectWithHead}, {&r.loadWindow, selectMessages}, {&r.loadSize, selectSize},
		{&r.recordByKey, selectByKey}, {&r.recordByHash, selectByHash}, {&r.recordByNumber, selectByNumber},
		{&r.owner, selectOwner}, {&r.keyOfRecord, selectKey},
		{&r.message, selectMessage}, {&r.previous, selectPrevious}, {&r.next, selectNext},
		{&r.token, selectToken},
		{&r.results, selectResults}, {&r.chunks, selectChunks},
	} {
		var err error
		if *s.stmt, err = db.PrepareContext(ctx, s.query); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *reader) close() error { return r.db.Close() }
