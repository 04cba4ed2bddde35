package promote

import (
	"maps"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

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
