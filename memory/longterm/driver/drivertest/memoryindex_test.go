package drivertest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func TestMemoryIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		index := memindex.New(nil)
		tb.Cleanup(func() { assert.NoError(tb, index.Close()) })
		return drivertest.Harness{Open: func(testing.TB) driver.Index { return index }}
	})
}
