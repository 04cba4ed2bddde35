package session

import (
	"context"
	"errors"
)

// leaving promotes messages that a summary is about to drop, and were not yet: that
// they leave cannot wait for a lease. Where another is at it too, one of both is
// outrun, and looks again. What is extracted is promoted in the background. Where this
// fails, the messages stay. isOf reports whether a session is still the one that the
// messages are of.
func (p *promotions) leaving(ctx context.Context, key Key, messages []Message, isOf func(head *Session) bool) error {
	if p == nil {
		return nil
	}
	r := &promotionRun{p: p, key: key, leaving: true}
	err := retryOutrun(func() error { return r.leave(ctx, messages, isOf) })
	r.takeBack(ctx)
	if isOurs(err, ErrNotFound) {
		return nil // the summary will see
	}
	if r.outcome != (PromotionOutcome{}) || err != nil {
		r.outcome.Err = err
		p.report(ctx, key, r.outcome)
	}
	if r.head != nil {
		p.written(key, r.head.from.at)
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

// leave is one attempt.
func (r *promotionRun) leave(ctx context.Context, messages []Message, isOf func(head *Session) bool) (err error) {
	if r.head, err = r.p.m.load(ctx, r.key, 0); err != nil {
		return err
	}
	if !isOf(r.head) {
		return nil // the summary sees that it is outrun
	}
	if r.head.from.progress.Unrestored && r.p.rebuilds() {
		done, err := r.p.m.restore(ctx, r.key, carried{})
		if err != nil || len(done.messages) > 0 {
			return err // other messages leave first: the summary sees that it is outrun
		}
		if r.head, err = r.p.m.load(ctx, r.key, 0); err != nil {
			return err
		}
	}
	wants, err := r.p.wants(r.head.Strategy)
	if err != nil {
		return err
	}
	r.divide(wants, messages)
	return r.steps(ctx)
}
