package postgresstore_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// TestDueOutOfRange: Due accepts times beyond the range of PostgreSQL.
func TestDueOutOfRange(t *testing.T) {
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

// TestMigrationOfVersion1: sessions of version 1 are kept and work, and a process of that version that
// still runs fails without effect.
func TestMigrationOfVersion1(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	all, err := postgresstore.Migrations(schema)
	require.NoError(t, err)
	exec(t, pool, schema, all[0])
	old := `SELECT o_outcome, o_next FROM {schema}.change_session($1, 'acme', 'ann', 's1', 7, '{}', 1, 0, 0, now(),
		$2::bytea[], $3::bigint[], $4::text[], false, 0, 0, 0, 1000)`
	hash := sha256.Sum256([]byte(key.String()))
	call := func() error {
		_, err := pool.Exec(t.Context(), inTestSchema(old, schema), hash[:],
			[][]byte{[]byte("a"), []byte("b")}, []int64{3, 3}, []string{`{"n":1}`, `{"n":2}`})
		return err
	}
	require.NoError(t, call())
	_, err = postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, NoMigrate: true})
	var schemaError *postgresstore.SchemaError
	require.ErrorAs(t, err, &schemaError)
	require.Equal(t, 1, schemaError.Version)

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
