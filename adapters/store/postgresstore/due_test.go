package postgresstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// TestDueReadsAnIndex: to find the sessions that are due does not take longer the more
// there are that are not.
func TestDueReadsAnIndex(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	exec(t, pool, schema, `INSERT INTO {schema}.sessions (namespace, user_id, session_id, format, head, revision,
		first, next, tokens, context_window, updated_at, due_at)
		SELECT '', '', i, 1, '{}', 1, 1, 1, 0, 0, now(), CASE WHEN i % 4 = 0 THEN now() + (i - 40) * interval '1 hour' END
		FROM generate_series(1, 20000) i`)
	exec(t, pool, schema, `ANALYZE {schema}.sessions`)
	due := r.recorded(t, "due_at <=", func() {
		keys, err := s.Due(t.Context(), time.Now().Add(time.Minute), 5)
		require.NoError(t, err)
		require.Equal(t, []session.Key{{SessionID: "4"}, {SessionID: "8"}, {SessionID: "12"}, {SessionID: "16"}, {SessionID: "20"}}, keys)
	})
	touched := blocks(t, pool, due)
	require.Less(t, touched, 30, fmt.Sprint(touched, " blocks"))
}

// TestDueOfTimesThatPostgresDoesNotKnow: they are before or behind all others.
func TestDueOfTimesThatPostgresDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := open(t, newSchema(t))
	a := appendOf("a")
	a.Due = time.Now()
	_, _, err := s.Append(t.Context(), key, a)
	require.NoError(t, err)
	keys, err := s.Due(t.Context(), time.Unix(1<<60, 0), 10)
	require.NoError(t, err)
	require.Equal(t, []session.Key{key}, keys)
	keys, err = s.Due(t.Context(), time.Unix(-1<<60, 0), 10)
	require.NoError(t, err)
	require.Empty(t, keys)
}

// TestFirstVersionIsBroughtUpToDate: sessions of a schema of version 1 are kept and go on,
// and a process of that version that still runs is refused, and changes nothing.
func TestFirstVersionIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	all, err := postgresstore.Migrations(schema)
	require.NoError(t, err)
	exec(t, pool, schema, all[0])
	old := `SELECT o_outcome, o_next FROM {schema}.change_session($1, 'acme', 'ann', 's1', 7, '{}', 1, 0, 0, now(),
		$2::bytea[], $3::bigint[], $4::text[], false, 0, 0, 0, 1000)`
	call := func() error {
		_, err := pool.Exec(t.Context(), inTestSchema(old, schema), postgresstore.HashOf(key),
			[][]byte{[]byte("a"), []byte("b")}, []int64{3, 3}, []string{`{"n":1}`, `{"n":2}`})
		return err
	}
	require.NoError(t, call())

	s := open(t, schema)
	require.ErrorContains(t, call(), "42883")
	before, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Equal(t, uint64(7), before.Revision)
	require.Len(t, before.Messages, 2)
	require.Zero(t, before.DueAt)
	due := time.Now().UTC().Truncate(time.Millisecond)
	a := appendOf("b", "c")
	a.Due = due
	at, added, err := s.Append(t.Context(), key, a)
	require.NoError(t, err)
	require.Equal(t, 1, added)
	require.Equal(t, due, at.DueAt)
	keys, err := s.Due(t.Context(), due, 1)
	require.NoError(t, err)
	require.Equal(t, []session.Key{key}, keys)
}
