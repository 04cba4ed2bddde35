package session

import (
	"context"
	"fmt"
	"sync"
)

// workQueue has sessions worked on in the background, each by one worker at a time:
// summarised, or promoted. Workers start when there is something to do, and end when
// there is not.
type workQueue struct {
	limit, workers int
	run            func(ctx context.Context, key Key)
	ctx            context.Context
	cancel         context.CancelFunc
	wg             sync.WaitGroup

	mu      sync.Mutex
	waiting []Key
	state   map[Key]queueState
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

func newWorkQueue(workers, limit int, run func(ctx context.Context, key Key)) *workQueue {
	q := &workQueue{limit: limit, workers: workers, run: run, state: map[Key]queueState{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// add has a session worked on, once, however often it is asked for meanwhile. It is
// false where too many wait, or the queue was closed.
func (q *workQueue) add(key Key) bool {
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
func (q *workQueue) work() {
	for key, ok := q.next(); ok; key, ok = q.next() {
		q.run(q.ctx, key)
		q.done(key)
	}
}

func (q *workQueue) next() (key Key, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || q.ctx.Err() != nil {
		q.working--
		return Key{}, false
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	q.state[key] = isRunning
	return key, true
}

func (q *workQueue) done(key Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state[key] == isRunningAndWanted && q.ctx.Err() == nil {
		q.state[key] = isWaiting
		q.waiting = append(q.waiting, key)
		return
	}
	delete(q.state, key)
}

// close waits until all that waits has run. When ctx ends, what runs is cancelled
// and what waits is left: what the store has of the sessions says that it is to be
// done.
func (q *workQueue) close(ctx context.Context) error {
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
