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

// rewrite writes what fn makes of the head. It does not count as a change of the session:
// expiry and UpdatedAt stay.
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
		// Messages were appended after the head was read, and this write has overwritten
		// their UpdatedAt. The next write of the run restores it; the last one of a run is
		// conditional and never gets here.
		r.seen = r.j.Now()
	}
	r.head = h
	if !r.leaving {
		r.lease = h.Promotion.Lease // only once it is written
	}
	return nil
}

// acquire leases the session, unless another worker has the lease. It takes over a lease that
// has expired. If there is nothing to do, it clears the due time instead.
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

// idle reports whether a session has nothing to promote.
func (r *run) idle(h *head.Head) (bool, error) {
	wants, err := r.j.wants(h.Strategy)
	if err != nil {
		return false, err
	}
	pr, at := &h.Promotion, h.At
	return len(r.pending(h, 1)) == 0 && !pr.Behind(wants, at.First, at.Next) &&
		!(pr.Unrestored && r.j.Rebuilds()) &&
		(!wants.Entities || head.DigestEntities(h.Entities) == pr.Entities), nil
}

// extend sets a new lease. Its random part distinguishes it from others, as clocks are
// coarse. The session is not due before the lease expires.
func (r *run) extend(h *head.Head, w *driver.Write) {
	lease := r.j.Now().Add(r.j.Lease).Add(rand.N(time.Second))
	h.Promotion.Lease = lease
	w.Due = &lease
}

// clear notes that there is nothing to do, on condition that nothing was appended since.
func (r *run) clear(h *head.Head, w *driver.Write) {
	h.Promotion.Lease, h.Promotion.Failures = time.Time{}, 0
	w.If.Next = h.At.Next
	w.Due = new(time.Time{})
}

// renew extends the lease. It returns promotion.ErrBusy if another worker has it or, without
// a lease, errOutrun if the session was replaced.
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

// finish returns the lease if all is done, else errMore.
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

// end returns the lease after an incomplete run, even if ctx has ended, and notes a failure.
// If that fails, the lease expires.
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
	case isOurs(err, driver.ErrNotFound), isOurs(err, promotion.ErrBusy): // deleted, expired or taken over
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

// giveBack makes the session due again: at once if it was only interrupted.
func (r *run) giveBack(ctx context.Context, interrupted bool) error {
	return r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		pr := &h.Promotion
		if !pr.Lease.Equal(r.lease) && (!r.lease.IsZero() || r.j.Now().Before(pr.Lease)) {
			return promotion.ErrBusy // another worker's, or of another session
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

// takeBack removes messages that were kept while their session was deleted, as Delete does.
// The session may exist again by then.
func (r *run) takeBack(ctx context.Context) {
	if r.keeping == nil {
		return
	}
	was, now := r.keeping, r.j.Now()
	const skew = time.Minute // between the clocks of processes and stores
	if expires := was.At.ExpiresAt; !expires.IsZero() && !now.Before(expires.Add(-skew)) {
		return // expired: the messages are for a rebuild
	}
	is, err := r.j.Sessions.Load(ctx, r.key, 0)
	switch {
	case err == nil && (is.Follows(was.At.Revision) || is.CreatedAt.Equal(was.CreatedAt)):
		return // the session was not deleted
	case err == nil, errors.Is(err, driver.ErrNotFound):
		err = r.j.DeleteMessages(ctx, r.key, was.CreatedAt)
	}
	if err != nil {
		r.outcome.Err = err
	}
}
