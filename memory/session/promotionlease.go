package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// rewrite writes what fn makes of the head. It is no change of the session: it brings
// no TTL, and the session was last accessed when it was before.
func (r *promotionRun) rewrite(ctx context.Context, fn func(head *Session, w *Write) error) error {
	var before Position
	head, err := r.p.m.rewrite(ctx, r.key, "promoting", func(head *Session, w *Write) error {
		before = head.from.at
		if w.Now = before.UpdatedAt; r.seen.After(w.Now) {
			w.Now = r.seen
		}
		return fn(head, w)
	})
	if err != nil {
		return err
	}
	if head.from.at.Next != before.Next {
		// Somebody appended after the head was read, and that time was overwritten. The
		// last write of a run never is such a one, and sets it right.
		r.seen = r.p.m.now()
	}
	r.head = head
	if !r.leaving {
		r.lease = head.from.progress.Lease // not before it was written
	}
	return nil
}

// take leases the session, unless another has it. A lease that has run out is taken
// over: who had it has died, or is too slow. Where there is nothing to do, it notes
// that the session is not due, without a lease.
func (r *promotionRun) take(ctx context.Context) error {
	return r.rewrite(ctx, func(head *Session, w *Write) error {
		now, due := r.p.m.now(), head.from.at.DueAt
		switch {
		case now.Before(head.from.progress.Lease):
			return ErrBusy
		case !r.always && (due.IsZero() || now.Before(due)):
			return errNotDue
		}
		idle, err := r.idle(head)
		if err != nil {
			return err
		}
		if !idle {
			r.extend(head, w)
			return nil
		}
		if due.IsZero() {
			return errNotDue
		}
		r.clear(head, w)
		return nil
	})
}

// idle reports whether there is nothing to do for a session.
func (r *promotionRun) idle(head *Session) (bool, error) {
	wants, err := r.p.wants(head.Strategy)
	if err != nil {
		return false, err
	}
	pr, at := &head.from.progress, head.from.at
	return len(r.pending(head, 1)) == 0 && !pr.behind(wants, at.First, at.Next) &&
		!(pr.Unrestored && r.p.wantsAny().Messages) &&
		(!wants.Entities || hashOfEntities(head.Entities) == pr.Entities), nil
}

// extend makes the lease ours, a time that no other has: clocks are coarse. Until then
// the session is due for nobody.
func (r *promotionRun) extend(head *Session, w *Write) {
	lease := r.p.m.now().Add(r.p.Lease).Add(rand.N(time.Second))
	head.from.progress.Lease = lease
	w.Due = &lease
}

// clear notes that there is nothing to do. That holds for what was read: on condition
// that nobody has appended since.
func (r *promotionRun) clear(head *Session, w *Write) {
	head.from.progress.Lease, head.from.progress.Failures = time.Time{}, 0
	w.If.Next = head.from.at.Next
	w.Due = new(time.Time{})
}

// holds returns why a step is not to be written: ErrBusy if the lease is another's by
// now; without a lease, errOutrun if the session is another. Else it renews the lease.
func (r *promotionRun) holds(head *Session, w *Write) error {
	if r.leaving {
		if !follows(head.from.at.Revision, r.head.from.at.Revision) {
			return errOutrun
		}
		return nil
	}
	if !head.from.progress.Lease.Equal(r.lease) {
		return ErrBusy
	}
	r.extend(head, w)
	return nil
}

// finish gives the lease back if all is done. errMore: more has come meanwhile.
func (r *promotionRun) finish(ctx context.Context) error {
	return r.rewrite(ctx, func(head *Session, w *Write) error {
		if !head.from.progress.Lease.Equal(r.lease) {
			return ErrBusy
		}
		idle, err := r.idle(head)
		if err != nil {
			return err
		}
		if !idle {
			return errMore
		}
		r.clear(head, w)
		return nil
	})
}

// end gives the lease back where not all is done, also when ctx has ended, and notes a
// failure. If that does not work, the lease runs out.
func (r *promotionRun) end(ctx context.Context, err error) {
	if err == nil {
		r.p.release(r.key)
		return
	}
	interrupted := ctx.Err() != nil || errors.Is(err, errMore) || errors.Is(err, errOutrun)
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	switch {
	case isOurs(err, ErrNotFound), isOurs(err, ErrBusy): // deleted or expired; another goes on
		if r.always {
			r.outcome.Err = err
		}
	default:
		if !errors.Is(err, errMore) && !errors.Is(err, errOutrun) {
			r.outcome.Err = err
		}
		if err := r.giveBack(ctx, interrupted); err != nil && !errors.Is(err, ErrBusy) && !interrupted {
			r.p.hold(r.key)
		}
	}
	r.takeBack(ctx)
}

// giveBack makes the session due again, at once if nothing failed.
func (r *promotionRun) giveBack(ctx context.Context, interrupted bool) error {
	return r.rewrite(ctx, func(head *Session, w *Write) error {
		pr := &head.from.progress
		if !pr.Lease.Equal(r.lease) && (!r.lease.IsZero() || r.p.m.now().Before(pr.Lease)) {
			return ErrBusy // another's by now, or of another session
		}
		pr.Lease = time.Time{}
		again := r.p.m.now()
		if !interrupted {
			again = again.Add(r.p.retryIn(pr.Failures, head.from.at.ExpiresAt))
			pr.Failures++
		}
		w.If.Next = head.from.at.Next
		w.Due, r.outcome.Again = &again, again
		return nil
	})
}
