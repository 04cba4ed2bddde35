package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// ErrEncoding is returned when the encoding of the database is not UTF8, which cannot represent
// every text.
var ErrEncoding = errors.New("postgresstore: database encoding is not UTF8")

// ErrServer is returned when the server is older than PostgreSQL 14.
var ErrServer = errors.New("postgresstore: server is too old")

// ErrMoved is returned when the function change_session of the schema is missing or refers to
// another schema, because the schema was renamed or restored under another name.
var ErrMoved = errors.New("postgresstore: function change_session is missing or refers to another schema")

// SchemaError is returned when the schema has a version that this package cannot use. The
// schema was not changed.
type SchemaError struct {
	// Schema is the name of the schema.
	Schema string
	// Version is the version of the schema, 0 if it does not exist. Known is the version that
	// this package requires.
	Version, Known int
}

// Error implements error.
func (e *SchemaError) Error() string {
	switch {
	case e.Version == 0:
		return fmt.Sprintf("postgresstore: schema %q does not exist, need version %d", e.Schema, e.Known)
	case e.Version < e.Known:
		return fmt.Sprintf("postgresstore: schema %q has version %d and must be migrated to version %d", e.Schema, e.Version, e.Known)
	}
	return fmt.Sprintf("postgresstore: schema %q has version %d, only versions up to %d are supported", e.Schema, e.Version, e.Known)
}

// wrap returns err for callers: with session.ErrUnavailable if the server did not respond or
// could not do its work, and with ctx.Err() if the context has ended.
func wrap(ctx context.Context, err error) error {
	safe, lost := classify(ctx, err)
	if lost {
		return fmt.Errorf("%w: %w", sessiondriver.ErrUnavailable, safe)
	}
	return safe
}

// classify removes stored values from err and reports whether the server was unavailable.
func classify(ctx context.Context, err error) (safe error, lost bool) {
	if err == nil || isOwn(err) {
		return err, false
	}
	safe, lost = err, true
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		safe, lost = withoutContents(pg), unavailable(pg.Code)
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(safe, ended) {
		safe = fmt.Errorf("%w: %w", ended, safe)
		lost = true
	}
	return safe, lost
}

// isOwn reports whether err is one of this package rather than of the database.
func isOwn(err error) bool {
	for _, own := range []error{
		sessiondriver.ErrNotFound, sessiondriver.ErrConflict, sessiondriver.ErrKey, sessiondriver.ErrTTL, sessiondriver.ErrClosed,
		longtermdriver.ErrConflict, longtermdriver.ErrMetadata,
		ErrEncoding, ErrServer, ErrMoved,
	} {
		if errors.Is(err, own) {
			return true
		}
	}
	_, format := errors.AsType[*sessiondriver.FormatError](err)
	_, damaged := errors.AsType[*sessiondriver.DamagedError](err)
	_, schema := errors.AsType[*SchemaError](err)
	return format || damaged || schema
}

// unavailable reports whether an error code is transient: a later attempt may succeed.
func unavailable(code string) bool {
	for _, prefix := range []string{
		"08",    // connection
		"53",    // out of connections, memory, disk
		"57",    // shut down, starting up, cancelled, timed out
		"58",    // system
		"40",    // rolled back repeatedly
		"55P03", // lock timeout
		"25006", // read-only: a standby
		"25P0",  // ended while idle
	} {
		if strings.HasPrefix(code, prefix) {
			return true
		}
	}
	return false
}

// withoutContents returns an error of the server without the fields that may quote stored
// values.
func withoutContents(e *pgconn.PgError) *pgconn.PgError {
	safe := &pgconn.PgError{
		Severity: e.Severity, SeverityUnlocalized: e.SeverityUnlocalized, Code: e.Code, Message: e.Message,
		SchemaName: e.SchemaName, TableName: e.TableName, ColumnName: e.ColumnName, ConstraintName: e.ConstraintName,
	}
	// Messages such as "invalid input syntax for …: …" and "syntax error in tsvector: …" quote
	// values. Those of fatal errors do not.
	if (strings.HasPrefix(e.Code, "22") || e.Code == "42601") && e.SeverityUnlocalized != "FATAL" {
		safe.Message = "invalid value"
	}
	return safe
}

// damaged converts a violated constraint to a *session.DamagedError. Only rows that were
// changed by hand lead to one: an unexpected message, or a number out of range.
func damaged(key sessiondriver.Key, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(pg.Code, "23") {
		return &sessiondriver.DamagedError{Key: key, Part: "list of messages", Err: withoutContents(pg)}
	}
	return err
}
