package postgresstore_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// blocks returns the number of blocks of tables and indexes that a statement touches. Its changes are
// rolled back.
func blocks(t *testing.T, pool *pgxpool.Pool, s statement) int {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	// The first run fills the caches of the connection.
	undone, err := tx.Begin(t.Context())
	require.NoError(t, err)
	_, err = undone.Exec(t.Context(), s.sql, s.arguments...)
	require.NoError(t, err)
	require.NoError(t, undone.Rollback(t.Context()))
	var text []byte
	err = tx.QueryRow(t.Context(), `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) `+s.sql, s.arguments...).Scan(&text)
	require.NoError(t, err)
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

func explain(t *testing.T, pool *pgxpool.Pool, s statement) string {
	t.Helper()
	rows, err := pool.Query(t.Context(), "EXPLAIN "+s.sql, s.arguments...)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

// insertSessions inserts 20,000 sessions, whose columns are expressions of i.
func insertSessions(t *testing.T, pool *pgxpool.Pool, schema, namespace, user, id, expires, due string) {
	t.Helper()
	exec(t, pool, schema, `INSERT INTO {schema}.sessions (namespace, user_id, session_id, format, head, revision,
		first, next, tokens, context_window, updated_at, expires_at, due_at)
		SELECT `+namespace+`, `+user+`, `+id+`, 1, '{}', 1, 1, 1, 0, 0, now(), `+expires+`, `+due+` FROM generate_series(1, 20000) i`)
	exec(t, pool, schema, `ANALYZE {schema}.sessions`)
}

// insertRecords inserts 20,000 records, whose columns are expressions of i.
func insertRecords(t *testing.T, pool *pgxpool.Pool, schema, namespace, user, text, tags, terms string) {
	t.Helper()
	exec(t, pool, schema, `INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
		topics, entities, extracted_from, pinned, access_count, created_at, tags, terms, length, model, dimension, stale)
		SELECT (`+namespace+`)::bytea, (`+user+`)::bytea, i::text::bytea, i::text::bytea, '', '', '', `+text+`,
			'{}', '{}', '{}', false, 0, now(), `+tags+`, (`+terms+`)::tsvector, 1, 'm', 1, false
		FROM generate_series(0, 19999) i`)
}

// TestCostOfATurn: the cost of an Append, a Write, and a Load of the head or of the last messages does
// not grow with the session, except for a level of an index.
func TestCostOfATurn(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	measure := func(key session.Key, messages int) map[string]int {
		at, _, err := s.Append(t.Context(), key, appendOf(numbered(1, messages)...))
		require.NoError(t, err)
		exec(t, pool, schema, `ANALYZE {schema}.sessions, {schema}.messages`)
		turn := func(text string, do func() error) statement {
			return r.recorded(t, text, func() { require.NoError(t, do()) })
		}
		// The recorded statements have been executed, so they are measured with other
		// messages and the current revision.
		add := turn("change_session", func() error {
			_, _, err := s.Append(t.Context(), key, appendOf(numbered(messages+1, messages+2)...))
			return err
		})
		add.arguments[11] = [][]byte{[]byte("new 1"), []byte("new 2")}
		write := turn("change_session", func() error {
			_, err := s.Write(t.Context(), key, sessiondriver.Write{
				If: sessiondriver.Condition{Revision: at.Revision}, Head: []byte(`{}`), DropBefore: 3, Format: 1, Now: time.Now(),
			})
			return err
		})
		write.arguments[15], write.arguments[17] = int64(at.Revision)+1, int64(6)
		return map[string]int{
			"append": blocks(t, pool, add),
			"write":  blocks(t, pool, write),
			"head":   blocks(t, pool, turn("SELECT format", func() error { _, err := s.Load(t.Context(), key, 0); return err })),
			"last":   blocks(t, pool, turn("SELECT seq", func() error { _, err := s.Load(t.Context(), key, 20); return err })),
		}
	}
	few := measure(session.Key{SessionID: "few"}, 20)
	many := measure(session.Key{SessionID: "many"}, 10_000)
	require.Greater(t, few["append"], 10, "two messages are added")
	require.Greater(t, few["write"], 10, "messages are dropped")
	for what, n := range few {
		assert.LessOrEqual(t, many[what], n+n/2+20, "%s: %d blocks for 20 messages", what, n)
	}
}

// TestListUsesIndexes: each filter uses an index, and a page without a filter needs no sort.
func TestListUsesIndexes(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	insertSessions(t, pool, schema, `'n' || i / 200 % 100`, `'u' || i / 20 % 1000`, `'s' || i % 2000`, `NULL`, `NULL::timestamptz`)
	for _, c := range []struct {
		indexes string // alternatives
		filter  session.ListOptions
		total   int
	}{
		{"sessions_key", session.ListOptions{Namespace: new("n7")}, 200},
		{"sessions_key|sessions_user_id", session.ListOptions{Namespace: new("n10"), UserID: new("u107")}, 20},
		{"sessions_user_id", session.ListOptions{UserID: new("u107")}, 20},
		{"sessions_session_id", session.ListOptions{SessionID: new("s107")}, 10},
		{"Index Scan using sessions_key", session.ListOptions{Offset: 50}, 20_000},
	} {
		c.filter.Limit = 10
		list := r.recorded(t, "count(*)", func() {
			page, err := s.List(t.Context(), c.filter)
			require.NoError(t, err)
			require.Equal(t, c.total, page.Total)
			require.Len(t, page.Keys, 10)
		})
		plan := explain(t, pool, list)
		require.Regexp(t, "("+c.indexes+")", plan)
		if c.total < 20_000 { // counting all sessions scans the table
			require.NotContains(t, plan, "Seq Scan on sessions", plan)
		}
	}
}

// TestSweepAndDueUseIndexes: Sweep and Due do not read sessions that have not expired or are not due.
func TestSweepAndDueUseIndexes(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	insertSessions(t, pool, schema, `''`, `''`, `i`, `now() + i % 1000 * interval '1 hour' - interval '30 minutes'`,
		`CASE WHEN i % 4 = 1 THEN now() + (i - 40) * interval '1 hour' END`)
	due := r.recorded(t, "due_at <=", func() {
		keys, err := s.Due(t.Context(), time.Now().Add(time.Minute), 3)
		require.NoError(t, err)
		require.Equal(t, []session.Key{{SessionID: "1"}, {SessionID: "5"}, {SessionID: "9"}}, keys)
	})
	require.Less(t, blocks(t, pool, due), 30)
	sweep := r.recorded(t, "SKIP LOCKED", func() {
		n, err := s.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 20, n)
	})
	require.Less(t, blocks(t, pool, sweep), 100)
}

// TestSearchUsesIndexes: searches in the scope of an owner, a namespace or a user use an index, and in
// wide scopes those for terms and topics.
func TestSearchUsesIndexes(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	insertRecords(t, pool, schema, `'n' || i / 200 % 100`, `'u' || i / 20 % 1000`, `''`, `ARRAY[i / 10]`, `'w' || i / 10 || ':1'`)
	exec(t, pool, schema, `INSERT INTO {schema}.vectors SELECT id, '{1}' FROM {schema}.records`)
	// Like spaceOf.
	exec(t, pool, schema, `INSERT INTO {schema}.codes SELECT id, 0, 0, encode(substring(sha256(owner || int8send(1) || model), 1, 16), 'hex')::uuid,
		type, repeat('1', 512)::bit varying FROM {schema}.records`)
	exec(t, pool, schema, `VACUUM ANALYZE {schema}.records, {schema}.vectors, {schema}.codes`)
	owner, vector := longterm.Of("n10", "u107"), []float32{1}
	for _, c := range []struct {
		indexes string // alternatives
		search  longtermdriver.Search
		total   int
	}{
		{"records_key|records_hash", longtermdriver.Search{Scope: owner}, 20},
		{"records_namespace", longtermdriver.Search{Scope: longterm.OfNamespace("n7")}, 200},
		{"records_user_id", longtermdriver.Search{Scope: longterm.OfUser("u107")}, 20},
		{"codes_space", longtermdriver.Search{Scope: owner, Mode: longterm.ModeSemantic, Vector: vector, Model: "m"}, 20},
		{"codes_space", longtermdriver.Search{Scope: owner, Mode: longterm.ModeHybrid, Terms: []string{"w1"}, Vector: vector, Model: "m"}, 20},
		{"records_tags", longtermdriver.Search{
			Scope: longterm.Everyone(), Filter: longterm.RecordFilter{Topics: &longterm.TextCondition{Any: []string{"rare"}}},
		}, 0},
	} {
		c.search.Limit, c.search.Ranking.Now = 10, time.Now()
		search := r.recorded(t, "records r", func() {
			page, err := s.Index().Search(t.Context(), c.search)
			require.NoError(t, err)
			require.Equal(t, c.total, page.Total)
		})
		plan := explain(t, pool, search)
		require.NotRegexp(t, "Seq Scan on (records|codes)", plan)
		require.Regexp(t, "("+c.indexes+")", plan)
	}
}

// TestCostOfKeywords: a search by keyword reads neither the records of other owners that have the same
// words, nor, even without statistics, the owner's records that do not match.
func TestCostOfKeywords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, user, text, terms string
		search                  longtermdriver.Search
		analyze                 bool
	}{
		{"others", `'u' || i % 1000`, `''`, `'word:1'`, longtermdriver.Search{Scope: longterm.Of("n", "u7"), Terms: []string{"word"}}, true},
		{"own", `'u'`, `repeat('x', 500)::bytea`, `CASE WHEN i % 1000 = 0 THEN 'rare:1' ELSE 'word:1' END`,
			longtermdriver.Search{Scope: longterm.Of("n", "u"), Terms: []string{"rare"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, r, pool, schema := recording(t)
			insertRecords(t, pool, schema, `'n'`, c.user, c.text, `'{}'`, c.terms)
			exec(t, pool, schema, `INSERT INTO {schema}.owners SELECT owner, namespace, user_id, count(*), count(*) FROM {schema}.records GROUP BY 1, 2, 3`)
			if c.analyze {
				exec(t, pool, schema, `VACUUM ANALYZE {schema}.records`)
			}
			c.search.Mode, c.search.Limit = longterm.ModeKeyword, 10
			search := r.recorded(t, "bm25", func() {
				page, err := s.Index().Search(t.Context(), c.search)
				require.NoError(t, err)
				require.Equal(t, 20, page.Total)
			})
			heap := number(t, pool, schema, `SELECT pg_relation_size('{schema}.records') / 8192`)
			require.Less(t, blocks(t, pool, search), heap/3)
		})
	}
}

// TestCostOfNeighbours: the cost of finding the neighbours of a message does not depend on the number
// of messages in its session.
func TestCostOfNeighbours(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	insertRecords(t, pool, schema, `'n'`, `'u'`, `''`, `'{}'`, `''`)
	exec(t, pool, schema, `UPDATE {schema}.records SET type = 'message', created_at = NULL`)
	exec(t, pool, schema, `VACUUM ANALYZE {schema}.records`)
	search := r.recorded(t, "records m", func() {
		around, err := s.Index().Neighbours(t.Context(), []longtermdriver.RecordKey{{Namespace: "n", UserID: "u", ID: "10000"}})
		require.NoError(t, err)
		require.Equal(t, []longtermdriver.Neighbours{{Previous: "1000", Next: "10001"}}, around)
	})
	require.Less(t, blocks(t, pool, search), 30)
}
