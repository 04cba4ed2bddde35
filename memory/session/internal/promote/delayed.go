package promote

import (
	"maps"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// maxDelayed bounds the memory that delayed sessions take.
const maxDelayed = 1 << 16

// delay records that a session which this process wrote is due at a time, so that Close
// can promote it earlier. A session beyond maxDelayed is left to the poller of any process.
// It returns false if the job is closing: nothing is delayed then.
func (j *Job) delay(key driver.Key, due time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing {
		return false
	}
	if _, known := j.delayed[key]; known || len(j.delayed) < maxDelayed {
		j.delayed[key] = due
	}
	return true
}

// hurry ends all delays and returns the sessions that were delayed, the earliest first.
func (j *Job) hurry() []driver.Key {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closing = true
	delayed := j.delayed
	j.delayed = map[driver.Key]time.Time{}
	return slices.SortedFunc(maps.Keys(delayed), func(a, b driver.Key) int { return delayed[a].Compare(delayed[b]) })
}

func (j *Job) isClosing() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closing
}

// delayedUntil returns when a session is due, the zero time if it is not delayed.
func (j *Job) delayedUntil(key driver.Key) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.delayed[key]
}

// overdue returns the delayed sessions that are due before a time.
func (j *Job) overdue(now time.Time) map[driver.Key]time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	overdue := map[driver.Key]time.Time{}
	for key, due := range j.delayed {
		if due.Before(now) {
			overdue[key] = due
		}
	}
	return overdue
}

// forgetDelayed removes sessions that have been promoted, unless they are delayed again.
func (j *Job) forgetDelayed(promoted map[driver.Key]time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.delayed, func(key driver.Key, due time.Time) bool {
		was, ok := promoted[key]
		return ok && due.Equal(was)
	})
}
