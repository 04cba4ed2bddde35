package drivertest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/ngrams"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

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
