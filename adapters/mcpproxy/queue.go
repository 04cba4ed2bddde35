package mcpproxy

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	// maxWaiting is the number of jobs that wait.
	maxWaiting = 1024
	// maxWaitingBytes is the size of the results that wait.
	maxWaitingBytes = 64 << 20
)

// job is work that is done after all earlier jobs.
type job struct {
	do   func(ctx context.Context)
	size int64 // of what it holds in memory, in bytes
}

// queue does jobs in their order, beside the messages that pass.
type queue struct {
	jobs  chan job
	bytes atomic.Int64
	ctx   context.Context // of the jobs
	stop  context.CancelFunc
	done  chan struct{}

	mu       sync.Mutex // guards finished, and jobs against being closed
	finished bool
}

func newQueue(ctx context.Context) *queue {
	q := &queue{jobs: make(chan job, maxWaiting), done: make(chan struct{})}
	q.ctx, q.stop = context.WithCancel(ctx)
	go func() {
		defer close(q.done)
		for j := range q.jobs {
			j.do(q.ctx)
			q.bytes.Add(-j.size)
		}
	}()
	return q
}

// add adds a job, and reports false if there is no room.
func (q *queue) add(size int, do func(ctx context.Context)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.finished || q.bytes.Load() > maxWaitingBytes {
		return false
	}
	select {
	case q.jobs <- job{do, int64(size)}:
		q.bytes.Add(int64(size))
		return true
	default:
		return false
	}
}

// finish waits until all jobs are done. When ctx ends, it cancels the context of the remaining
// ones.
func (q *queue) finish(ctx context.Context) {
	q.mu.Lock()
	if !q.finished {
		q.finished = true
		close(q.jobs)
	}
	q.mu.Unlock()
	defer q.stop()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
}
