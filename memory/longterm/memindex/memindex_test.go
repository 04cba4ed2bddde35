package memindex_test

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func open(tb testing.TB) driver.Index {
	index := memindex.New(nil)
	tb.Cleanup(func() { require.NoError(tb, index.Close()) })
	return index
}

var _ = flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 100)))

func TestIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		index := open(tb)
		return drivertest.Harness{Open: func(testing.TB) driver.Index { return index }}
	})
}

func BenchmarkMemoryIndex(b *testing.B) { drivertest.Benchmark(b, open) }

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
	index := open(t)
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
	index := open(t)
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
