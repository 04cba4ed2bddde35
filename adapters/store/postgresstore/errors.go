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

// ErrEncoding says that the database's encoding is not UTF8, so that not every text
// can be kept in it.
var ErrEncoding = errors.New("postgresstore: the encoding of the database is not UTF8")

// ErrServer says that the server is older than PostgreSQL 14.
var ErrServer = errors.New("postgresstore: the server is too old")

// ErrMoved says that the function change_session of a schema is missing or works on
// another schema: the schema was renamed, or restored under another name.
var ErrMoved = errors.New("postgresstore: the schema's function change_session is missing or of another schema")

// SchemaError says that the tables are not those that this version works with. They
// were not changed.
type SchemaError struct {
	// Schema is its name.
	Schema string
	// Version is that of the schema, 0 if there is none. Known is the one that this
	// version works with.
	Version, Known int
}

// Error implements error.
func (e *SchemaError) Error() string {
	switch {
	case e.Version == 0:
		return fmt.Sprintf("postgresstore: there is no schema %q with tables of version %d", e.Schema, e.Known)
	case e.Version < e.Known:
		return fmt.Sprintf("postgresstore: schema %q has version %d and must be brought to version %d", e.Schema, e.Version, e.Known)
	}
	return fmt.Sprintf("postgresstore: schema %q has version %d, this version knows versions up to %d", e.Schema, e.Version, e.Known)
}

// wrap returns an error as callers see it: with session.ErrUnavailable if the server
// did not answer or could not, and with ctx.Err() if the context has ended.
func wrap(ctx context.Context, err error) error {
	safe, lost := classified(ctx, err)
	if lost {
		return fmt.Errorf("%w: %w", sessiondriver.ErrUnavailable, safe)
	}
	return safe
}

// classified returns an error without contents, and whether it says that the server did
// not answer or could not.
func classified(ctx context.Context, err error) (safe error, lost bool) {
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

// isOwn reports whether an error did not come from the database.
func isOwn(err error) bool {
	for _, own := range []error{
		sessiondriver.ErrNotFound, sessiondriver.ErrConflict, sessiondriver.ErrKey, sessiondriver.ErrTTL, sessiondriver.ErrClosed, longtermdriver.ErrConflict, longtermdriver.ErrMetadata, ErrEncoding, ErrServer, ErrMoved,
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

// unavailable reports whether the server says with a code that it cannot do now what
// it was asked for, but may do so later.
func unavailable(code string) bool {
	for _, prefix := range []string{
		"08",    // connection
		"53",    // out of connections, memory, disk
		"57",    // shut down, starting up, cancelled, timed out
		"58",    // system
		"40",    // rolled back, again and again
		"55P03", // a lock was not to be had in time
		"25006", // read-only: a standby
		"25P0",  // ended while idle
	} {
		if strings.HasPrefix(code, prefix) {
			return true
		}
	}
	return false
}

// withoutContents returns an error of the server without what may quote stored
// values.
func withoutContents(e *pgconn.PgError) *pgconn.PgError {
	safe := &pgconn.PgError{
		Severity: e.Severity, SeverityUnlocalized: e.SeverityUnlocalized, Code: e.Code, Message: e.Message,
		SchemaName: e.SchemaName, TableName: e.TableName, ColumnName: e.ColumnName, ConstraintName: e.ConstraintName,
	}
	// "invalid input syntax for …: …", "syntax error in tsvector: …". What ends a
	// connection is not about values.
	if (strings.HasPrefix(e.Code, "22") || e.Code == "42601") && e.SeverityUnlocalized != "FATAL" {
		safe.Message = "bad value"
	}
	return safe
}

// damaged makes a *session.DamagedError of an error that only rows changed by others
// can lead to: a message where the next one belongs, or a number out of its range.
func damaged(key sessiondriver.Key, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(pg.Code, "23") {
		return &sessiondriver.DamagedError{Key: key, Part: "list of messages", Err: withoutContents(pg)}
	}
	return err
}
