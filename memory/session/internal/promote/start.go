package promote

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// New returns a job, or nil without a long-term memory. The error names the invalid option.
func New(opts promotion.Options, c Config) (*Job, error) {
	valid, err := withDefaults(opts)
	if err != nil || c.LongTerm == nil {
		return nil, err
	}
	j := &Job{Options: valid, Config: c, held: map[driver.Key]hold{}, delayed: map[driver.Key]time.Time{}, stop: func() {}}
	j.queue = workqueue.New(j.Workers, queueLimit, func(ctx context.Context, key driver.Key) bool {
		outcome := j.Promote(ctx, key, false)
		return outcome.Err == nil && outcome.Again.IsZero()
	})
	return j, nil
}

// Hurry ends the poller and promotes the sessions that this process wrote without further
// delay. It does not wait for them.
func (j *Job) Hurry() {
	if j == nil || j.Off {
		return
	}
	j.stop()
	j.queue.Unbound()
	for _, key := range j.hurry() {
		j.queue.Add(key)
	}
}

// Close waits for the workers, which it cancels when ctx ends, and returns the number of
// sessions left undone. It follows Hurry.
func (j *Job) Close(ctx context.Context) (left int) {
	if j == nil {
		return 0
	}
	j.poller.Wait()
	return j.queue.Close(ctx)
}

// Start starts the poller, which asks the store for due sessions until the job closes.
func (j *Job) Start() {
	if j == nil || j.Off {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.stop = cancel
	j.poller.Go(func() {
		ticker := time.NewTicker(j.Poll)
		defer ticker.Stop()
		failing := false
		for {
			err := j.poll(ctx)
			if err != nil && !failing && ctx.Err() == nil {
				j.Logger.WarnContext(ctx, "session: polling for due sessions failed", "error", callee.Loggable(err))
			}
			failing = err != nil
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// poll enqueues sessions that are due.
func (j *Job) poll(ctx context.Context) error {
	held, overdue := j.holding(), j.overdue(j.Now())
	limit := queueLimit + len(held)
	keys, err := j.Due(ctx, limit)
	if err != nil {
		return err
	}
	if len(keys) < limit { // the list is complete: other workers took the overdue rest
		for _, key := range keys {
			delete(overdue, key)
		}
		j.forgetDelayed(overdue)
	}
	// Other processes get the same list, and should not all begin with the same session.
	rand.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	for _, key := range keys {
		if _, wait := held[key]; !wait {
			j.queue.Add(key)
		}
	}
	return nil
}
