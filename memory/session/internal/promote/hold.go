package promote

import (
	"maps"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// hold is a pause for a session whose failure could not be written down, as it is damaged,
// for instance, and stays due. Without it, every poll would try the session again, and many
// of them would crowd out others.
type hold struct {
	until    time.Time
	failures int
}

// maxHeld bounds the memory that holds take.
const maxHeld = queueLimit

// hold makes the poller skip a session for a while.
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

// holding returns the sessions to skip now. It removes old entries.
func (j *Job) holding() map[driver.Key]hold {
	now := j.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.held, func(_ driver.Key, h hold) bool { return now.After(h.until.Add(j.backoff(maxBackoff) + j.Poll)) })
	held := maps.Clone(j.held)
	maps.DeleteFunc(held, func(_ driver.Key, h hold) bool { return !now.Before(h.until) })
	return held
}

// retryIn returns how long a session waits after a failure: not until it expires.
func (j *Job) retryIn(failures int, expires time.Time) time.Duration {
	wait := j.backoff(failures)
	if expires.IsZero() {
		return wait
	}
	return min(wait, max(expires.Sub(j.Now())/2, time.Second))
}

// maxBackoff is the number of failures after which the wait no longer doubles.
const maxBackoff = 6

// backoff returns how long a session waits after a number of earlier failures.
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
