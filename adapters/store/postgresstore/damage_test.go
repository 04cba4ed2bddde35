package postgresstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// unchecked removes the constraints of the table.
const unchecked = `ALTER TABLE {schema}.sessions DROP CONSTRAINT sessions_check, DROP CONSTRAINT sessions_first_check,
	DROP CONSTRAINT sessions_revision_check;`

func TestDamage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, sql, part string }{
		{"gap", `DELETE FROM {schema}.messages WHERE seq = 2`, "list of messages"},
		{"all are missing", `DELETE FROM {schema}.messages`, "list of messages"},
		{"no body", `UPDATE {schema}.messages SET body = NULL WHERE seq = 2`, "message 2"},
		{"tokens of the session", `UPDATE {schema}.sessions SET tokens = -5`, "position"},
		{"tokens of a message", `UPDATE {schema}.messages SET tokens = -5 WHERE seq = 2`, "position"},
		{"next before first", unchecked + `UPDATE {schema}.sessions SET first = 3, next = 2`, "position"},
		{"first 0", unchecked + `UPDATE {schema}.sessions SET first = 0`, "position"},
		{"revision 0", unchecked + `UPDATE {schema}.sessions SET revision = 0`, "position"},
		{"revision below 0", unchecked + `UPDATE {schema}.sessions SET revision = -7`, "position"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			s := open(t, schema)
			_, _, err := s.Append(t.Context(), key, appendOf("a", "b", "c"))
			require.NoError(t, err)
			exec(t, pool, schema, c.sql)
			_, err = s.Load(t.Context(), key, -1)
			requireDamaged(t, err, c.part)
			page, err := s.List(t.Context(), session.ListOptions{Limit: -1})
			require.NoError(t, err)
			require.Equal(t, []session.Key{key}, page.Keys)
			require.NoError(t, s.Delete(t.Context(), key, nil))
			require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.messages`))
		})
	}
}

func requireDamaged(t *testing.T, err error, part string) {
	t.Helper()
	var damaged *session.DamagedError
	require.ErrorAs(t, err, &damaged)
	require.Equal(t, key, damaged.Key)
	require.Equal(t, part, damaged.Part)
	require.NotErrorIs(t, err, session.ErrUnavailable)
}

// TestDamageIsNotMadeWorse: writes to a damaged session change nothing.
func TestDamageIsNotMadeWorse(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	at, _, err := s.Append(t.Context(), key, appendOf("a", "b", "c"))
	require.NoError(t, err)
	exec(t, pool, schema, `UPDATE {schema}.sessions SET next = 3`)
	_, _, err = s.Append(t.Context(), key, appendOf("d"))
	requireDamaged(t, err, "list of messages")
	exec(t, pool, schema, `UPDATE {schema}.sessions SET next = 4`)
	exec(t, pool, schema, `DELETE FROM {schema}.messages WHERE seq = 2`)
	_, err = s.Write(t.Context(), key, sessiondriver.Write{
		If: sessiondriver.Condition{Revision: at.Revision}, DropBefore: 3, Format: 1, Now: time.Now(),
	})
	requireDamaged(t, err, "list of messages")
	r, err := s.Load(t.Context(), key, 1)
	require.NoError(t, err)
	require.Equal(t, at, r.Position)
	require.Equal(t, "c", r.Messages[0].ID)
}

func TestDamagedKey(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	_, _, err := s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	exec(t, pool, schema, `UPDATE {schema}.sessions SET user_id = 'b b'`)
	_, err = s.List(t.Context(), session.ListOptions{Limit: -1})
	var damaged *session.DamagedError
	require.ErrorAs(t, err, &damaged)
	require.Equal(t, "key", damaged.Part)
	// Changing the key to another valid one renames the session.
	exec(t, pool, schema, `UPDATE {schema}.sessions SET user_id = 'bea'`)
	_, err = s.Load(t.Context(), session.Key{Namespace: "acme", UserID: "bea", SessionID: "s1"}, -1)
	require.NoError(t, err)
}

// TestDamagedRecords: malformed metadata is reported without contents. Wrong counts of an owner affect
// ranks only.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	x := open(t, schema).Index()
	for _, id := range []string{"1", "2"} {
		e := anEntry
		e.Record.ID, e.Record.Hash, e.Terms = id, id, []string{"tea", "cup"}
		add(t, x, &e)
	}
	search := longtermdriver.Search{
		Scope: longterm.Of(anEntry.Record.Namespace, anEntry.Record.UserID), Mode: longterm.ModeKeyword, Terms: []string{"tea"}, Limit: 10,
	}
	for _, damage := range []string{
		`UPDATE {schema}.owners SET records = 1`, `UPDATE {schema}.owners SET terms = 0`,
		`UPDATE {schema}.owners SET records = 0`, `DELETE FROM {schema}.owners`,
	} {
		exec(t, pool, schema, damage)
		page, err := x.Search(t.Context(), search)
		require.NoError(t, err, damage)
		require.Len(t, page.Hits, 2, damage)
	}
	exec(t, pool, schema, `UPDATE {schema}.records SET metadata = '{"secret'`)
	_, err := x.Search(t.Context(), search)
	require.ErrorIs(t, err, longterm.ErrMetadata)
	require.NotContains(t, err.Error(), "secret")
	key := longtermdriver.KeyOf(&anEntry.Record)
	key.ID = "1"
	_, err = x.Lookup(t.Context(), longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{key}})
	require.ErrorIs(t, err, longterm.ErrMetadata)
	require.NotContains(t, err.Error(), "secret")
}
