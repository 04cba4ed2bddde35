package postgresstore_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// staleCount is the number of records in an old schema.
const staleCount = 250

// newOldSchema returns a schema that was migrated from version 5 with records of the owners u0, u1
// and u2, whose only term is "old".
func newOldSchema(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	schema := newSchema(t)
	all, err := postgresstore.Migrations(schema)
	require.NoError(t, err)
	for _, sql := range all[:5] {
		exec(t, pool, schema, sql)
	}
	exec(t, pool, schema, `INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
			topics, entities, extracted_from, metadata, pinned, access_count, created_at, tags, terms, length, model, dimension)
		SELECT 'n', ('u' || i % 3)::bytea, i::text::bytea, i::text::bytea, '', 'semantic', '', ('word' || i || ' secret')::bytea,
			'{}', '{}', '{}', '{"n": 1}', false, 0, '2026-01-02', '{}', 'old:1', 1, 'm', CASE WHEN i % 2 = 0 THEN 4 ELSE 0 END
		FROM generate_series(0, $1::integer - 1) i`, staleCount)
	exec(t, pool, schema, `INSERT INTO {schema}.vectors SELECT id, ARRAY[1, 0, 0, 0] FROM {schema}.records WHERE dimension > 0`)
	exec(t, pool, schema, `INSERT INTO {schema}.owners SELECT owner, namespace, user_id, count(*), sum(length) FROM {schema}.records GROUP BY 1, 2, 3`)
	for _, sql := range all[5:] {
		exec(t, pool, schema, sql)
	}
	return schema
}

func requireStale(t *testing.T, pool *pgxpool.Pool, schema string, want int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return number(t, pool, schema, `SELECT count(*) FROM {schema}.records WHERE stale`) == want
	}, time.Minute, 5*time.Millisecond)
}

// keywordHits returns the ids of the records of u1 that a word finds.
func keywordHits(t *testing.T, x driver.Index, word string) (ids []string) {
	t.Helper()
	page, err := x.Search(t.Context(), driver.Search{
		Scope: longterm.Of("n", "u1"), Mode: longterm.ModeKeyword, Terms: driver.QueryTerms(word), Limit: 100,
	})
	require.NoError(t, err)
	for _, hit := range page.Hits {
		ids = append(ids, hit.Record.ID)
	}
	return ids
}

// TestOldRecordsAreIndexedAgain: a store that is closed in the middle is continued by others, which
// take different records. Versions do not change.
func TestOldRecordsAreIndexedAgain(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	schema := newOldSchema(t, pool)
	versions := `SELECT sum(version * id) FROM {schema}.records`
	before := number(t, pool, schema, versions)
	held, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = held.Rollback(t.Context()) }()
	_, err = held.Exec(t.Context(), inTestSchema(`SELECT FROM {schema}.records WHERE record_id IN ('1', '100') FOR UPDATE`, schema))
	require.NoError(t, err)

	s, err := postgresstore.Open(t.Context(), address(t), &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	requireStale(t, pool, schema, 2)
	require.Equal(t, []string{"4"}, keywordHits(t, s.Index(), "word4"))
	require.Empty(t, keywordHits(t, s.Index(), "word1"))
	require.Equal(t, []string{"1", "100"}, keywordHits(t, s.Index(), "old"))
	require.NoError(t, s.Close())
	require.NoError(t, held.Rollback(t.Context()))
	require.Equal(t, 2, number(t, pool, schema, `SELECT count(*) FROM {schema}.records WHERE stale`))

	x := open(t, schema).Index()
	open(t, schema)
	requireStale(t, pool, schema, 0)
	require.Equal(t, []string{"1"}, keywordHits(t, x, "word1"))
	require.Equal(t, []string{"1"}, keywordHits(t, x, "word1 january")[:1], "the date in words")
	require.Empty(t, keywordHits(t, x, "old"))
	require.Equal(t, before, number(t, pool, schema, versions))
	require.Equal(t, staleCount, number(t, pool, schema, `SELECT count(*) FROM {schema}.records WHERE strategy = 'discrete'`), "the default")
	require.Equal(t, staleCount/2, number(t, pool, schema, `SELECT count(*) FROM {schema}.codes WHERE type = 'semantic' AND created = accessed`))
	require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.owners o
		WHERE terms <> (SELECT sum(length) FROM {schema}.records r WHERE r.owner = o.owner)`))
}

// TestOldRecordsInUse: until records are indexed again, searches compare their vectors exactly, and
// writes index what they write. Failures are logged without contents, and retried.
func TestOldRecordsInUse(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	schema := newOldSchema(t, pool)
	exec(t, pool, schema, `CREATE FUNCTION {schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
		CREATE TRIGGER fail BEFORE UPDATE OF terms ON {schema}.records EXECUTE FUNCTION {schema}.fail()`)
	var log syncbuffer.Buffer
	s, err := postgresstore.Open(t.Context(), address(t), &postgresstore.Options{
		Schema: schema, SweepInterval: -1, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "indexing records again failed") }, time.Minute, time.Millisecond)
	require.NotContains(t, log.String(), "secret")

	x := s.Index()
	key := driver.RecordKey{Namespace: "n", UserID: "u1", ID: "4"}
	found, err := x.Lookup(t.Context(), driver.Lookup{Keys: []driver.RecordKey{key}})
	require.NoError(t, err)
	require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: key, If: found[0].Version, Entry: &driver.Entry{
		Record: found[0].Record, Terms: []string{"new"}, Vector: []float32{0, 1, 0, 0}, Model: "m",
	}}}))
	require.NoError(t, x.Touch(t.Context(), []driver.RecordKey{key, {Namespace: "n", UserID: "u1", ID: "10"}}, time.Now()))
	require.Equal(t, staleCount-1, number(t, pool, schema, `SELECT count(*) FROM {schema}.records WHERE stale`))
	require.Equal(t, []string{"4"}, keywordHits(t, x, "new"))
	search := driver.Search{Scope: longterm.Of("n", "u1"), Mode: longterm.ModeSemantic, Vector: []float32{1, 0, 0, 0}, Model: "m", Limit: 1000}
	page, err := x.Search(t.Context(), search)
	require.NoError(t, err)
	require.Equal(t, 41, page.Total)
	require.Len(t, page.Hits, 41)
	require.Equal(t, "4", page.Hits[40].Record.ID)
	all, err := x.Nearest(t.Context(), []driver.Search{search, search, search})
	require.NoError(t, err)
	for _, hits := range all {
		require.Len(t, hits, 41)
		for i := range hits {
			require.Equal(t, page.Hits[i].Record, hits[i].Record)
		}
	}

	exec(t, pool, schema, `DROP TRIGGER fail ON {schema}.records`)
	requireStale(t, pool, schema, 0)
	require.Equal(t, []string{"4"}, keywordHits(t, x, "new"))
	require.Equal(t, []string{"10"}, keywordHits(t, x, fmt.Sprint("word", 10)))
}
