package sessiontest_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

func BenchmarkMemoryStore(b *testing.B) {
	sessiontest.Benchmark(b, func(tb testing.TB) session.Store {
		store := session.NewMemoryStore(nil)
		tb.Cleanup(func() { _ = store.Close() })
		return store
	})
}
