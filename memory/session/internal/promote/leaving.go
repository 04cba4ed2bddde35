package promote

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Leaving promotes messages that a summary is about to drop, and were not yet: that
// they leave cannot wait for a lease. Where another is at it too, one of both is
// outrun, and looks again. What is extracted is promoted in the background. Where this
// fails, the messages stay. isOf reports whether a session is still the one that the
// messages are of.
func (j *Job) Leaving(ctx context.Context, key driver.Key, messages []driver.Message, isOf func(h *head.Head) bool) error {
	r := &run{j: j, key: key, leaving: true}
	err := retryOutrun(func() error { return r.promoteLeaving(ctx, messages, isOf) })
	r.takeBack(ctx)
	if isOurs(err, driver.ErrNotFound) {
		return nil // the summary will see
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

// retryOutrun calls f until it is not outrun, a few times.
func retryOutrun(f func() error) (err error) {
	for range maxRounds {
		if err = f(); !errors.Is(err, errOutrun) {
			break
		}
	}
	return err
}

// promoteLeaving is one attempt.
func (r *run) promoteLeaving(ctx context.Context, messages []driver.Message, isOf func(h *head.Head) bool) (err error) {
	if r.head, err = r.j.Sessions.Load(ctx, r.key, 0); err != nil {
		return err
	}
	if !isOf(r.head) {
		return nil // the summary sees that it is outrun
	}
	if r.head.Promotion.Unrestored && r.j.Rebuilds() {
		done, err := r.j.Restore(ctx, r.key, 0, 0)
		if err != nil || len(done.Messages) > 0 {
			return err // other messages leave first: the summary sees that it is outrun
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
