package sqlitestore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// memoryOf returns a change that adds a record of ann.
func memoryOf(id, text string) longtermdriver.RecordChange {
	rec := longterm.Record{
		ID: id, UserID: "ann", Hash: id, Text: text, Topics: strings.Fields(text), Entities: []string{"person:ann"},
		Metadata: map[string]any{"source": "chat"},
	}
	return longtermdriver.RecordChange{Key: longtermdriver.KeyOf(&rec), Entry: &longtermdriver.Entry{
		Record: rec, Terms: strings.Fields(text), Vector: []float32{1, 0}, Model: "m",
	}}
}

// remember writes new records.
func remember(tb testing.TB, store *sqlitestore.Store, changes ...longtermdriver.RecordChange) {
	tb.Helper()
	require.NoError(tb, store.Index().Write(tb.Context(), changes))
}

// hybrid returns a hybrid search for tea.
func hybrid() longtermdriver.Search {
	return longtermdriver.Search{
		Scope: longterm.Of("", "ann"), Mode: longterm.ModeHybrid, Terms: []string{"tea"}, Vector: []float32{1, 0}, Model: "m", Limit: 10,
	}
}

// TestRemovedRecordsLeaveNothing: no row of a removed record or of an owner without records stays.
func TestRemovedRecordsLeaveNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	remember(t, store, memoryOf("1", "green tea"), memoryOf("2", "black tea"))
	found, err := store.Index().Lookup(t.Context(), longtermdriver.Lookup{Hashes: []string{"1", "2"}, UserID: "ann"})
	require.NoError(t, err)
	require.Len(t, found, 2)
	for _, e := range found {
		require.NoError(t, store.Index().Write(t.Context(), []longtermdriver.RecordChange{{Key: longtermdriver.KeyOf(&e.Record), If: e.Version}}))
	}
	for _, table := range []string{"owners", "records", "bodies", "tags", "vectors", "postings"} {
		assert.Zero(t, number(t, path, "SELECT count(*) FROM "+table), table)
	}
}

// TestDamagedRecords: damage is reported without contents.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		writes    bool // fail too
	}{
		"malformed JSON":  {`UPDATE bodies SET body = CAST('{"text":secret' AS BLOB)`, false},
		"text":            {`UPDATE bodies SET body = 'secret'`, false},
		"no body":         {`DELETE FROM bodies`, false},
		"a version":       {`UPDATE records SET version = 'secret'`, true},
		"a time":          {`UPDATE records SET accessed_at = 'secret'`, false},
		"a count":         {`UPDATE records SET accesses = 'secret'`, false},
		"a creation time": {`UPDATE records SET created_at = 'secret'`, false},
		"owner's numbers": {`UPDATE owners SET records = 'secret'`, false},
		"posting":         {`DELETE FROM terms; INSERT INTO terms (rowid, term) SELECT id, 'tea:' || owner || ':secret' FROM records`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			store, err := sqlitestore.Open(t.Context(), path, nil)
			require.NoError(t, err)
			remember(t, store, memoryOf("1", "tea"))
			require.NoError(t, store.Close())
			edit(t, path, append(loose, c.statement)...)
			store = open(t, path, nil)
			_, err = store.Index().Search(t.Context(), hybrid())
			var damage *sqlitestore.FileError
			require.ErrorAs(t, err, &damage)
			require.ErrorIs(t, err, sqlitestore.ErrDamaged)
			assert.NotContains(t, err.Error(), "secret")
			again := memoryOf("1", "tea")
			again.If = 1
			err = store.Index().Write(t.Context(), []longtermdriver.RecordChange{again})
			if c.writes {
				require.ErrorAs(t, err, &damage)
				assert.NotContains(t, err.Error(), "secret")
			} else {
				require.NoError(t, err)
			}
		})
	}
}
