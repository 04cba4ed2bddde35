package longtermtest_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
)

func BenchmarkMemoryIndex(b *testing.B) {
	longtermtest.Benchmark(b, func(tb testing.TB) longterm.Index {
		index := longterm.NewMemoryIndex(nil)
		tb.Cleanup(func() { _ = index.Close() })
		return index
	})
}
