package driver_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver/drivertest"
)

func TestMemoryDocuments(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(testing.TB) drivertest.Harness {
		var store driver.MemoryDocuments
		return drivertest.Harness{Open: func(testing.TB) driver.DocumentStore { return &store }, Shared: true}
	})
}
