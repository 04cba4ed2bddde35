package langchain

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// These tests look inside: what a progress holds shows nowhere else.

func TestProgressGoesWithItsRecorder(t *testing.T) {
	w := New(nil, nil)
	for range 20 {
		ctx := middleware.WithRecorder(t.Context(), new(middleware.Recorder))
		_, err := w.Memory(nil).LoadMemoryVariables(ctx, nil)
		require.NoError(t, err)
	}
	collectUntil(t, func() bool {
		left := 0
		w.progress.Range(func(any, any) bool { left++; return true })
		return left == 0
	})
	runtime.KeepAlive(w)
}

func TestARecorderGoesWithItsOnlyWorkingMemory(t *testing.T) {
	gone := make(chan struct{})
	func() {
		rec := new(middleware.Recorder)
		runtime.AddCleanup(rec, func(c chan struct{}) { close(c) }, gone)
		_, err := New(rec, nil).Memory(nil).LoadMemoryVariables(t.Context(), nil)
		require.NoError(t, err)
	}()
	collectUntil(t, func() bool {
		select {
		case <-gone:
			return true
		default:
			return false
		}
	})
}

func collectUntil(t *testing.T, done func() bool) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		runtime.Gosched()
		if done() {
			return
		}
	}
	t.Fatal("not collected")
}

func TestProgressIsBounded(t *testing.T) {
	t.Parallel()
	p := new(progress)
	for i := range 3 * maxRuns {
		n := strconv.Itoa(i)
		p.addShown(n)
		p.thread(map[string]string{"input": n}, true)
		p.thread(map[string]string{"input": n}, false)
		p.thread(map[string]string{"resumed": n}, false)
	}
	assert.Len(t, p.shown, maxShown)
	assert.Len(t, p.runs, maxRuns)
}
