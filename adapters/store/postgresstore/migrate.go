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

//go:embed migrations/005_results.sql
var resultTables string

//go:embed migrations/006_codes.sql
var codesTable string

//go:embed migrations/007_extraction.sql
var extractionConfig string

//go:embed migrations/008_kinds.sql
var resultKinds string

//go:embed migrations/009_documents.sql
var documentTable string

// minServer is the server_version_num of the oldest supported server, PostgreSQL 14.
const minServer = 140_000

// steps returns the statements that migrate the schema to each version from the previous one.
// Released steps never change.
func steps() []string {
	return []string{sessionTables, dueSessions, recordTables, tokenTable, resultTables, codesTable, extractionConfig, resultKinds, documentTable}
}

// Migrations returns the SQL that creates and migrates a schema, for deployments in which New
// may not do so (Options.NoMigrate). Each element migrates to the next version, starting with
// version 1, and must run in one transaction. If schema is empty, DefaultSchema is used.
// Errors: ErrSchemaName.
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

// migration returns the SQL that migrates an existing schema from version-1 to version.
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

// migrate migrates the schema to the latest version, unless Options.NoMigrate is set.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx, s.pool)
	for err == nil && version < len(steps()) {
		if s.opts.NoMigrate {
			return &SchemaError{Schema: s.opts.Schema, Version: version, Known: len(steps())}
		}
		// Regardless of the default level, a statement after the lock must see what others
		// did while they held it.
		options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
		err = pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) error {
			version, err = s.step(ctx, tx)
			return err
		})
	}
	return err
}

// step runs the next migration, if any, and returns the resulting version.
func (s *Store) step(ctx context.Context, tx pgx.Tx) (version int, err error) {
	// The lock belongs to the transaction: behind PgBouncer the next transaction may use
	// another connection.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockOf(s.opts.Schema)); err != nil {
		return 0, err
	}
	version, err = s.version(ctx, tx)
	if err != nil || version == len(steps()) {
		return version, err // another process was faster
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

// createSchema creates the schema if it does not exist. CREATE SCHEMA IF NOT EXISTS would
// require the privilege to create one even if it exists.
func (s *Store) createSchema(ctx context.Context, tx pgx.Tx) error {
	var exists bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, s.opts.Schema).Scan(&exists)
	if err != nil || exists {
		return err
	}
	_, err = tx.Exec(ctx, `CREATE SCHEMA `+s.sql.schema)
	return err
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns the version of the schema, 0 if it does not exist. It also checks that the
// server is supported.
func (s *Store) version(ctx context.Context, db querier) (version int, err error) {
	var server int
	var encoding string
	var exists bool
	// Not to_regclass, which may not see a table that another process has just created.
	err = db.QueryRow(ctx, `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
		EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations')`,
		s.opts.Schema).Scan(&server, &encoding, &exists)
	switch {
	case err != nil:
		return 0, err
	case server < minServer:
		return 0, fmt.Errorf("%w: %d is older than %d", ErrServer, server, minServer)
	case encoding != "UTF8":
		return 0, fmt.Errorf("%w: %s", ErrEncoding, encoding)
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

// lockOf returns the key of the advisory lock for changes of a schema.
func lockOf(schema string) int64 {
	sum := sha256.Sum256([]byte("github.com/go-workingmemory/workingmemory/adapters/postgresstore " + schema))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
