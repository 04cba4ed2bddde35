package drivertest_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func BenchmarkMemoryIndex(b *testing.B) {
	drivertest.Benchmark(b, func(tb testing.TB) driver.Index {
		index := memindex.New(nil)
		tb.Cleanup(func() { _ = index.Close() })
		return index
	})
}
