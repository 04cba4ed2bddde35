package providers_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func TestVectorIndexIsAnIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		base := memindex.New(nil)
		store := &vectorStore{embedder: newEmbedder()}
		return drivertest.Harness{
			Open:        func(testing.TB) driver.Index { return providers.NewVectorIndex(base, store, nil) },
			Close:       func(driver.Index) error { return base.Close() },
			Approximate: true,
		}
	})
}
