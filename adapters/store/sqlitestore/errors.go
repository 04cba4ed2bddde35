package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Causes of a *FileError.
var (
	// ErrForeign says that the file is a database that this package did not make.
	ErrForeign = errors.New("a database of another application")
	// ErrDamaged says that the file is damaged, or is no database.
	ErrDamaged = errors.New("damaged, or not a database")
)

// FileError says that a file cannot be used as a store. It was not changed.
type FileError struct {
	Path string
	// Err is the cause: ErrForeign or ErrDamaged.
	Err error
}

// Error implements error. It names the file.
func (e *FileError) Error() string { return fmt.Sprintf("sqlitestore: %s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// SchemaError says that a file was written by a later version of this package. It
// was not changed.
type SchemaError struct {
	Path string
	// Version is that of the file's schema, Known the latest that is known here.
	Version, Known int
}

// Error implements error. It names the file.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("sqlitestore: %s: schema has version %d, versions up to %d are known", e.Path, e.Version, e.Known)
}

// code is SQLite's primary result code; 0: the error is not of SQLite.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

func isDamage(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// isInterrupted reports whether an error is what a read ends with that was under way
// when its context ended.
func isInterrupted(err error) bool {
	return code(err) == sqlite3.SQLITE_INTERRUPT || errors.Is(err, sql.ErrTxDone) || errors.Is(err, sql.ErrConnDone)
}

// isOutage reports whether SQLite could not reach or change the file for a reason
// that lies outside of it: locks, disk, memory, permissions.
func isOutage(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// failed is what a method returns for err: one of the errors that driver.Store
// names where there is one.
func (s *Store) failed(ctx context.Context, doing string, key sessiondriver.Key, err error) error {
	switch {
	case err == nil:
		return nil
	case s.writer.isClosed() && !isOwn(err):
		err = sessiondriver.ErrClosed
	case ctx.Err() != nil && isInterrupted(err):
		err = ctx.Err()
	case isDamage(err) && key.SessionID != "":
		err = &sessiondriver.DamagedError{Key: key, Part: "file", Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isDamage(err):
		err = &FileError{Path: s.path, Err: fmt.Errorf("%w: %w", ErrDamaged, err)}
	case isOutage(err):
		err = fmt.Errorf("%w: %w", sessiondriver.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlitestore: %s: %w", doing, err)
}

// isOwn reports whether an error is a store's answer, which closing the store does
// not change.
func isOwn(err error) bool {
	if _, ok := errors.AsType[*sessiondriver.DamagedError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*sessiondriver.FormatError](err); ok {
		return true
	}
	return errors.Is(err, sessiondriver.ErrNotFound) || errors.Is(err, sessiondriver.ErrConflict) || errors.Is(err, longtermdriver.ErrConflict) ||
		errors.Is(err, auth.ErrNotFound) || errors.Is(err, auth.ErrExists) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
