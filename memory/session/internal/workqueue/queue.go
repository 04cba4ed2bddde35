// Package workqueue has sessions worked on in the background.
package workqueue

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Queue has sessions worked on in the background, each by one worker at a time:
// summarised, or promoted. Workers start when there is something to do, and end when
// there is not.
type Queue struct {
	limit, workers int
	run            func(ctx context.Context, key driver.Key)
	ctx            context.Context
	cancel         context.CancelFunc
	wg             sync.WaitGroup

	mu      sync.Mutex
	waiting []driver.Key
	state   map[driver.Key]queueState
	working int // workers
	closed  bool
}

// queueState says where a session is.
type queueState int

const (
	isWaiting queueState = iota + 1
	isRunning
	isRunningAndWanted // and is to run once more
)

// New returns a queue of up to limit waiting sessions that run works on, in up to so
// many workers. Its context ends when Close gives up.
func New(workers, limit int, run func(ctx context.Context, key driver.Key)) *Queue {
	q := &Queue{limit: limit, workers: workers, run: run, state: map[driver.Key]queueState{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Add has a session worked on, once, however often it is asked for meanwhile. It is
// false where too many wait, or the queue was closed.
func (q *Queue) Add(key driver.Key) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch q.state[key] {
	case isWaiting, isRunningAndWanted:
		return true
	case isRunning:
		q.state[key] = isRunningAndWanted
		return true
	}
	if q.closed || len(q.waiting) >= q.limit {
		return false
	}
	q.waiting = append(q.waiting, key)
	q.state[key] = isWaiting
	if q.working < q.workers {
		q.working++
		q.wg.Go(q.work)
	}
	return true
}

// work runs what waits until nothing does.
func (q *Queue) work() {
	for key, ok := q.next(); ok; key, ok = q.next() {
		q.run(q.ctx, key)
		q.done(key)
	}
}

func (q *Queue) next() (key driver.Key, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || q.ctx.Err() != nil {
		q.working--
		return driver.Key{}, false
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	q.state[key] = isRunning
	return key, true
}

func (q *Queue) done(key driver.Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state[key] == isRunningAndWanted && q.ctx.Err() == nil {
		q.state[key] = isWaiting
		q.waiting = append(q.waiting, key)
		return
	}
	delete(q.state, key)
}

// Close waits until all that waits has run. When ctx ends, what runs is cancelled
// and what waits is left: what the store has of the sessions says that it is to be
// done.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	cut := false
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		cut = q.working > 0
		q.cancel()
	})
	q.wg.Wait()
	stop()
	q.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	if cut {
		return fmt.Errorf("session: closing: work was cancelled: %w", ctx.Err())
	}
	return nil
}
