package sqlitestore_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// fileOfVersion1 creates a file of version 1 of the schema, with contents.
func fileOfVersion1(tb testing.TB) (path string) {
	tb.Helper()
	script, err := os.ReadFile("testdata/version1.sql")
	require.NoError(tb, err)
	path = newPath(tb)
	edit(tb, path, string(script))
	return path
}

// TestFilesOfVersion1: sessions of version 1 are kept, and later features work with them.
func TestFilesOfVersion1(t *testing.T) {
	t.Parallel()
	path, clock := fileOfVersion1(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	record, err := store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	want := &sessiondriver.StoredSession{
		Position: sessiondriver.Position{
			Revision: 77, First: 2, Next: 4, Tokens: 30, Window: 8000, UpdatedAt: time.UnixMilli(1_750_000_000_000).UTC(),
		},
		Format: 1, Head: []byte(`{"h":1}`), Messages: []sessiondriver.StoredMessage{
			{Seq: 2, ID: "first", Tokens: 10, Body: []byte(`{"role":"user"}`)},
			{Seq: 3, ID: "second", Tokens: 20, Body: []byte(`{"role":"assistant"}`)},
		},
	}
	assert.Equal(t, want, record)
	_, err = store.Load(t.Context(), session.Key{Namespace: "shop", UserID: "bob", SessionID: "2"}, -1)
	require.ErrorIs(t, err, session.ErrNotFound, "it has expired")

	due := clock.Now().Add(time.Minute)
	_, added, err := store.Append(t.Context(), key, sessiondriver.Append{
		Messages: []sessiondriver.StoredMessage{{ID: "left", Body: []byte("{}")}, {ID: "third", Body: []byte("{}")}}, Format: 1, Due: due,
	})
	require.NoError(t, err)
	assert.Equal(t, 1, added, "the id of a dropped message is remembered")
	keys, err := store.Due(t.Context(), due, 10)
	require.NoError(t, err)
	assert.Equal(t, []session.Key{key}, keys)

	large := sessiondriver.StoredResult{ResultInfo: sessiondriver.ResultInfo{ID: "1"}, Content: []byte("large")}
	require.NoError(t, store.PutResult(t.Context(), key, large, 100))
	results, err := store.Results(t.Context(), key, sessiondriver.ToolResult)
	require.NoError(t, err)
	assert.Len(t, results, 1)

	rec := longterm.Record{ID: "1", Hash: "h", Text: "tea"}
	require.NoError(t, store.Index().Write(t.Context(), []longtermdriver.RecordChange{
		{Key: longtermdriver.KeyOf(&rec), Entry: &longtermdriver.Entry{Record: rec, Terms: []string{"tea"}}},
	}))
	page, err := store.Index().Search(t.Context(), longtermdriver.Search{Scope: longterm.Everyone(), Mode: longterm.ModeKeyword, Terms: []string{"tea"}})
	require.NoError(t, err)
	assert.Equal(t, 1, page.Total)
}

// TestUpgradeInterrupted: after a migration that fails halfway, the next Open continues.
func TestUpgradeInterrupted(t *testing.T) {
	t.Parallel()
	path := fileOfVersion1(t)
	edit(t, path, "CREATE TABLE owners (id)")
	_, err := sqlitestore.Open(t.Context(), path, nil)
	require.ErrorContains(t, err, "already exists")
	assert.Equal(t, 2, number(t, path, "PRAGMA user_version"))
	edit(t, path, "DROP TABLE owners")
	_, err = open(t, path, nil).Load(t.Context(), key, -1)
	require.NoError(t, err)
	assert.Equal(t, 9, number(t, path, "PRAGMA user_version"))
}
