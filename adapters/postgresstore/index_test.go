package postgresstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
)

// indexHarness gives indexes of stores of their own on one schema.
func indexHarness(tb testing.TB) longtermtest.Harness {
	schema := newSchema(tb)
	stores := map[longterm.Index]*postgresstore.Store{}
	return longtermtest.Harness{
		Shared: true,
		Open: func(tb testing.TB) longterm.Index {
			s := open(tb, schema)
			x := s.Index()
			stores[x] = s
			return x
		},
		Close: func(x longterm.Index) error { return stores[x].Close() },
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	longtermtest.Run(t, indexHarness)
}

func BenchmarkIndex(b *testing.B) {
	longtermtest.Benchmark(b, func(tb testing.TB) longterm.Index { return open(tb, newSchema(tb)).Index() })
}
