package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/tmc/langchaingo/embeddings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// ErrVectors is returned when an embedder does not return one vector per text, all of
// the same dimension.
var ErrVectors = errors.New("providers: embedder did not return a vector for each text")

// Embedder adapts one of langchaingo's embedders to longterm.Embedder. It is an
// embeddings.Embedder too: create the vector store of a VectorIndex with it, so that no
// text is embedded twice. It is safe for concurrent use if the embedder is.
type Embedder struct {
	embedder embeddings.Embedder
	model    string
}

var (
	_ longterm.Embedder   = (*Embedder)(nil)
	_ embeddings.Embedder = (*Embedder)(nil)
)

// NewEmbedder returns an Embedder that calls embedder. The model names the source of the
// vectors with everything they depend on, such as "text-embedding-3-small/512"; it must
// not be empty.
func NewEmbedder(embedder embeddings.Embedder, model string) *Embedder {
	return &Embedder{embedder: embedder, model: model}
}

// Model implements longterm.Embedder.
func (e *Embedder) Model() string { return e.model }

// Embed implements longterm.Embedder. It calls EmbedDocuments, for queries too.
// Errors: the embedder's, and ErrVectors.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	// langchaingo's own embedders modify their argument.
	vectors, err := e.embedder.EmbedDocuments(ctx, slices.Clone(texts))
	if err != nil {
		return nil, fmt.Errorf("providers: embedding: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: %d for %d texts", ErrVectors, len(vectors), len(texts))
	}
	for _, vector := range vectors {
		if len(vector) == 0 || len(vector) != len(vectors[0]) {
			return nil, fmt.Errorf("%w: dimensions %d and %d", ErrVectors, len(vectors[0]), len(vector))
		}
	}
	return vectors, nil
}

// EmbedDocuments implements embeddings.Embedder.
func (e *Embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	if known, ok := ctx.Value(knownKey{}).(*knownVectors); ok {
		if vectors, ok := known.lookup(texts); ok {
			return vectors, nil
		}
	}
	return e.embedder.EmbedDocuments(ctx, texts)
}

// EmbedQuery implements embeddings.Embedder.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if known, ok := ctx.Value(knownKey{}).(*knownVectors); ok {
		if vectors, ok := known.lookup([]string{text}); ok {
			return vectors[0], nil
		}
	}
	return e.embedder.EmbedQuery(ctx, text)
}

// knownVectors are the vectors that a VectorIndex already has, by the texts that its
// vector store asks to embed. The context of its calls carries them.
type knownVectors struct {
	vectors map[string][]float32
	asked   atomic.Bool
}

type knownKey struct{}

func (k *knownVectors) lookup(texts []string) ([][]float32, bool) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vector, ok := k.vectors[text]
		if !ok {
			return nil, false
		}
		vectors[i] = slices.Clone(vector)
	}
	k.asked.Store(true)
	return vectors, true
}
