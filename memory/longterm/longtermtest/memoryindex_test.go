package longtermtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
)

func TestMemoryIndex(t *testing.T) {
	t.Parallel()
	longtermtest.Run(t, func(tb testing.TB) longtermtest.Harness {
		index := longterm.NewMemoryIndex(nil)
		tb.Cleanup(func() { assert.NoError(tb, index.Close()) })
		return longtermtest.Harness{Open: func(testing.TB) longterm.Index { return index }}
	})
}
