package queue_test

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
	timeout := time.After(time.Minute)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for n > 0 {
		runtime.GC() // more than once: what is in a sync.Pool outlives one
		select {
		case <-gone:
			n--
		case <-again.C:
		case <-timeout:
			require.Fail(t, "values are held that are gone")
		}
	}
}
