package promote

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// rewrite writes what fn makes of the head. It is no change of the session: it brings
// no TTL, and the session was last accessed when it was before.
func (r *run) rewrite(ctx context.Context, fn func(h *head.Head, w *driver.Write) error) error {
	var before driver.Position
	h, err := head.Rewrite(ctx, r.j.Sessions, r.key, "promoting", func(h *head.Head, w *driver.Write) error {
		before = h.At
		if w.Now = before.UpdatedAt; r.seen.After(w.Now) {
			w.Now = r.seen
		}
		return fn(h, w)
	})
	if err != nil {
		return err
	}
	if h.At.Next != before.Next {
		// Somebody appended after the head was read, and that time was overwritten. The
		// last write of a run never is such a one, and sets it right.
		r.seen = r.j.Now()
	}
	r.head = h
	if !r.leaving {
		r.lease = h.Promotion.Lease // not before it was written
	}
	return nil
}

// acquire leases the session, unless another has it. A lease that has run out is taken
// over: who had it has died, or is too slow. Where there is nothing to do, it notes
// that the session is not due, without a lease.
func (r *run) acquire(ctx context.Context) error {
	return r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		now, due := r.j.Now(), h.At.DueAt
		switch {
		case now.Before(h.Promotion.Lease):
			return promotion.ErrBusy
		case r.always:
		case due.IsZero(), now.Before(due) && !(r.j.isClosing() && h.Promotion.Failures == 0):
			return errNotDue
		}
		idle, err := r.idle(h)
		if err != nil {
			return err
		}
		if !idle {
			r.extend(h, w)
			return nil
		}
		if due.IsZero() {
			return errNotDue
		}
		r.clear(h, w)
		return nil
	})
}

// idle reports whether there is nothing to do for a session.
func (r *run) idle(h *head.Head) (bool, error) {
	wants, err := r.j.wants(h.Strategy)
	if err != nil {
		return false, err
	}
	pr, at := &h.Promotion, h.At
	return len(r.pending(h, 1)) == 0 && !pr.Behind(wants, at.First, at.Next) &&
		!(pr.Unrestored && r.j.WantsAny().Messages) &&
		(!wants.Entities || head.DigestEntities(h.Entities) == pr.Entities), nil
}

// extend makes the lease ours, a time that no other has: clocks are coarse. Until then
// the session is due for nobody.
func (r *run) extend(h *head.Head, w *driver.Write) {
	lease := r.j.Now().Add(r.j.Lease).Add(rand.N(time.Second))
	h.Promotion.Lease = lease
	w.Due = &lease
}

// clear notes that there is nothing to do. That holds for what was read: on condition
// that nobody has appended since.
func (r *run) clear(h *head.Head, w *driver.Write) {
	h.Promotion.Lease, h.Promotion.Failures = time.Time{}, 0
	w.If.Next = h.At.Next
	w.Due = new(time.Time{})
}

// renew returns why a step is not to be written: promotion.ErrBusy if the lease is another's by
// now; without a lease, errOutrun if the session is another. Else it renews the lease.
func (r *run) renew(h *head.Head, w *driver.Write) error {
	if r.leaving {
		if !h.Follows(r.head.At.Revision) {
			return errOutrun
		}
		return nil
	}
	if !h.Promotion.Lease.Equal(r.lease) {
		return promotion.ErrBusy
	}
	r.extend(h, w)
	return nil
}

// finish gives the lease back if all is done. errMore: more has come meanwhile.
func (r *run) finish(ctx context.Context) error {
	return r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		if !h.Promotion.Lease.Equal(r.lease) {
			return promotion.ErrBusy
		}
		idle, err := r.idle(h)
		if err != nil {
			return err
		}
		if !idle {
			return errMore
		}
		r.clear(h, w)
		return nil
	})
}

// end gives the lease back where not all is done, also when ctx has ended, and notes a
// failure. If that does not work, the lease runs out.
func (r *run) end(ctx context.Context, err error) {
	if err == nil {
		r.j.release(r.key)
		return
	}
	interrupted := ctx.Err() != nil || errors.Is(err, errMore) || errors.Is(err, errOutrun)
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	switch {
	case isOurs(err, driver.ErrNotFound), isOurs(err, promotion.ErrBusy): // deleted or expired; another goes on
		if r.always {
			r.outcome.Err = err
		}
	default:
		if !errors.Is(err, errMore) && !errors.Is(err, errOutrun) {
			r.outcome.Err = err
		}
		if err := r.giveBack(ctx, interrupted); err != nil && !errors.Is(err, promotion.ErrBusy) && !interrupted {
			r.j.hold(r.key)
		}
	}
	r.takeBack(ctx)
}

// giveBack makes the session due again, at once if nothing failed.
func (r *run) giveBack(ctx context.Context, interrupted bool) error {
	return r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		pr := &h.Promotion
		if !pr.Lease.Equal(r.lease) && (!r.lease.IsZero() || r.j.Now().Before(pr.Lease)) {
			return promotion.ErrBusy // another's by now, or of another session
		}
		pr.Lease = time.Time{}
		again := r.j.Now()
		if !interrupted {
			again = again.Add(r.j.retryIn(pr.Failures, h.At.ExpiresAt))
			pr.Failures++
		}
		w.If.Next = h.At.Next
		w.Due, r.outcome.Again = &again, again
		return nil
	})
}

// takeBack removes messages that were handed over while their session was deleted, and
// are to be forgotten like those that were there. It may be made again meanwhile.
func (r *run) takeBack(ctx context.Context) {
	if r.keeping == nil {
		return
	}
	was, now := r.keeping, r.j.Now()
	const skew = time.Minute // of the clocks of processes and stores
	if expires := was.At.ExpiresAt; !expires.IsZero() && !now.Before(expires.Add(-skew)) {
		return // it expired, and is to be rebuilt
	}
	is, err := r.j.Sessions.Load(ctx, r.key, 0)
	switch {
	case err == nil && (is.Follows(was.At.Revision) || is.CreatedAt.Equal(was.CreatedAt)):
		return // what is there is what was there
	case err == nil, errors.Is(err, driver.ErrNotFound):
		err = r.j.DeleteMessages(ctx, r.key, was.CreatedAt)
	}
	if err != nil {
		r.outcome.Err = err
	}
}
