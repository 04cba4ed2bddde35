package postgresstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// TestSearchUsesIndexes: what is looked for in many records is found by an index: the
// records of an owner, a namespace or a user, and in wide scopes terms and topics.
func TestSearchUsesIndexes(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
		topics, entities, extracted_from, pinned, access_count, created_at, tags, terms, length, model, dimension)
		SELECT ('n' || i / 200 % 100)::bytea, ('u' || i / 20 % 1000)::bytea, i::text::bytea, i::text::bytea, '', '', '', '',
			'{}', '{}', '{}', false, 0, now(), ARRAY[i / 10], ('w' || i / 10 || ':1')::tsvector, 1, 'm', 1
		FROM generate_series(0, 19999) i`)
	exec(t, pool, schema, `INSERT INTO {schema}.vectors SELECT id, '{1}' FROM {schema}.records`)
	exec(t, pool, schema, `VACUUM ANALYZE {schema}.records, {schema}.vectors`)
	for _, c := range []struct {
		name    string
		indexes string // one of them
		search  driver.Search
		total   int
	}{
		{"owner", "records_key|records_hash", driver.Search{Scope: longterm.Of("n10", "u107")}, 20},
		{"namespace", "records_namespace", driver.Search{Scope: longterm.OfNamespace("n7")}, 200},
		{"user", "records_user_id", driver.Search{Scope: longterm.OfUser("u107")}, 20},
		{"vectors of an owner", "records_key|records_hash", driver.Search{
			Scope: longterm.Of("n10", "u107"), Mode: longterm.ModeSemantic, Vector: []float32{1}, Model: "m",
		}, 20},
		{"both of an owner", "records_key|records_hash", driver.Search{
			Scope: longterm.Of("n10", "u107"), Mode: longterm.ModeHybrid, Terms: []string{"w1"}, Vector: []float32{1}, Model: "m",
		}, 20},
		{"topics of all", "records_tags", driver.Search{
			Scope: longterm.Everyone(), Filter: longterm.RecordFilter{Topics: &longterm.TextCondition{Any: []string{"rare"}}},
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.search.Limit, c.search.Ranking.Now = 10, time.Now()
			search := r.recorded(t, "records r", func() {
				page, err := s.Index().Search(t.Context(), c.search)
				require.NoError(t, err)
				require.Equal(t, c.total, page.Total)
			})
			rows, err := pool.Query(t.Context(), "EXPLAIN "+search.sql, search.arguments...)
			require.NoError(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			plan := strings.Join(lines, "\n")
			require.NotContains(t, plan, "Seq Scan on records", plan)
			require.Regexp(t, "("+c.indexes+")", plan)
		})
	}
}

// TestKeywordsOfAnOwnerCostWhatTheOwnerHas: not what others have, who use the same words.
func TestKeywordsOfAnOwnerCostWhatTheOwnerHas(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
		topics, entities, extracted_from, pinned, access_count, created_at, tags, terms, length, model, dimension)
		SELECT 'n', ('u' || i % 1000)::bytea, i::text::bytea, i::text::bytea, '', '', '', '',
			'{}', '{}', '{}', false, 0, now(), '{}', 'word:1', 1, 'm', 0
		FROM generate_series(0, 19999) i`)
	exec(t, pool, schema, `VACUUM ANALYZE {schema}.records`)
	search := r.recorded(t, "bm25", func() {
		page, err := s.Index().Search(t.Context(), driver.Search{
			Scope: longterm.Of("n", "u7"), Mode: longterm.ModeKeyword, Terms: []string{"word"}, Limit: 10,
		})
		require.NoError(t, err)
		require.Equal(t, 20, page.Total)
	})
	touched := blocks(t, pool, search)
	require.Less(t, touched, 250, fmt.Sprint(touched, " blocks"))
}

// TestKeywordsCostWhatMatches: not what the owner has besides, and without what VACUUM and
// ANALYZE would have found out.
func TestKeywordsCostWhatMatches(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
		topics, entities, extracted_from, pinned, access_count, created_at, tags, terms, length, model, dimension)
		SELECT 'n', 'u', i::text::bytea, i::text::bytea, '', '', '', repeat('x', 500)::bytea,
			'{}', '{}', '{}', false, 0, now(), '{}', (CASE WHEN i % 1000 = 0 THEN 'rare:1' ELSE 'word:1' END)::tsvector, 1, 'm', 0
		FROM generate_series(0, 19999) i`)
	exec(t, pool, schema, `INSERT INTO {schema}.owners SELECT owner, namespace, user_id, count(*), count(*) FROM {schema}.records GROUP BY 1, 2, 3`)
	search := r.recorded(t, "bm25", func() {
		page, err := s.Index().Search(t.Context(), driver.Search{
			Scope: longterm.Of("n", "u"), Mode: longterm.ModeKeyword, Terms: []string{"rare"}, Limit: 10,
		})
		require.NoError(t, err)
		require.Equal(t, 20, page.Total)
	})
	heap := number(t, pool, schema, `SELECT pg_relation_size('{schema}.records') / 8192`)
	require.Less(t, blocks(t, pool, search), heap/3)
}
