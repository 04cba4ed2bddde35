// Package workqueue works on sessions in the background.
package workqueue

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Queue works on sessions in the background, each in one worker at a time. Workers start
// with the first session and end after the last.
type Queue struct {
	workers int
	run     func(ctx context.Context, key driver.Key) (finished bool)
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	limit   int // of waiting
	waiting []driver.Key
	state   map[driver.Key]queueState
	working int // workers
	left    int // sessions whose run was canceled
	closed  bool
}

// queueState is the state of a session in a Queue.
type queueState int

const (
	isWaiting queueState = iota + 1
	isRunning
	isRunningAndWanted // and runs once more
)

// New returns a queue of up to limit waiting sessions and the given number of workers. run
// works on a session and reports whether it finished; its context ends when Close gives up.
func New(workers, limit int, run func(ctx context.Context, key driver.Key) (finished bool)) *Queue {
	q := &Queue{limit: limit, workers: workers, run: run, state: map[driver.Key]queueState{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Add enqueues a session, once, however often it is called before a worker takes the
// session. It returns false if too many sessions wait or the queue is closed.
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

// Unbound lets any number of sessions wait.
func (q *Queue) Unbound() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = math.MaxInt
}

// work runs waiting sessions until there are none.
func (q *Queue) work() {
	for key, ok := q.next(); ok; key, ok = q.next() {
		q.done(key, q.run(q.ctx, key))
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

func (q *Queue) done(key driver.Key, finished bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	again := q.state[key] == isRunningAndWanted
	switch canceled := q.ctx.Err() != nil; {
	case canceled && (again || !finished):
		q.left++
	case again:
		q.state[key] = isWaiting
		q.waiting = append(q.waiting, key)
		return
	}
	delete(q.state, key)
}

// patience is how long Close waits for canceled workers, which return their leases.
const patience = time.Second

// Close waits until all sessions have run. When ctx ends, it cancels the workers, waits for
// them for a second at most, and returns the number of sessions left undone. The store
// records what has to be done for them.
func (q *Queue) Close(ctx context.Context) (left int) {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		q.wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		q.cancel()
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
		}
	}
	q.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	left = q.left + len(q.state)
	q.left, q.waiting = 0, nil
	clear(q.state)
	return left
}
