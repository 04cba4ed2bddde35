package postgresstore_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func BenchmarkStore(b *testing.B) {
	drivertest.Benchmark(b, func(tb testing.TB) driver.Store { return open(tb, newSchema(tb)) })
}
