package sqlitestore_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// version1 makes a file as the first version of this package made it.
func version1(tb testing.TB) (path string) {
	tb.Helper()
	script, err := os.ReadFile("testdata/version1.sql")
	require.NoError(tb, err)
	path = newPath(tb)
	edit(tb, path, string(script))
	return path
}

// Sessions of a file of the first version stay what they are, and can do what came
// later.
func TestFilesOfVersion1(t *testing.T) {
	t.Parallel()
	path, clock := version1(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	record, err := store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	want := &session.Record{
		Position: session.Position{
			Revision: 77, First: 2, Next: 4, Tokens: 30, Window: 8000, UpdatedAt: time.UnixMilli(1_750_000_000_000).UTC(),
		},
		Format: 1, Head: []byte(`{"h":1}`), Messages: []session.StoredMessage{
			{Seq: 2, ID: "first", Tokens: 10, Body: []byte(`{"role":"user"}`)},
			{Seq: 3, ID: "second", Tokens: 20, Body: []byte(`{"role":"assistant"}`)},
		},
	}
	assert.Equal(t, want, record)
	_, err = store.Load(t.Context(), session.Key{Namespace: "shop", UserID: "bob", SessionID: "2"}, -1)
	require.ErrorIs(t, err, session.ErrNotFound, "it has expired")

	due := clock.Now().Add(time.Minute)
	_, added, err := store.Append(t.Context(), key, session.Append{
		Messages: []session.StoredMessage{{ID: "left", Body: []byte("{}")}, {ID: "third", Body: []byte("{}")}}, Format: 1, Due: due,
	})
	require.NoError(t, err)
	assert.Equal(t, 1, added, "one that left is remembered")
	keys, err := store.Due(t.Context(), due, 10)
	require.NoError(t, err)
	assert.Equal(t, []session.Key{key}, keys)

	rec := longterm.Record{ID: "1", Hash: "h", Text: "tea"}
	require.NoError(t, store.Index().Write(t.Context(), []longterm.Change{
		{Key: longterm.KeyOf(&rec), Entry: &longterm.Entry{Record: rec, Terms: []string{"tea"}}},
	}))
	page, err := store.Index().Search(t.Context(), longterm.Search{Scope: longterm.Everyone(), Mode: longterm.ModeKeyword, Terms: []string{"tea"}})
	require.NoError(t, err)
	assert.Equal(t, 1, page.Total)
}

// A step that fails on the way leaves a file that the next one who opens it brings up
// to date.
func TestUpgradeInterrupted(t *testing.T) {
	t.Parallel()
	path := version1(t)
	edit(t, path, "CREATE TABLE owners (id)")
	_, err := sqlitestore.Open(t.Context(), path, nil)
	require.ErrorContains(t, err, "already exists")
	assert.Equal(t, 2, number(t, path, "PRAGMA user_version"))
	edit(t, path, "DROP TABLE owners")
	store := open(t, path, nil)
	_, err = store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	assert.Equal(t, 3, number(t, path, "PRAGMA user_version"))
}
