package postgresstore_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// blocks is how many blocks of tables and indexes a statement touches. What it
// changes is undone.
func blocks(t *testing.T, pool *pgxpool.Pool, s statement) int {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	// Once before: what a connection looks up in the catalogs does not count.
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

// TestCostOfATurn: what an Append, a change of the head, a Load of the head and one of
// the last messages touch does not grow with the session, but by a level of an index.
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
		// Both have been done: what is measured is the same on other messages, and on
		// the revision that the session has now.
		add := turn("change_session", func() error {
			_, _, err := s.Append(t.Context(), key, appendOf(numbered(messages+1, messages+2)...))
			return err
		})
		add.arguments[11] = [][]byte{[]byte("new 1"), []byte("new 2")}
		write := turn("change_session", func() error {
			_, err := s.Write(t.Context(), key, driver.Write{
				If: driver.Condition{Revision: at.Revision}, Head: []byte(`{}`), DropBefore: 3, Format: 1, Now: time.Now(),
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
	t.Log("blocks:", few, many)
	require.Greater(t, few["append"], 10, "two messages are added")
	require.Greater(t, few["write"], 10, "messages are dropped")
	for what, n := range few {
		assert.LessOrEqual(t, many[what], n+n/2+20, "%s: %d blocks for 20 messages", what, n)
	}
}

// TestListUsesIndexes: each filter that should, finds its sessions by an index.
func TestListUsesIndexes(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.sessions (namespace, user_id, session_id, format, head, revision,
		first, next, tokens, context_window, updated_at)
		SELECT 'n' || i / 200 % 100, 'u' || i / 20 % 1000, 's' || i % 2000, 1, '{}', 1, 1, 1, 0, 0, now() FROM generate_series(1, 20000) i`)
	exec(t, pool, schema, `ANALYZE {schema}.sessions`)
	for _, c := range []struct {
		name    string
		indexes string // one of them
		filter  session.ListOptions
		total   int
	}{
		{"namespace", "sessions_key", session.ListOptions{Namespace: new("n7"), Limit: 10}, 200},
		{"namespace and user", "sessions_key|sessions_user_id", session.ListOptions{Namespace: new("n10"), UserID: new("u107"), Limit: 10}, 20},
		{"user", "sessions_user_id", session.ListOptions{UserID: new("u107"), Limit: 10}, 20},
		{"session", "sessions_session_id", session.ListOptions{SessionID: new("s107"), Limit: 10}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := r.recorded(t, "count(*)", func() {
				page, err := s.List(t.Context(), c.filter)
				require.NoError(t, err)
				require.Equal(t, c.total, page.Total)
				require.Len(t, page.Keys, 10)
			})
			rows, err := pool.Query(t.Context(), "EXPLAIN "+list.sql, list.arguments...)
			require.NoError(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			plan := strings.Join(lines, "\n")
			require.NotContains(t, plan, "Seq Scan on sessions", plan)
			require.Regexp(t, "("+c.indexes+")", plan)
		})
	}
	page := r.recorded(t, "count(*)", func() {
		_, err := s.List(t.Context(), session.ListOptions{Limit: 10, Offset: 50})
		require.NoError(t, err)
	})
	rows, err := pool.Query(t.Context(), "EXPLAIN "+page.sql, page.arguments...)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, strings.Join(lines, "\n"), "Index Scan using sessions_key", "a page without a filter is not sorted anew")
}

// TestSweepUsesAnIndex: a sweep does not look at sessions that live on.
func TestSweepUsesAnIndex(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.sessions (namespace, user_id, session_id, format, head, revision,
		first, next, tokens, context_window, updated_at, expires_at)
		SELECT '', '', i, 1, '{}', 1, 1, 1, 0, 0, now(), now() + i % 1000 * interval '1 hour'  - interval '30 minutes'
		FROM generate_series(1, 20000) i`)
	exec(t, pool, schema, `ANALYZE {schema}.sessions`)
	sweep := r.recorded(t, "SKIP LOCKED", func() {
		n, err := s.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 20, n)
	})
	touched := blocks(t, pool, sweep)
	require.Less(t, touched, 100, fmt.Sprint(touched, " blocks"))
}

// TestRenewedExpiryLeavesIndexesAlone: an Append with a TTL costs no more than one
// without: PostgreSQL makes no entry in an index for the row's new version (HOT).
func TestRenewedExpiryLeavesIndexesAlone(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s, err := postgresstore.Open(t.Context(), address(t), &postgresstore.Options{Schema: schema})
	require.NoError(t, err)
	// As many versions as fit on a page: what others in the database have open may keep
	// PostgreSQL from removing those before.
	const appends = 20
	for i := range appends {
		a := appendOf(fmt.Sprint(i))
		a.TTL = time.Hour
		_, _, err := s.Append(t.Context(), key, a)
		require.NoError(t, err)
	}
	require.NoError(t, s.Close()) // lets go of its connection, which then reports what it did
	count := func(column string) int {
		return number(t, pool, schema, `SELECT `+column+` FROM pg_stat_user_tables
			WHERE schemaname = '{schema}' AND relname = 'sessions'`)
	}
	require.Eventually(t, func() bool { return count("n_tup_upd") == appends }, time.Minute, 10*time.Millisecond)
	// The expiry goes into the index once, and once more if ten minutes end meanwhile.
	require.GreaterOrEqual(t, count("n_tup_hot_upd"), appends-2)
}
