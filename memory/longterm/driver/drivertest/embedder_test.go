package drivertest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

func TestEmbedder(t *testing.T) {
	t.Parallel()
	e := &drivertest.Embedder{Dimension: 7}
	vectors, err := e.Embed(t.Context(), []string{"Anna likes tea.", "Bob likes ale.", "Anna likes tea."})
	require.NoError(t, err)
	require.Len(t, vectors, 3)
	require.Len(t, vectors[0], 7)
	require.Equal(t, vectors[0], vectors[2])
	require.NotEqual(t, vectors[0], vectors[1])
	require.NotEqual(t, new(drivertest.Embedder).Model(), e.Model())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}
