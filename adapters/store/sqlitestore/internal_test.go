package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var key = session.Key{Namespace: "shop", UserID: "ann", SessionID: "1"}

func openStore(t *testing.T, opts *Options) *Store {
	t.Helper()
	store, err := Open(t.Context(), filepath.Join(t.TempDir(), "sessions.db"), opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func message(id string) driver.StoredMessage {
	return driver.StoredMessage{ID: id, Tokens: 1, Body: []byte(`{"role":"user"}`)}
}

func ids(t *testing.T, store driver.Store, key session.Key) []string {
	t.Helper()
	record, err := store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	var ids []string
	for _, m := range record.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// holding calls f while no change can run.
func holding(w *writer, f func()) {
	w.turn <- struct{}{}
	f()
	<-w.turn
}

// waitFor waits until n changes are in the queue.
func waitFor(t *testing.T, w *writer, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.queue) == n
	}, time.Minute, time.Millisecond)
}

// TestStatementsUseIndexes: no statement on a session scans a table or sorts.
func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	store, ctx := openStore(t, nil), t.Context()
	var many []driver.StoredMessage
	for i := range 2 * blockSize {
		many = append(many, message(strings.Repeat("m", i+1)))
	}
	at, _, err := store.Append(ctx, key, driver.Append{Messages: many, TTL: time.Hour})
	require.NoError(t, err)
	_, _, err = store.Append(ctx, key, driver.Append{Messages: []driver.StoredMessage{message("one")}})
	require.NoError(t, err)
	_, err = store.Write(ctx, key, driver.Write{If: driver.Condition{Revision: at.Revision}, DropBefore: 5, Messages: many[:2]})
	require.NoError(t, err)
	require.NoError(t, store.Delete(ctx, key, nil))
	_, _, err = store.Append(ctx, key, driver.Append{TTL: 1})
	require.NoError(t, err)
	require.Eventually(t, func() bool { n, err := store.Sweep(ctx); return err == nil && n == 1 }, time.Minute, time.Millisecond)

	queries := []string{selectWithHead, selectMessages, selectSize, selectDue}
	for query := range store.writer.conn.stmts {
		queries = append(queries, query)
	}
	require.Greater(t, len(queries), 12)
	for _, query := range queries {
		for _, step := range plan(t, store, query) {
			if !strings.HasSuffix(step, "VALUES CLAUSE") { // of an INSERT
				assert.NotContains(t, step, "SCAN", query)
			}
			assert.NotContains(t, step, "TEMP B-TREE", query)
		}
	}
}

// TestListsUseIndexes: a List reads only matching sessions, in order.
func TestListsUseIndexes(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	filters := map[string]session.ListOptions{
		"key":                               {Namespace: new("n")},
		"sessions_user (user_id=":           {UserID: new("u")},
		"sessions_session (session_id=":     {SessionID: new("s")},
		"sessions_user (user_id=? AND key>": {Namespace: new("n"), UserID: new("u")},
	}
	for index, filter := range filters {
		where, _ := conditions(filter, 0)
		steps := strings.Join(plan(t, store, `SELECT key FROM sessions WHERE `+where+` ORDER BY key LIMIT ? OFFSET ?`), "\n")
		assert.Contains(t, steps, index)
		assert.NotContains(t, steps, "SCAN")
		assert.NotContains(t, steps, "TEMP B-TREE")
	}
}

func plan(t *testing.T, store *Store, query string) []string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	rows, err := store.reader.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	require.NoError(t, err, query)
	var steps []string
	require.NoError(t, forEach(rows, func(scan func(...any) error) error {
		var a, b, c int
		var step string
		err := scan(&a, &b, &c, &step)
		steps = append(steps, step)
		return err
	}))
	return steps
}

// pragma runs a PRAGMA on the connection for writes.
func pragma(t *testing.T, store *Store, text string) {
	t.Helper()
	require.NoError(t, store.writer.do(t.Context(), func(tx *tx) error { return nil })) // opens the connection
	holding(store.writer, func() {
		rows, err := store.writer.conn.conn.QueryContext(t.Context(), "PRAGMA "+text)
		require.NoError(t, err)
		require.NoError(t, rows.Close())
	})
}

// TestSettingsOfConnections checks the settings that durability depends on.
func TestSettingsOfConnections(t *testing.T) {
	t.Parallel()
	for relaxed, synchronous := range map[bool]int{false: 2, true: 1} { // FULL, NORMAL
		store := openStore(t, &Options{Relaxed: relaxed, ReadConns: 2})
		_, _, err := store.Append(t.Context(), key, driver.Append{Messages: []driver.StoredMessage{message("a")}})
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, ids(t, store, key))
		w, r := store.writer.conn.conn, store.reader.db
		assert.Equal(t, synchronous, setting(t, w.QueryRowContext, "synchronous"))
		assert.Equal(t, synchronous-1, setting(t, w.QueryRowContext, "fullfsync"))
		assert.Equal(t, 1, setting(t, w.QueryRowContext, "foreign_keys"))
		assert.Equal(t, 1, setting(t, r.QueryRowContext, "query_only"))
		assert.Equal(t, 5000, setting(t, r.QueryRowContext, "busy_timeout"))
		var mode string
		require.NoError(t, r.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode))
		assert.Equal(t, "wal", mode)
	}
}

func setting(t *testing.T, query func(context.Context, string, ...any) *sql.Row, name string) (n int) {
	t.Helper()
	require.NoError(t, query(t.Context(), "PRAGMA "+name).Scan(&n))
	return n
}

// TestWritesThatFail: a write that fails changes nothing, and the store recovers.
func TestWritesThatFail(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"full disk": "max_page_count = 20", "read-only file": "query_only = 1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, ctx := openStore(t, nil), t.Context()
			at, _, err := store.Append(ctx, key, driver.Append{Messages: []driver.StoredMessage{message("a")}, Head: []byte("h")})
			require.NoError(t, err)
			before, err := store.Load(ctx, key, -1)
			require.NoError(t, err)
			large := message("large")
			large.Body = []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
			batch := []driver.StoredMessage{message("b"), large}

			pragma(t, store, text)
			_, _, err = store.Append(ctx, key, driver.Append{Messages: batch})
			require.ErrorIs(t, err, session.ErrUnavailable)
			pragma(t, store, text)
			_, err = store.Write(ctx, key, driver.Write{
				If: driver.Condition{Revision: at.Revision}, DropBefore: 2, Messages: batch, Head: []byte("new"),
			})
			require.ErrorIs(t, err, session.ErrUnavailable)
			after, err := store.Load(ctx, key, -1)
			require.NoError(t, err)
			assert.Equal(t, before, after)

			_, added, err := store.Append(ctx, key, driver.Append{Messages: batch})
			require.NoError(t, err)
			assert.Equal(t, 2, added)
			assert.Equal(t, []string{"a", "b", "large"}, ids(t, store, key))
		})
	}
}

// TestSharedTransactionWithFailures: a failing change does not affect others in its transaction.
func TestSharedTransactionWithFailures(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	w := store.writer
	w.batch = time.Hour
	broken := errors.New("broken")
	type result struct {
		added int
		err   error
	}
	results := make(chan result, 3)
	append1 := func(id string) {
		_, added, err := store.Append(context.Background(), key, driver.Append{Messages: []driver.StoredMessage{message(id)}})
		results <- result{added, err}
	}
	failed := make(chan error, 2)
	runs := 0
	holding(w, func() {
		go append1("a")
		waitFor(t, w, 1)
		go func() { // fails before it writes
			failed <- w.do(context.Background(), func(*tx) error { return session.ErrConflict })
		}()
		waitFor(t, w, 2)
		go append1("b")
		waitFor(t, w, 3)
		go func() { // fails after it has written
			failed <- w.do(context.Background(), func(tx *tx) error {
				runs++
				if _, err := tx.exec(`DELETE FROM messages`); err != nil {
					return err
				}
				return broken
			})
		}()
		waitFor(t, w, 4)
		go append1("c")
		waitFor(t, w, 5)
	})
	for range 3 {
		assert.Equal(t, result{added: 1}, <-results)
	}
	errs := errors.Join(<-failed, <-failed)
	require.ErrorIs(t, errs, broken)
	require.ErrorIs(t, errs, session.ErrConflict)
	assert.Equal(t, 2, runs, "once with the others, once alone")
	assert.Equal(t, []string{"a", "b", "c"}, ids(t, store, key))
}

// TestWaitingEndsWithTheContext: a change whose context ends leaves the queue.
func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	holding(store.writer, func() {
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, _, err := store.Append(ctx, key, driver.Append{Messages: []driver.StoredMessage{message("a")}})
			left <- err
		}()
		waitFor(t, store.writer, 1)
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		waitFor(t, store.writer, 0)
	})
	_, err := store.Load(t.Context(), key, 0)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// TestLongAppendIsCancelled: the context of a running change is checked.
func TestLongAppendIsCancelled(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	var many []driver.StoredMessage
	for i := range 10 * blockSize {
		many = append(many, message(strings.Repeat("m", i+1)))
	}
	ctx := &endingContext{Context: t.Context(), after: 8}
	_, _, err := store.Append(ctx, key, driver.Append{Messages: many})
	require.ErrorIs(t, err, context.Canceled)
	_, err = store.Load(t.Context(), key, 0)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// endingContext ends after a number of calls of Err.
type endingContext struct {
	context.Context
	after int
}

func (c *endingContext) Err() error {
	if c.after--; c.after < 0 {
		return context.Canceled
	}
	return nil
}

// TestMigrationsAreWhole: a migration that fails changes nothing.
func TestMigrationsAreWhole(t *testing.T) {
	t.Parallel()
	file, err := newFile(filepath.Join(t.TempDir(), "sessions.db"), Options{BusyTimeout: time.Second})
	require.NoError(t, err)
	require.NoError(t, file.prepare(t.Context()))
	db, err := file.connect(writing)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()

	scripts := append(migrations(), `CREATE TABLE more (id INTEGER); CREATE TABLE sessions (id INTEGER);`)
	_, err = file.step(t.Context(), conn, scripts)
	require.ErrorContains(t, err, "already exists")
	version, err := file.version(t.Context(), conn, len(scripts))
	require.NoError(t, err)
	assert.Equal(t, len(migrations()), version)
	err = conn.QueryRowContext(t.Context(), `SELECT name FROM sqlite_schema WHERE name = 'more'`).Scan(new(string))
	require.ErrorIs(t, err, sql.ErrNoRows)

	scripts[len(scripts)-1] = `CREATE TABLE more (id INTEGER);`
	version, err = file.step(t.Context(), conn, scripts)
	require.NoError(t, err)
	assert.Equal(t, len(scripts), version)
}

// TestReleasedMigrationsStay: the script of version 1 never changes.
func TestReleasedMigrationsStay(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/version1.sql")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(script), migrations()[0]))
}

// TestSearchesUseIndexes: a search for one owner does not scan the records of others.
func TestSearchesUseIndexes(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	in := searched{owner: 1, condition: "owner = ?", args: []any{1}}
	is := &longterm.TextCondition{Eq: new("x")}
	for name, f := range map[string]longterm.RecordFilter{
		"none": {}, "columns": {SessionID: is, Pinned: new(true)}, "tags": {Topics: is, Entities: &longterm.TextCondition{Ne: new("x")}},
	} {
		filter := matching(in.owner, &f)
		w := in.where().and(filter)
		queries := []string{
			selectPostings(3), selectBlocks(in), selectUnindexed(in), selectVectors(in), selectPassing(in, filter), selectCandidates(filter, false), selectCandidates(filter, true),
			selectCount(w), selectList(w, longterm.OrderNewest), selectByKey, selectByHash, selectByNumber, selectOwner, selectKey, updateAccess,
			selectBlock, selectListedBlocks, selectOpen, selectMessage, selectPrevious, selectNext, updateSlots,
		}
		for _, query := range queries {
			for _, step := range plan(t, store, query) {
				if !strings.Contains(step, "VIRTUAL TABLE INDEX") && !strings.Contains(step, "VALUES CLAUSE") && step != "SCAN q" {
					assert.NotContains(t, step, "SCAN", "%s: %s", name, query)
				}
			}
		}
		for _, query := range []string{selectList(w, longterm.OrderKey), selectPrevious, selectNext} {
			assert.NotContains(t, strings.Join(plan(t, store, query), "\n"), "TEMP B-TREE")
		}
		assert.Contains(t, plan(t, store, selectNext)[0], "records_messages (owner=? AND session_id=? AND (made_at,key)>(?,?))")
	}
}
