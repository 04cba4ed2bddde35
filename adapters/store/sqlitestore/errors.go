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
	documentdriver "github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The causes of a *FileError.
var (
	// ErrForeign is the cause for a database that this package did not create.
	ErrForeign = errors.New("database of another application")
	// ErrDamaged is the cause for a file that is damaged or not a database.
	ErrDamaged = errors.New("damaged, or not a database")
)

// FileError is returned for a file that cannot be used as a store. The file was not changed.
type FileError struct {
	Path string
	// Err is the cause: ErrForeign or ErrDamaged.
	Err error
}

// Error implements error. It names the file.
func (e *FileError) Error() string { return fmt.Sprintf("sqlitestore: %s: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// SchemaError is returned for a file of a later version of this package. The file was not
// changed.
type SchemaError struct {
	Path string
	// Version is the version of the file's schema, Known the latest supported one.
	Version, Known int
}

// Error implements error. It names the file.
func (e *SchemaError) Error() string {
	return fmt.Sprintf("sqlitestore: %s: schema has version %d, only versions up to %d are supported", e.Path, e.Version, e.Known)
}

// code returns SQLite's primary result code, or 0 for an error that is not of SQLite.
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

// isInterrupted reports whether err is that of a read whose context ended.
func isInterrupted(err error) bool {
	return code(err) == sqlite3.SQLITE_INTERRUPT || errors.Is(err, sql.ErrTxDone) || errors.Is(err, sql.ErrConnDone)
}

// isOutage reports whether SQLite failed for a reason outside the file: locks, disk, memory or
// permissions.
func isOutage(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// failed returns the error of a method for err, using the errors of driver.Store.
func (s *Store) failed(ctx context.Context, op string, key sessiondriver.Key, err error) error {
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
	return fmt.Errorf("sqlitestore: %s: %w", op, err)
}

// isOwn reports whether err is a result of the store rather than a failure. Such an error is
// returned even if the store is closed.
func isOwn(err error) bool {
	if _, ok := errors.AsType[*sessiondriver.DamagedError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*sessiondriver.FormatError](err); ok {
		return true
	}
	return errors.Is(err, sessiondriver.ErrNotFound) || errors.Is(err, sessiondriver.ErrConflict) || errors.Is(err, longtermdriver.ErrConflict) ||
		errors.Is(err, auth.ErrNotFound) || errors.Is(err, auth.ErrExists) ||
		errors.Is(err, documentdriver.ErrNotFound) || errors.Is(err, documentdriver.ErrConflict) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
