package drivertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/ngrams"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func open(tb testing.TB) driver.Index {
	index := memindex.New(nil)
	tb.Cleanup(func() { require.NoError(tb, index.Close()) })
	return index
}

func TestMemoryIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		index := open(tb)
		return drivertest.Harness{Open: func(testing.TB) driver.Index { return index }}
	})
}

func BenchmarkMemoryIndex(b *testing.B) { drivertest.Benchmark(b, open) }

func TestEmbedder(t *testing.T) {
	t.Parallel()
	e, want := &drivertest.Embedder{Dimension: 7}, &ngrams.Embedder{Dimension: 7}
	got, err := e.Embed(t.Context(), []string{"Anna likes tea.", "Bob likes ale."})
	require.NoError(t, err)
	vectors, err := want.Embed(t.Context(), []string{"Anna likes tea.", "Bob likes ale."})
	require.NoError(t, err)
	require.Equal(t, vectors, got)
	require.Equal(t, want.Model(), e.Model())
}
