package workqueue_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
)

func key(id string) driver.Key { return driver.Key{SessionID: id} }

func TestOneSessionIsWorkedOnByOneWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs, at atomic.Int32
		q := workqueue.New(4, 10, func(context.Context, driver.Key) {
			assert.EqualValues(t, 1, at.Add(1))
			time.Sleep(time.Second)
			at.Add(-1)
			runs.Add(1)
		})
		for range 5 { // before it runs: once
			assert.True(t, q.Add(key("a")))
		}
		synctest.Wait()
		for range 5 { // while it runs: once more
			assert.True(t, q.Add(key("a")))
		}
		require.NoError(t, q.Close(t.Context()))
		assert.EqualValues(t, 2, runs.Load())
		assert.False(t, q.Add(key("b")), "closed")
	})
}

func TestWaitingSessionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(1, 2, func(context.Context, driver.Key) { time.Sleep(time.Second) })
		assert.True(t, q.Add(key("runs")))
		synctest.Wait()
		assert.True(t, q.Add(key("a")))
		assert.True(t, q.Add(key("b")))
		assert.False(t, q.Add(key("c")))
		assert.True(t, q.Add(key("a")), "it waits already")
		require.NoError(t, q.Close(t.Context()))
	})
}

func TestCloseCancelsWhatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		q := workqueue.New(1, 10, func(ctx context.Context, _ driver.Key) { runs.Add(1); <-ctx.Done() })
		q.Add(key("a"))
		q.Add(key("b"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, q.Close(ctx), context.DeadlineExceeded)
		assert.EqualValues(t, 1, runs.Load(), "what waits is left")
	})
}
