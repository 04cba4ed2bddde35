package sqlitestore_test

import (
	"context"
	"fmt"
	"strings"
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

// memoryOf is a new record of ann's, as a change.
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

// hybrid finds all that remember wrote about tea.
func hybrid() longtermdriver.Search {
	return longtermdriver.Search{
		Scope: longterm.Of("", "ann"), Mode: longterm.ModeHybrid, Terms: []string{"tea"}, Vector: []float32{1, 0}, Model: "m", Limit: 10,
	}
}

// What is removed leaves no row behind, nor does an owner who has nothing left.
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

// Sessions expire, long-term memories do not.
func TestSweepLeavesRecords(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	store := open(t, path, &sqlitestore.Options{Now: clock.Now, SweepInterval: -1})
	key := session.Key{UserID: "ann", SessionID: "1"}
	_, _, err := store.Append(t.Context(), key, sessiondriver.Append{Messages: chat(0, 2), TTL: time.Minute})
	require.NoError(t, err)
	remember(t, store, memoryOf("1", "green tea"))
	clock.Sleep(time.Hour)
	n, err := store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	page, err := store.Index().Search(t.Context(), hybrid())
	require.NoError(t, err)
	assert.Equal(t, 1, page.Total)
}

// As many values as a filter may have fit into a statement.
func TestFilterOfManyValues(t *testing.T) {
	t.Parallel()
	store := open(t, newPath(t), nil)
	remember(t, store, memoryOf("1", "green tea"), memoryOf("2", "coffee"))
	many := make([]string, longtermdriver.MaxConditions-1)
	for i := range many {
		many[i] = fmt.Sprint("value ", i)
	}
	any := &longterm.TextCondition{Any: append(many, "tea")}
	all := &longterm.TextCondition{All: append(many, "tea")}
	for total, f := range map[int]longterm.RecordFilter{1: {Topics: any}, 0: {Topics: all}, 2: {ID: &longterm.TextCondition{Any: append(many, "1"), Ne: new("2")}, Topics: nil}} {
		if total == 2 {
			total = 1
		}
		for mode := range longterm.ModeHybrid + 1 {
			s := hybrid()
			s.Mode, s.Filter = mode, f
			page, err := store.Index().Search(t.Context(), s)
			require.NoError(t, err)
			assert.Equal(t, total, page.Total, mode)
		}
	}
	page, err := store.Index().Search(t.Context(), longtermdriver.Search{Scope: longterm.Everyone(), Filter: longterm.RecordFilter{SessionID: all}})
	require.NoError(t, err)
	assert.Zero(t, page.Total)
}

// A damaged record is said to be one, and nothing of it.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		writes    bool // are hurt too
	}{
		"no JSON":          {`UPDATE bodies SET body = CAST('{"text":secret' AS BLOB)`, false},
		"text":             {`UPDATE bodies SET body = 'secret'`, false},
		"no body":          {`DELETE FROM bodies`, false},
		"a version":        {`UPDATE records SET version = 'secret'`, true},
		"a time":           {`UPDATE records SET accessed_at = 'secret'`, false},
		"a count":          {`UPDATE records SET accesses = 'secret'`, false},
		"a time of making": {`UPDATE records SET created_at = 'secret'`, false},
		"owner's numbers":  {`UPDATE owners SET records = 'secret'`, false},
		"posting":          {`DELETE FROM terms; INSERT INTO terms (rowid, term) SELECT id, 'tea:' || owner || ':secret' FROM records`, false},
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

// Where the pages of records are damaged, sessions are not.
func TestDamagedPagesOfRecords(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, err := sqlitestore.Open(t.Context(), path, nil)
	require.NoError(t, err)
	add(t, store, key, 0, 3)
	remember(t, store, memoryOf("1", "green tea"))
	require.NoError(t, store.Close())
	for _, page := range pages(t, path, "name LIKE '%records%' OR name = 'bodies' OR name LIKE 'terms%'") {
		trash(t, path, (page-1)*pageSize, page*pageSize)
	}
	store = open(t, path, nil)
	var damage *sqlitestore.FileError
	for mode := range longterm.ModeHybrid + 1 {
		s := hybrid()
		s.Mode = mode
		_, err = store.Index().Search(t.Context(), s)
		require.ErrorAs(t, err, &damage)
	}
	_, err = store.Index().Lookup(t.Context(), longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{{UserID: "ann", ID: "1"}}})
	require.ErrorAs(t, err, &damage)
	require.ErrorAs(t, store.Index().Write(t.Context(), []longtermdriver.RecordChange{memoryOf("2", "tea")}), &damage)
	require.ErrorAs(t, store.Index().Touch(t.Context(), []longtermdriver.RecordKey{{UserID: "ann", ID: "1"}}, time.Now()), &damage)
	_, err = store.Load(t.Context(), key, -1)
	require.NoError(t, err)
}

// Calls end with their contexts.
func TestIndexEndsWithTheContext(t *testing.T) {
	t.Parallel()
	x := open(t, newPath(t), nil).Index()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := x.Search(ctx, hybrid())
	require.ErrorIs(t, err, context.Canceled)
	_, err = x.Lookup(ctx, longtermdriver.Lookup{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, x.Write(ctx, []longtermdriver.RecordChange{memoryOf("1", "tea")}), context.Canceled)
	require.ErrorIs(t, x.Touch(ctx, nil, time.Now()), context.Canceled)
}
