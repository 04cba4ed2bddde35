package postgresstore

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/001_sessions.sql
var sessionTables string

//go:embed migrations/002_due.sql
var dueSessions string

//go:embed migrations/003_records.sql
var recordTables string

//go:embed migrations/004_tokens.sql
var tokenTable string

// minServer is the oldest server that works, as server_version_num: PostgreSQL 14.
const minServer = 140_000

// steps are the statements of each version of the schema, from that of the version
// before. One that was released never changes.
func steps() []string { return []string{sessionTables, dueSessions, recordTables, tokenTable} }

// Migrations returns the SQL that makes a schema and brings it up to date, one text
// of statements for each version, the first for version 1: for deployments where New
// must not do it (Options.NoMigrate). Each is to run in a transaction. "" is
// DefaultSchema. Errors: ErrSchemaName.
func Migrations(schema string) ([]string, error) {
	if schema == "" {
		schema = DefaultSchema
	}
	if err := checkSchemaName(schema); err != nil {
		return nil, err
	}
	all := make([]string, len(steps()))
	for i := range all {
		all[i] = migration(i+1, quoted(schema))
	}
	all[0] = "CREATE SCHEMA IF NOT EXISTS " + quoted(schema) + ";\n" + all[0]
	return all, nil
}

// migration is what brings an existing schema from version-1 to a version.
func migration(version int, schema string) string {
	text := steps()[version-1] + fmt.Sprintf("INSERT INTO {schema}.migrations (version) VALUES (%d);\n", version)
	if version == 1 {
		text = `CREATE TABLE {schema}.migrations (
	version    integer PRIMARY KEY,
	applied_at timestamptz NOT NULL DEFAULT now()
);
` + text
	}
	return inSchema(text, schema)
}

// migrate brings the schema up to date, unless that is for others to do.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx, s.pool)
	for err == nil && version < len(steps()) {
		if s.opts.NoMigrate {
			return &SchemaError{Schema: s.opts.Schema, Version: version, Known: len(steps())}
		}
		// Whatever the default is: a statement behind the lock must see what others
		// did under it.
		options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
		err = pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
			version, err = s.step(ctx, tx)
			return err
		})
	}
	return err
}

// step does the next migration that is to be done, if there is one, and returns the
// version that the schema has then.
func (s *Store) step(ctx context.Context, tx pgx.Tx) (version int, err error) {
	// A lock of the transaction and not of the connection, which may be that of
	// another when the answer has come through PgBouncer.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockOf(s.opts.Schema)); err != nil {
		return 0, err
	}
	version, err = s.version(ctx, tx)
	if err != nil || version == len(steps()) {
		return version, err // another was faster
	}
	if version == 0 {
		if err := s.createSchema(ctx, tx); err != nil {
			return 0, err
		}
	}
	version++
	_, err = tx.Exec(ctx, migration(version, s.sql.schema))
	return version, err
}

// createSchema makes the schema if there is none. IF NOT EXISTS would ask for the
// right to make one even if it is there.
func (s *Store) createSchema(ctx context.Context, tx pgx.Tx) error {
	var exists bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, s.opts.Schema).Scan(&exists)
	if err != nil || exists {
		return err
	}
	_, err = tx.Exec(ctx, `CREATE SCHEMA `+s.sql.schema)
	return err
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns the version of the schema, 0 if there is none. It also finds out
// whether this package can work with the server.
func (s *Store) version(ctx context.Context, db querier) (version int, err error) {
	var server int
	var encoding string
	var exists bool
	// Not to_regclass: it may know nothing of what another has just made.
	err = db.QueryRow(ctx, `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
		EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations')`,
		s.opts.Schema).Scan(&server, &encoding, &exists)
	switch {
	case err != nil:
		return 0, err
	case server < minServer:
		return 0, fmt.Errorf("%w: %d is older than %d", ErrServer, server, minServer)
	case encoding != "UTF8":
		return 0, fmt.Errorf("%w: it is %s", ErrEncoding, encoding)
	case !exists:
		return 0, nil
	}
	var own bool
	err = db.QueryRow(ctx, inSchema(`SELECT coalesce(max(version), 0), EXISTS (
		SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = $1 AND p.proname = 'change_session' AND strpos(p.prosrc, $2) > 0)
		FROM {schema}.migrations`, s.sql.schema), s.opts.Schema, " "+s.sql.schema+".sessions ").Scan(&version, &own)
	switch {
	case err != nil:
		return 0, err
	case version > len(steps()):
		return 0, &SchemaError{Schema: s.opts.Schema, Version: version, Known: len(steps())}
	case version > 0 && !own:
		return 0, ErrMoved
	}
	return version, nil
}

// lockOf is the number of the lock under which a schema is changed.
func lockOf(schema string) int64 {
	sum := sha256.Sum256([]byte("github.com/go-workingmemory/workingmemory/adapters/postgresstore " + schema))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
