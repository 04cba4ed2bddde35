package memindex_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// patience is a context that ends after a number of calls of Err.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledSearch(t *testing.T) {
	t.Parallel()
	index := memindex.New(nil)
	defer func() { require.NoError(t, index.Close()) }()
	changes := make([]driver.RecordChange, driver.MaxChanges)
	for round := range 5 {
		for i := range changes {
			id := fmt.Sprint(round, " ", i)
			changes[i] = driver.RecordChange{Key: driver.RecordKey{ID: id}, Entry: &driver.Entry{
				Record: driver.Record{ID: id, Text: "text", Hash: id}, Terms: []string{"one", "two", "three"}, Vector: []float32{1}, Model: "model",
			}}
		}
		require.NoError(t, index.Write(t.Context(), changes))
	}
	for mode := driver.ModeList; mode <= driver.ModeHybrid; mode++ {
		s := driver.Search{Scope: longterm.Of("", ""), Mode: mode, Terms: []string{"one", "two", "three"}, Vector: []float32{1}, Model: "model", Limit: 1}
		ctx := &patience{Context: t.Context(), left: 1 << 20}
		page, err := index.Search(ctx, s)
		require.NoError(t, err)
		require.Equal(t, 5000, page.Total)
		calls := 1<<20 - ctx.left
		require.Greater(t, calls, 3, "mode %d", mode)
		for left := range calls {
			page, err := index.Search(&patience{Context: t.Context(), left: left}, s)
			require.ErrorIs(t, err, context.Canceled, "mode %d, after %d calls", mode, left)
			require.Empty(t, page)
		}
	}
}

func TestInvalidCalls(t *testing.T) {
	t.Parallel()
	index := memindex.New(nil)
	defer func() { require.NoError(t, index.Close()) }()
	change := func(key, id string) driver.RecordChange {
		return driver.RecordChange{Key: driver.RecordKey{ID: key}, Entry: &driver.Entry{Record: driver.Record{ID: id, Hash: id}}}
	}
	bad := change("a", "a")
	bad.Entry.Record.Metadata = map[string]any{"channel": make(chan int)}
	for name, changes := range map[string][]driver.RecordChange{
		"too many":     make([]driver.RecordChange, driver.MaxChanges+1),
		"repeated":     {change("a", "a"), change("a", "a")},
		"another key":  {change("b", "b"), change("a", "c")},
		"not JSON":     {change("b", "b"), bad},
		"also removed": {change("a", "a"), {Key: driver.RecordKey{ID: "a"}}},
	} {
		require.Error(t, index.Write(t.Context(), changes), name)
	}
	keys := make([]driver.RecordKey, driver.MaxChanges+1)
	require.Error(t, index.Touch(t.Context(), keys, bad.Entry.Record.CreatedAt))
	_, err := index.Lookup(t.Context(), driver.Lookup{Keys: keys})
	require.Error(t, err)
	page, err := index.Search(t.Context(), driver.Search{Scope: longterm.Everyone()})
	require.NoError(t, err)
	require.Zero(t, page.Total)
}
