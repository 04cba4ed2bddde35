package postgresstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

// indexHarness gives indexes of stores of their own on one schema.
func indexHarness(tb testing.TB) drivertest.Harness {
	schema := newSchema(tb)
	openIndex, closeIndex := conformance.Part(
		func(tb testing.TB) *postgresstore.Store { return open(tb, schema) },
		func(store *postgresstore.Store) driver.Index { return store.Index() },
	)
	return drivertest.Harness{Open: openIndex, Close: closeIndex, Shared: true}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, indexHarness)
}

func BenchmarkIndex(b *testing.B) {
	drivertest.Benchmark(b, func(tb testing.TB) driver.Index { return open(tb, newSchema(tb)).Index() })
}
