package sqlitestore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
	for _, table := range []string{"owners", "records", "bodies", "tags", "vectors", "postings", "blocks", "codes"} {
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
		"slots":           {`UPDATE blocks SET slots = CAST('secret' AS BLOB)`, true},
		"codes":           {`UPDATE codes SET codes = 'secret'`, true},
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

// TestSearchesSeeOtherStores: what a store keeps in memory does not hide the changes of others.
func TestSearchesSeeOtherStores(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, other := open(t, path, nil), open(t, path, nil)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := hybrid()
	s.Ranking.Recency, s.Ranking.Now = new(longterm.DefaultRecency()), now
	found := func() []string {
		page, err := store.Index().Search(t.Context(), s)
		require.NoError(t, err)
		ids := []string{}
		for _, hit := range page.Hits {
			ids = append(ids, hit.Record.ID)
		}
		return ids
	}
	remember(t, other, memoryOf("1", "tea"), memoryOf("2", "tea"))
	assert.Equal(t, []string{"1", "2"}, found())
	second := longtermdriver.RecordKey{UserID: "ann", ID: "2"}
	require.NoError(t, other.Index().Touch(t.Context(), []longtermdriver.RecordKey{second}, now))
	assert.Equal(t, []string{"2", "1"}, found())
	entries, err := other.Index().Lookup(t.Context(), longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{second}})
	require.NoError(t, err)
	require.NoError(t, other.Index().Write(t.Context(), []longtermdriver.RecordChange{{Key: second, If: entries[0].Version}}))
	assert.Equal(t, []string{"1"}, found())
	remember(t, other, memoryOf("3", "tea"))
	assert.Equal(t, []string{"1", "3"}, found())
}

// TestBlocksShrink: what searches read of removed records does not stay in the file, wherever the
// others are.
func TestBlocksShrink(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	const records, kept = 3000, 20
	var changes []longtermdriver.RecordChange
	for i := range records {
		changes = append(changes, memoryOf(fmt.Sprint(i), "tea"))
	}
	for some := range slices.Chunk(changes, longtermdriver.MaxChanges) {
		remember(t, store, some...)
	}
	full := number(t, path, "SELECT sum(length(slots)) FROM blocks")
	changes = changes[:0]
	for i := range records {
		if i%(records/kept) != 0 {
			changes = append(changes, longtermdriver.RecordChange{
				Key: longtermdriver.RecordKey{UserID: "ann", ID: fmt.Sprint(i)}, If: uint64(1 + i/longtermdriver.MaxChanges),
			})
		}
	}
	for some := range slices.Chunk(changes, longtermdriver.MaxChanges) {
		remember(t, store, some...)
	}
	assert.Less(t, number(t, path, "SELECT sum(length(slots)) FROM blocks"), full/20)
	assert.Equal(t, kept, number(t, path, "SELECT sum(used) FROM blocks"))
	blocks := number(t, path, "SELECT count(*) FROM blocks")
	for i := range 10 {
		remember(t, store, memoryOf(fmt.Sprint("new", i), "tea"))
	}
	assert.Equal(t, blocks, number(t, path, "SELECT count(*) FROM blocks"), "free slots are used again")
	page, err := store.Index().Search(t.Context(), hybrid())
	require.NoError(t, err)
	assert.Equal(t, kept+10, page.Total)
}
