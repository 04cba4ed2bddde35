package promote

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Start starts the goroutine that asks the store for sessions that are due, until
// Close ends it.
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
				j.Logger.WarnContext(ctx, "session: what is due was not found", "error", callee.Loggable(err))
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

// poll gives sessions that are due to the workers.
func (j *Job) poll(ctx context.Context) error {
	held := j.holding()
	keys, err := j.Due(ctx, queueLimit+len(held))
	if err != nil {
		return err
	}
	// Other processes get the same list: they are not all to begin with the same one.
	rand.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	for _, key := range keys {
		if _, wait := held[key]; !wait {
			j.queue.Add(key)
		}
	}
	return nil
}

// hold is how long a session is left alone whose failure could not be written down: it
// is damaged, say, and stays due. Else it would be tried with each poll, and many of
// them would leave no room for others.
type hold struct {
	until    time.Time
	failures int
}

// maxHeld bounds the memory that this takes.
const maxHeld = queueLimit

// hold leaves a session alone for a while.
func (j *Job) hold(key driver.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	h, known := j.held[key]
	if !known && len(j.held) >= maxHeld {
		return
	}
	j.held[key] = hold{until: j.Now().Add(j.backoff(h.failures)), failures: h.failures + 1}
}

func (j *Job) release(key driver.Key) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.held, key)
}

// holding returns the sessions to leave alone now. Those that nobody asks for any more
// are forgotten.
func (j *Job) holding() map[driver.Key]hold {
	now := j.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.held, func(_ driver.Key, h hold) bool { return now.After(h.until.Add(j.backoff(maxBackoff) + j.Poll)) })
	held := maps.Clone(j.held)
	maps.DeleteFunc(held, func(_ driver.Key, h hold) bool { return !now.Before(h.until) })
	return held
}

// retryIn is how long a session waits that expires at a time: it is tried again before.
func (j *Job) retryIn(failures int, expires time.Time) time.Duration {
	wait := j.backoff(failures)
	if expires.IsZero() {
		return wait
	}
	return min(wait, max(expires.Sub(j.Now())/2, time.Second))
}

// maxBackoff is after how many failures the wait grows no more: 64 times RetryAfter.
const maxBackoff = 6

// backoff is how long a session waits that has failed so often before.
func (j *Job) backoff(failures int) time.Duration {
	wait := j.RetryAfter
	for range min(failures, maxBackoff) {
		if wait > time.Duration(1)<<62 {
			break
		}
		wait *= 2
	}
	return wait
}
