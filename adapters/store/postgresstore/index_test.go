package postgresstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

// indexHarness gives indexes of stores of their own on one schema.
func indexHarness(tb testing.TB) drivertest.Harness {
	schema := newSchema(tb)
	stores := map[driver.Index]*postgresstore.Store{}
	return drivertest.Harness{
		Shared: true,
		Open: func(tb testing.TB) driver.Index {
			s := open(tb, schema)
			x := s.Index()
			stores[x] = s
			return x
		},
		Close: func(x driver.Index) error { return stores[x].Close() },
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, indexHarness)
}

func BenchmarkIndex(b *testing.B) {
	drivertest.Benchmark(b, func(tb testing.TB) driver.Index { return open(tb, newSchema(tb)).Index() })
}
