package drivertest

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/ngrams"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Embedder is a longterm.Embedder for tests, without a model: it places texts near each other
// if they share words or parts of words. It knows no meanings: "car" is as far from "automobile"
// as from "banana". The same text has the same vector, of length 1, on every machine. The zero
// value is ready to use.
type Embedder struct {
	// Dimension is the dimension of the vectors. 0 means 256.
	Dimension int
}

var _ longterm.Embedder = (*Embedder)(nil)

// Model implements longterm.Embedder.
func (e *Embedder) Model() string { return e.ngrams().Model() }

// Embed implements longterm.Embedder. Its only error is that of the context.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.ngrams().Embed(ctx, texts)
}

func (e *Embedder) ngrams() *ngrams.Embedder { return &ngrams.Embedder{Dimension: e.Dimension} }
