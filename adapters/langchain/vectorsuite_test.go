package langchain_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
)

func TestVectorIndexIsAnIndex(t *testing.T) {
	t.Parallel()
	longtermtest.Run(t, func(tb testing.TB) longtermtest.Harness {
		base := longterm.NewMemoryIndex(nil)
		store := &vectorStore{embedder: newEmbedder()}
		return longtermtest.Harness{
			Open:        func(testing.TB) longterm.Index { return langchain.NewVectorIndex(base, store, nil) },
			Close:       func(longterm.Index) error { return base.Close() },
			Approximate: true,
		}
	})
}
