package promote

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Leaving promotes messages that a summary is about to drop. It does not wait for a lease:
// if a worker promotes the session at the same time, one of them is outrun and tries again.
// Memories that it extracts are promoted in the background. If it fails, the messages stay.
// isOf reports whether a session is still the one of the messages.
func (j *Job) Leaving(ctx context.Context, key driver.Key, messages []driver.Message, isOf func(h *head.Head) bool) error {
	r := &run{j: j, key: key, leaving: true}
	err := retryOutrun(func() error { return r.promoteLeaving(ctx, messages, isOf) })
	r.takeBack(ctx)
	if isOurs(err, driver.ErrNotFound) {
		return nil // left to the summary
	}
	if r.outcome != (promotion.Outcome{}) || err != nil {
		r.outcome.Err = err
		j.report(ctx, key, r.outcome)
	}
	if r.head != nil {
		j.Written(key, r.head.At)
	}
	return err
}

// retryOutrun calls f until it is not outrun, at most maxRounds times.
func retryOutrun(f func() error) (err error) {
	for range maxRounds {
		if err = f(); !errors.Is(err, errOutrun) {
			break
		}
	}
	return err
}

// promoteLeaving is one attempt of Leaving.
func (r *run) promoteLeaving(ctx context.Context, messages []driver.Message, isOf func(h *head.Head) bool) (err error) {
	if r.head, err = r.j.Sessions.Load(ctx, r.key, 0); err != nil {
		return err
	}
	if !isOf(r.head) {
		return nil // the summary notices
	}
	if r.head.Promotion.Unrestored && r.j.Rebuilds() {
		done, err := r.j.Restore(ctx, r.key, 0, 0)
		if err != nil || len(done.Messages) > 0 {
			return err // with restored messages, others leave first: the summary notices
		}
		if r.head, err = r.j.Sessions.Load(ctx, r.key, 0); err != nil {
			return err
		}
	}
	wants, err := r.j.wants(r.head.Strategy)
	if err != nil {
		return err
	}
	r.divide(wants, messages)
	return r.steps(ctx)
}
