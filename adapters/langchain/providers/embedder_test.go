package providers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
)

func embedding(t *testing.T, client embeddings.EmbedderClientFunc) *providers.Embedder {
	t.Helper()
	embedder, err := embeddings.NewEmbedder(client, embeddings.WithBatchSize(2))
	require.NoError(t, err)
	return providers.NewEmbedder(embedder, "lengths")
}

func TestEmbedderReturnsAVectorForEachText(t *testing.T) {
	t.Parallel()
	e := embedding(t, func(_ context.Context, texts []string) ([][]float32, error) {
		var vectors [][]float32
		for _, text := range texts {
			vectors = append(vectors, []float32{float32(len(text)), 1})
		}
		return vectors, nil
	})
	texts := []string{"a", "b\nb", "ccc"}
	vectors, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{1, 1}, {3, 1}, {3, 1}}, vectors)
	assert.Equal(t, []string{"a", "b\nb", "ccc"}, texts, "they are the caller's")
	assert.Equal(t, "lengths", e.Model())

	vectors, err = e.Embed(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, vectors)
	vector, err := e.EmbedQuery(t.Context(), "dd")
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 1}, vector)
	vectors, err = e.EmbedDocuments(t.Context(), []string{"dd"})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{{2, 1}}, vectors)
}

func TestEmbedderReportsWhatWentWrong(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for name, tt := range map[string]struct {
		vectors [][]float32
		err     error
		want    error
	}{
		"too few":    {[][]float32{{1}}, nil, providers.ErrVectors},
		"too many":   {[][]float32{{1}, {1}, {1}}, nil, providers.ErrVectors},
		"empty":      {[][]float32{{}, {}}, nil, providers.ErrVectors},
		"dimensions": {[][]float32{{1}, {1, 2}}, nil, providers.ErrVectors},
		"failure":    {nil, down, down},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := embedding(t, func(context.Context, []string) ([][]float32, error) { return tt.vectors, tt.err })
			vectors, err := e.Embed(t.Context(), []string{"secret", "secret"})
			require.ErrorIs(t, err, tt.want)
			assert.NotContains(t, err.Error(), "secret")
			assert.Nil(t, vectors)
		})
	}
}
