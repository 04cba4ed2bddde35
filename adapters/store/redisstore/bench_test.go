package redisstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func BenchmarkStore(b *testing.B) {
	url := server(b)
	drivertest.Benchmark(b, func(tb testing.TB) driver.Store {
		return open(tb, url, newPrefix(tb, newClient(tb)))
	})
}
