package memory_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// collected makes a value whose end is told to gone.
func collected(gone chan struct{}) *[1 << 16]byte {
	value := new([1 << 16]byte)
	runtime.AddCleanup(value, func(gone chan struct{}) { gone <- struct{}{} }, gone)
	return value
}

// waitCollected waits for the end of n values.
func waitCollected(t *testing.T, gone chan struct{}, n int) {
	t.Helper()
	timeout := time.After(10 * time.Second)
	for range n {
		runtime.GC()
		select {
		case <-gone:
		case <-timeout:
			require.Fail(t, "values are held that are gone")
		}
	}
}
