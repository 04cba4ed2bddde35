package longterm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

func TestMemoryIndexFindsWhatWasWritten(t *testing.T) {
	t.Parallel()
	index := longterm.NewMemoryIndex(nil)
	defer func() { require.NoError(t, index.Close()) }()
	record := longterm.Record{ID: "1", UserID: "anna", Text: "Anna likes window seats.", Hash: "h"}
	entry := longterm.Entry{Record: record, Terms: longterm.Terms(record.Text), Vector: []float32{1, 0}, Model: "m"}
	change := longterm.Change{Key: longterm.KeyOf(&record), Entry: &entry}
	require.NoError(t, index.Write(t.Context(), []longterm.Change{change}))
	require.ErrorIs(t, index.Write(t.Context(), []longterm.Change{change}), longterm.ErrConflict)
	page, err := index.Search(t.Context(), longterm.Search{
		Scope: longterm.Of("", "anna"), Mode: longterm.ModeHybrid, Terms: longterm.QueryTerms("which seat?"),
		Vector: []float32{0, 1}, Model: "m", Limit: 10,
	})
	require.NoError(t, err)
	require.Equal(t, 1, page.Total)
	require.Equal(t, 1.0, page.Hits[0].Keyword)
	require.Equal(t, record, page.Hits[0].Record)
	found, err := index.Lookup(t.Context(), longterm.Lookup{Hashes: []string{"h"}, UserID: "anna"})
	require.NoError(t, err)
	require.Equal(t, []float32{1, 0}, found[0].Vector)
}
