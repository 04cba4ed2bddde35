package postgresstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			s, err := postgresstore.Open(t.Context(), address(t), &postgresstore.Options{Schema: schema})
			if assert.NoError(t, err) {
				_, _, err = s.Append(t.Context(), key, appendOf(fmt.Sprint(i)))
				assert.NoError(t, err)
				assert.NoError(t, s.Close())
			}
		})
	}
	all.Wait()
	r, err := open(t, schema).Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Len(t, r.Messages, 12)
}

func TestLaterSchemaIsLeftAlone(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	open(t, schema)
	exec(t, pool, schema, `INSERT INTO {schema}.migrations (version) VALUES (1000)`)
	exec(t, pool, schema, `DROP TABLE {schema}.messages`)
	for _, noMigrate := range []bool{false, true} {
		_, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, NoMigrate: noMigrate})
		var wrong *postgresstore.SchemaError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, 1000, wrong.Version)
		require.Less(t, wrong.Known, 1000)
		require.Equal(t, schema, wrong.Schema)
		require.NotErrorIs(t, err, session.ErrUnavailable)
	}
	require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}' AND tablename = 'messages'`))
}

func TestNoMigrate(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	opts := &postgresstore.Options{Schema: schema, NoMigrate: true}
	_, err := postgresstore.New(t.Context(), pool, opts)
	var wrong *postgresstore.SchemaError
	require.ErrorAs(t, err, &wrong)
	require.Zero(t, wrong.Version)
	require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'`))

	all, err := postgresstore.Migrations(schema)
	require.NoError(t, err)
	for _, sql := range all {
		exec(t, pool, schema, sql)
	}
	s, err := postgresstore.New(t.Context(), pool, opts)
	require.NoError(t, err)
	_, added, err := s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	require.Equal(t, 1, added)
	require.NoError(t, s.Close())
	open(t, schema) // nothing left to migrate
}

func TestMigrationsAreWholeOrNothing(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	exec(t, pool, schema, `CREATE SCHEMA {schema}`)
	exec(t, pool, schema, `CREATE TABLE {schema}.messages (theirs integer)`)
	_, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema})
	require.ErrorContains(t, err, "42P07")
	require.Equal(t, 1, number(t, pool, schema, `SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace`))
}

// newRole returns the address of the server for a new role with some privileges.
func newRole(t *testing.T, pool *pgxpool.Pool, schema, grants string) string {
	t.Helper()
	role := schema + "_role"
	exec(t, pool, schema, `CREATE ROLE {schema}_role; `+strings.ReplaceAll(grants, "{role}", role))
	t.Cleanup(func() {
		_, err := pool.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role)
		require.NoError(t, err)
	})
	return withParameter(t, "role", role)
}

// TestExistingSchema: a role that may not create schemas can use an existing one.
func TestExistingSchema(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	exec(t, pool, schema, `CREATE SCHEMA {schema}`)
	s, err := postgresstore.Open(t.Context(), newRole(t, pool, schema, `GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}`), &postgresstore.Options{Schema: schema})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func TestSchemaNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pg_mine", `a"b`, "a.b", "a b", "a;b", "é", "a\x00", strings.Repeat("a", 64)} {
		_, err := postgresstore.Migrations(name)
		require.ErrorIs(t, err, postgresstore.ErrSchemaName, "%q", name)
		_, err = postgresstore.Open(t.Context(), "postgres://127.0.0.1:1/none", &postgresstore.Options{Schema: name})
		require.ErrorIs(t, err, postgresstore.ErrSchemaName, "%q", name)
	}
	all, err := postgresstore.Migrations("")
	require.NoError(t, err)
	require.Contains(t, all[0], `CREATE SCHEMA IF NOT EXISTS "workingmemory"`)

	pool := newPool(t)
	odd := "User-1-" + rand.Text()
	t.Cleanup(func() {
		_, err := pool.Exec(context.Background(), `DROP SCHEMA IF EXISTS "`+odd+`" CASCADE`)
		require.NoError(t, err)
	})
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: odd})
	require.NoError(t, err)
	defer s.Close()
	_, _, err = s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	_, err = s.Load(t.Context(), key, -1)
	require.NoError(t, err)
}

// TestMovedSchema: the function in a renamed schema would write into the schema with the old name.
func TestMovedSchema(t *testing.T) {
	t.Parallel()
	from, to, pool := newSchema(t), newSchema(t), newPool(t)
	open(t, from)
	exec(t, pool, from, `ALTER SCHEMA {schema} RENAME TO `+to)
	open(t, from)
	_, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: to})
	require.ErrorIs(t, err, postgresstore.ErrMoved)
	exec(t, pool, to, `DROP FUNCTION {schema}.change_session`)
	_, err = postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: to, NoMigrate: true})
	require.ErrorIs(t, err, postgresstore.ErrMoved)
}

// TestRights: the privileges in doc.go suffice to use a schema of another role.
func TestRights(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	open(t, schema)
	limited := newRole(t, pool, schema, `GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON {schema}.migrations TO {role};
		GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.sessions, {schema}.messages, {schema}.records, {schema}.vectors, {schema}.codes, {schema}.owners, {schema}.tokens,
			{schema}.results, {schema}.chunks, {schema}.documents TO {role}`)
	s, err := postgresstore.Open(t.Context(), limited, &postgresstore.Options{Schema: schema, NoMigrate: true})
	require.NoError(t, err)
	defer s.Close()
	useAll(t, s)
	useIndex(t, s.Index())
	useTokens(t, s.Tokens())
	useDocuments(t, s.Documents())
	useResults(t, s)
}

// TestSearchPath: the search_path of a connection does not make the store call functions of others.
func TestSearchPath(t *testing.T) {
	t.Parallel()
	schema, others, pool := newSchema(t), newSchema(t), newPool(t)
	exec(t, pool, others, `CREATE SCHEMA {schema};
		CREATE FUNCTION {schema}.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '2001-01-01'::timestamptz $$`)
	s, err := postgresstore.Open(t.Context(), withParameter(t, "search_path", others+", pg_catalog"), &postgresstore.Options{Schema: schema})
	require.NoError(t, err)
	defer s.Close()
	a := appendOf("a")
	a.TTL = time.Hour
	at, _, err := s.Append(t.Context(), key, a)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(time.Hour), at.ExpiresAt, 30*time.Minute)
	require.NoError(t, s.Delete(t.Context(), key, &driver.Condition{Revision: at.Revision}))
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	name := "wm_test_" + strings.ToLower(rand.Text())
	exec(t, pool, name, `CREATE DATABASE {schema} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := pool.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
	})
	config, err := pgxpool.ParseConfig(address(t))
	require.NoError(t, err)
	config.ConnConfig.Database = name
	other, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer other.Close()
	_, err = postgresstore.New(t.Context(), other, nil)
	require.ErrorIs(t, err, postgresstore.ErrEncoding)
}
