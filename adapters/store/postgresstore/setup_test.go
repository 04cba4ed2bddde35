package postgresstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// address returns the URL of the server, or skips the test.
func address(tb testing.TB) string {
	tb.Helper()
	url := os.Getenv("WORKINGMEMORY_TEST_POSTGRES")
	if url == "" {
		tb.Skip("WORKINGMEMORY_TEST_POSTGRES is not set: it is the URL of a PostgreSQL server to test on")
	}
	return url
}

// newSchema returns the name of a new schema, which is dropped at the end of the test.
func newSchema(tb testing.TB) string {
	tb.Helper()
	return newSchemaAt(tb, address(tb))
}

// newSchemaAt is like newSchema, on another server.
func newSchemaAt(tb testing.TB, url string) string {
	schema := "wm_test_" + strings.ToLower(rand.Text())
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		conn, err := pgx.Connect(ctx, url)
		require.NoError(tb, err)
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		require.NoError(tb, err)
	})
	return schema
}

// open returns a store with its own pool that does not sweep.
func open(tb testing.TB, schema string) *postgresstore.Store {
	tb.Helper()
	return openOn(tb, address(tb), schema)
}

// openOn is like open, with another connection string.
func openOn(tb testing.TB, url, schema string) *postgresstore.Store {
	tb.Helper()
	s, err := postgresstore.Open(tb.Context(), url, &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// newPool returns a pool on the server.
func newPool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	pool, err := pgxpool.New(tb.Context(), address(tb))
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

// exec runs SQL after replacing {schema}.
func exec(tb testing.TB, pool *pgxpool.Pool, schema, sql string, arguments ...any) {
	tb.Helper()
	_, err := pool.Exec(tb.Context(), inTestSchema(sql, schema), arguments...)
	require.NoError(tb, err)
}

func inTestSchema(sql, schema string) string { return strings.ReplaceAll(sql, "{schema}", schema) }

// number returns the number that a query selects.
func number(tb testing.TB, pool *pgxpool.Pool, schema, sql string, arguments ...any) (n int) {
	tb.Helper()
	require.NoError(tb, pool.QueryRow(tb.Context(), inTestSchema(sql, schema), arguments...).Scan(&n))
	return n
}

var key = session.Key{Namespace: "acme", UserID: "ann", SessionID: "s1"}

func messages(ids ...string) []driver.StoredMessage {
	all := make([]driver.StoredMessage, len(ids))
	for i, id := range ids {
		all[i] = driver.StoredMessage{ID: id, Tokens: 3, Body: fmt.Appendf(nil, `{"content":%q}`, id)}
	}
	return all
}

func appendOf(ids ...string) driver.Append {
	return driver.Append{Messages: messages(ids...), Head: []byte(`{}`), Format: 1, Now: time.Now()}
}

// numbered returns the ids "m<from>" to "m<to>".
func numbered(from, to int) []string {
	ids := make([]string, 0, to-from+1)
	for n := from; n <= to; n++ {
		ids = append(ids, fmt.Sprintf("m%d", n))
	}
	return ids
}
