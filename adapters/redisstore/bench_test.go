package redisstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

func BenchmarkStore(b *testing.B) {
	url := server(b)
	sessiontest.Benchmark(b, func(tb testing.TB) session.Store {
		return open(tb, url, newPrefix(tb, newClient(tb)))
	})
}
