package sqlitestore_test

import (
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// loose removes the constraints of the tables.
var loose = []string{
	"PRAGMA writable_schema = ON",
	"UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT, ', ') '), ') STRICT', ')'), 'NOT NULL', '') WHERE type = 'table'",
	"PRAGMA writable_schema = RESET",
	"PRAGMA ignore_check_constraints = ON",
}

// damages are statements that damage a session of 10 messages, the first three of them dropped.
var damages = map[string]struct {
	statement string
	loads     string // the damaged part that Load reports
	writes    string // the part that Append and Write report; empty if they succeed
}{
	"text for a number":           {`UPDATE sessions SET next = 'many'`, "position", "position"},
	"a fraction":                  {`UPDATE sessions SET tokens = 1.5`, "position", "position"},
	"next before first":           {`UPDATE sessions SET next = 2`, "position", "position"},
	"next too high":               {`UPDATE sessions SET next = 12`, "message 11", "message 11"},
	"next too low":                {`UPDATE sessions SET next = 10`, "tokens", "message 10"},
	"first too low":               {`UPDATE sessions SET first = 3`, "message 3", ""},
	"first too high":              {`UPDATE sessions SET first = 5`, "tokens", ""},
	"wrong tokens":                {`UPDATE sessions SET tokens = 1`, "tokens", ""},
	"gap":                         {`DELETE FROM messages WHERE seq = 6`, "message 6", ""},
	"all messages gone":           {`DELETE FROM messages`, "message 4", "message 10"},
	"message without body":        {`UPDATE messages SET body = NULL WHERE seq = 7`, "message 7", ""},
	"text for a message's tokens": {`UPDATE messages SET tokens = 'x' WHERE seq = 7`, "message 7", ""},
	"text for when it is due":     {`UPDATE sessions SET due_at = 'soon'`, "position", "position"},
	"no head":                     {`DELETE FROM heads`, "head", ""},
}

// damaged returns a store with a damaged session and another one.
func damaged(t *testing.T, statement string) *sqlitestore.Store {
	t.Helper()
	path := newPath(t)
	store, err := sqlitestore.Open(t.Context(), path, nil)
	require.NoError(t, err)
	at := add(t, store, key, 0, 10)
	_, err = store.Write(t.Context(), key, driver.Write{
		If: driver.Condition{Revision: at.Revision}, DropBefore: 4, Head: []byte(`{"h":2}`),
	})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	edit(t, path, append(loose, statement)...)
	store = open(t, path, nil)
	add(t, store, session.Key{SessionID: "healthy"}, 0, 3)
	return store
}

func TestDamagedSessions(t *testing.T) {
	t.Parallel()
	for name, d := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), damaged(t, d.statement)
			requireDamage := func(part string, err error) {
				t.Helper()
				var damage *session.DamagedError
				require.ErrorAs(t, err, &damage)
				assert.Equal(t, key, damage.Key)
				assert.Equal(t, part, damage.Part)
				assert.NotContains(t, err.Error(), "many")
			}
			_, err := store.Load(ctx, key, -1)
			requireDamage(d.loads, err)
			_, _, err = store.Append(ctx, key, driver.Append{Messages: chat(100, 1)})
			if d.writes != "" {
				requireDamage(d.writes, err)
				_, err = store.Write(ctx, key, driver.Write{If: driver.Condition{Revision: 2}, Head: []byte("{}")})
				requireDamage(d.writes, err)
			} else {
				require.NoError(t, err)
			}

			page, err := store.List(ctx, session.ListOptions{Limit: -1})
			require.NoError(t, err)
			assert.Equal(t, session.Listing{Keys: []session.Key{{SessionID: "healthy"}, key}, Total: 2}, page)
			record, err := store.Load(ctx, session.Key{SessionID: "healthy"}, -1)
			require.NoError(t, err)
			assert.Len(t, record.Messages, 3)

			require.NoError(t, store.Delete(ctx, key, nil))
			_, err = store.Load(ctx, key, -1)
			require.ErrorIs(t, err, session.ErrNotFound)
			add(t, store, key, 0, 2)
		})
	}
}

// TestDropOfMissingMessages: a Write that drops damaged messages fails and changes nothing.
func TestDropOfMissingMessages(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"gap":  `DELETE FROM messages WHERE seq = 6`,
		"body": `UPDATE messages SET body = NULL WHERE seq = 6`,
		"text": `UPDATE messages SET tokens = 'x' WHERE seq = 6; UPDATE messages SET tokens = 2.5 WHERE seq = 7`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := damaged(t, statement)
			record, err := store.Load(t.Context(), key, 0)
			require.NoError(t, err)
			_, err = store.Write(t.Context(), key, driver.Write{
				If: driver.Condition{Revision: record.Revision}, DropBefore: 9, Head: []byte("{}"),
			})
			var damage *session.DamagedError
			require.ErrorAs(t, err, &damage)
			assert.Equal(t, "messages", damage.Part)
			again, err := store.Load(t.Context(), key, 0)
			require.NoError(t, err)
			assert.Equal(t, record, again)
		})
	}
}

// TestDeletingDamagedOnCondition: conditions on damaged sessions are checked if the numbers are readable.
func TestDeletingDamagedOnCondition(t *testing.T) {
	t.Parallel()
	store := damaged(t, `UPDATE sessions SET revision = 7, next = 12`)
	require.ErrorIs(t, store.Delete(t.Context(), key, &driver.Condition{Revision: 8}), session.ErrConflict)
	require.NoError(t, store.Delete(t.Context(), key, &driver.Condition{Revision: 7}))
	store = damaged(t, `UPDATE sessions SET revision = 'x'`)
	var damage *session.DamagedError
	require.ErrorAs(t, store.Delete(t.Context(), key, &driver.Condition{Revision: 7}), &damage)
}

const pageSize = 4096

// pages returns the page numbers of tables and indexes.
func pages(tb testing.TB, path, of string) (numbers []int) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	rows, err := db.QueryContext(tb.Context(), "SELECT pageno FROM dbstat WHERE "+of)
	require.NoError(tb, err)
	for rows.Next() {
		var n int
		require.NoError(tb, rows.Scan(&n))
		numbers = append(numbers, n)
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, db.Close())
	require.NotEmpty(tb, numbers)
	return numbers
}

// TestDamagedPages: a damaged file is reported and not changed.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, err := sqlitestore.Open(t.Context(), path, nil)
	require.NoError(t, err)
	add(t, store, key, 0, 200)
	require.NoError(t, store.Close())
	for _, page := range pages(t, path, "name <> 'sqlite_schema'") {
		corrupt(t, path, (page-1)*pageSize, page*pageSize)
	}
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	store, err = sqlitestore.Open(t.Context(), path, nil)
	require.NoError(t, err)
	var damage *session.DamagedError
	_, err = store.Load(t.Context(), key, -1)
	require.ErrorAs(t, err, &damage)
	assert.Equal(t, key, damage.Key)
	require.ErrorIs(t, err, sqlitestore.ErrDamaged)
	_, _, err = store.Append(t.Context(), key, driver.Append{Messages: chat(0, 1)})
	require.ErrorAs(t, err, &damage)
	require.ErrorAs(t, store.Delete(t.Context(), key, nil), &damage)
	_, err = store.List(t.Context(), session.ListOptions{Limit: -1})
	var file *sqlitestore.FileError
	require.ErrorAs(t, err, &file)
	_, err = store.Sweep(t.Context())
	require.ErrorAs(t, err, &file)
	require.NoError(t, store.Close())

	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// TestDamagedSessionsAreDue: damaged sessions can be due. Malformed keys fail Due and List.
func TestDamagedSessionsAreDue(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	due := time.UnixMilli(1_700_000_000_000)
	_, _, err := store.Append(t.Context(), key, driver.Append{Messages: chat(0, 3), Due: due})
	require.NoError(t, err)
	edit(t, path, append(loose, `UPDATE sessions SET next = 'many'`)...)
	keys, err := store.Due(t.Context(), due, 5)
	require.NoError(t, err)
	assert.Equal(t, []session.Key{key}, keys)
	edit(t, path, `UPDATE sessions SET key = 'one/part%'`)
	_, err = store.Due(t.Context(), due, 5)
	_, listErr := store.List(t.Context(), session.ListOptions{Limit: -1})
	for _, err := range []error{err, listErr} {
		require.ErrorIs(t, err, sqlitestore.ErrDamaged)
		assert.NotContains(t, err.Error(), "one")
	}
}
