package drivertest_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

func BenchmarkMemoryStore(b *testing.B) {
	drivertest.Benchmark(b, func(tb testing.TB) driver.Store {
		store := memstore.New(nil)
		tb.Cleanup(func() { _ = store.Close() })
		return store
	})
}
