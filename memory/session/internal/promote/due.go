package promote

import (
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// DueAppended returns when a session becomes due by an append of messages. It is zero if it
// does not.
func (j *Job) DueAppended(wants driver.Wants, messages int, ttl time.Duration, now time.Time) time.Time {
	if messages == 0 || !wants.Messages && !wants.Extract {
		return time.Time{}
	}
	return j.afterDelay(ttl, now)
}

// afterDelay returns when the delay ends: before the session expires if ttl is known.
func (j *Job) afterDelay(ttl time.Duration, now time.Time) time.Time {
	if ttl > 0 {
		return now.Add(min(j.Delay, ttl/2))
	}
	return now.Add(j.Delay)
}

// DueWritten returns when a session is due after a write, judging by its state, as a manager
// with another LongTerm or none may have written before. It returns nil to keep the due
// time: also if the session is due or leased already, except that memories end a delay.
func (j *Job) DueWritten(h *head.Head, w *driver.Write) *time.Time {
	if j == nil {
		return nil
	}
	pr, at := &h.Promotion, h.At.DueAt
	waits := at.After(w.Now) && pr.Lease.IsZero() && pr.Failures == 0
	switch {
	case (at.IsZero() || waits) && slices.ContainsFunc(h.Memories, isPending):
		return &w.Now
	case !at.IsZero():
		return nil
	}
	wants, err := j.wants(h.Strategy)
	first := max(h.At.First, w.DropBefore, 1)
	next := max(h.At.Next, 1) + uint64(len(w.Messages))
	if err == nil && !pr.Behind(wants, first, next) && !(pr.Unrestored && j.Rebuilds()) &&
		(!wants.Entities || head.DigestEntities(h.Entities) == pr.Entities) {
		return nil
	}
	ttl := w.TTL
	if expires := h.At.ExpiresAt; ttl == 0 && !expires.IsZero() {
		ttl = expires.Sub(w.Now)
	}
	return new(j.afterDelay(ttl, w.Now))
}

// Written promotes a session after a write that left it due, now or when its delay ends.
// If too many sessions wait, the poller finds it in the store.
func (j *Job) Written(key driver.Key, at driver.Position) {
	if j == nil || j.Off || at.DueAt.IsZero() {
		return
	}
	if at.DueAt.After(j.Now()) && j.delay(key, at.DueAt) {
		return
	}
	if !j.queue.Add(key) {
		j.delay(key, at.DueAt)
	}
}

func isPending(m driver.Record) bool { return m.PersistedAt.IsZero() }
