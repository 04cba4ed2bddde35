package workqueue_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
)

func key(id string) driver.Key { return driver.Key{SessionID: id} }

func TestQueueRunsASessionInOneWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs, at atomic.Int32
		q := workqueue.New(4, 10, func(context.Context, driver.Key) bool {
			assert.EqualValues(t, 1, at.Add(1))
			time.Sleep(time.Second)
			at.Add(-1)
			runs.Add(1)
			return true
		})
		for range 5 { // before it runs: once
			assert.True(t, q.Add(key("a")))
		}
		synctest.Wait()
		for range 5 { // while it runs: once more
			assert.True(t, q.Add(key("a")))
		}
		assert.Zero(t, q.Close(t.Context()))
		assert.EqualValues(t, 2, runs.Load())
		assert.False(t, q.Add(key("b")), "closed")
	})
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(1, 2, func(context.Context, driver.Key) bool { time.Sleep(time.Second); return false })
		assert.True(t, q.Add(key("runs")))
		synctest.Wait()
		assert.True(t, q.Add(key("a")))
		assert.True(t, q.Add(key("b")))
		assert.False(t, q.Add(key("c")))
		assert.True(t, q.Add(key("a")), "it waits already")
		q.Unbound()
		assert.True(t, q.Add(key("c")))
		assert.Zero(t, q.Close(t.Context()), "none was canceled")
	})
}

func TestCloseCountsTheSessionsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		released := make(chan struct{})
		q := workqueue.New(4, 10, func(ctx context.Context, key driver.Key) bool {
			runs.Add(1)
			if <-ctx.Done(); key.SessionID == "deaf" {
				<-released
			}
			return key.SessionID == "finishes" || key.SessionID == "wanted again"
		})
		for _, id := range []string{"deaf", "canceled", "finishes", "wanted again", "waits"} {
			q.Add(key(id))
		}
		synctest.Wait()
		q.Add(key("wanted again"))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, 4, q.Close(ctx))
		assert.Equal(t, 2*time.Second, time.Since(start), "it waits a second for workers that are canceled")
		assert.EqualValues(t, 4, runs.Load(), "the session that waits is left")
		close(released)
	})
}
