package session

import (
	"context"
	"fmt"
	"sync"
)

// summaryQueue has sessions summarised in the background, each by one worker at a
// time. Workers start when there is something to do, and end when there is not.
type summaryQueue struct {
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

func newSummaryQueue(workers, limit int, run func(ctx context.Context, key Key)) *summaryQueue {
	q := &summaryQueue{limit: limit, workers: workers, run: run, state: map[Key]queueState{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// add has a session summarised, once, however often it is asked for meanwhile.
func (q *summaryQueue) add(key Key) SummaryStatus {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch q.state[key] {
	case isWaiting, isRunningAndWanted:
		return SummaryQueued
	case isRunning:
		q.state[key] = isRunningAndWanted
		return SummaryQueued
	}
	if q.closed || len(q.waiting) >= q.limit {
		return SummaryNotQueued
	}
	q.waiting = append(q.waiting, key)
	q.state[key] = isWaiting
	if q.working < q.workers {
		q.working++
		q.wg.Go(q.work)
	}
	return SummaryQueued
}

// work runs what waits until nothing does.
func (q *summaryQueue) work() {
	for key, ok := q.next(); ok; key, ok = q.next() {
		q.run(q.ctx, key)
		q.done(key)
	}
}

func (q *summaryQueue) next() (key Key, ok bool) {
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

func (q *summaryQueue) done(key Key) {
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
// and what waits is left to the next writes.
func (q *summaryQueue) close(ctx context.Context) error {
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
		return fmt.Errorf("session: closing: summaries were cancelled: %w", ctx.Err())
	}
	return nil
}
