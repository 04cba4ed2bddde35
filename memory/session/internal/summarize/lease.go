package summarize

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// change writes what fn makes of the head. It returns summary.Outrun if the session has
// changed in a way that invalidates the summary.
func (r *run) change(ctx context.Context, fn func(h *head.Head, w *driver.Write) error) (summary.Status, error) {
	err := r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		if !r.isOf(h) {
			return statusError(summary.Outrun)
		}
		return fn(h, w)
	})
	if ended, ok := errors.AsType[statusError](err); ok {
		return summary.Status(ended), nil
	}
	switch {
	case err == nil:
		return summary.Done, nil
	case errors.Is(err, driver.ErrNotFound): // deleted or expired: nothing to summarise
		return summary.Outrun, nil
	default:
		return summary.Failed, err
	}
}

// rewrite writes what fn makes of the head, whether or not the summary is still valid.
func (r *run) rewrite(ctx context.Context, fn func(h *head.Head, w *driver.Write) error) error {
	h, err := head.Rewrite(ctx, r.j.Sessions, r.key, "writing a summary", func(h *head.Head, w *driver.Write) error {
		w.Now = r.j.Now()
		return fn(h, w)
	})
	if err == nil {
		r.at, r.revision = h.At, h.At.Revision
	}
	return err
}

// heldBy returns why no summary may be written now, or summary.None. A failure in the future
// was noted by a wrong clock and is ignored.
func (j *Job) heldBy(h *head.Head, always bool) summary.Status {
	now, failed := j.Now(), h.SummaryFailed
	switch {
	case now.Before(h.SummaryLease):
		return summary.Leased
	case !always && !now.Before(failed) && now.Before(failed.Add(j.RetryAfter)):
		return summary.Postponed
	default:
		return summary.None
	}
}

// acquireLease leases the session, unless another worker has the lease or a summary has just
// failed. It takes over a lease that has expired.
func (r *run) acquireLease(ctx context.Context) (summary.Status, error) {
	return r.change(ctx, func(h *head.Head, _ *driver.Write) error {
		if held := r.j.heldBy(h, r.always); held != summary.None {
			return statusError(held)
		}
		r.extend(h)
		return nil
	})
}

// renew extends the lease for one more call of the Summarizer.
func (r *run) renew(ctx context.Context) (summary.Status, error) {
	held := r.lease
	status, err := r.change(ctx, func(h *head.Head, _ *driver.Write) error {
		if !h.SummaryLease.Equal(held) {
			return statusError(summary.Outrun)
		}
		r.extend(h)
		return nil
	})
	if status != summary.Done {
		r.lease = held
	}
	return status, err
}

// extend sets a new lease. Its random part distinguishes it from others, as clocks are coarse.
func (r *run) extend(h *head.Head) {
	r.lease = r.j.Now().Add(r.j.leaseFor() + rand.N(time.Second))
	h.SummaryLease = r.lease
}

// commit replaces the leaving messages by the new context, whose summary has a number of tokens,
// in one write. It needs no lease:
// isOf ensures that no other summary was committed.
func (r *run) commit(ctx context.Context, context string, tokens int) (summary.Status, error) {
	return r.change(ctx, func(h *head.Head, w *driver.Write) error {
		h.Context = context
		h.ReportedTokens += int64(tokens)
		w.DropBefore = r.dropBefore
		r.giveBack(h)
		h.SummaryFailed = time.Time{}
		return nil
	})
}

func (r *run) giveBack(h *head.Head) {
	if h.SummaryLease.Equal(r.lease) {
		h.SummaryLease = time.Time{}
	}
}

// release returns the lease, even if ctx has ended, and notes a failure. If that fails, the
// lease expires.
func (r *run) release(ctx context.Context, failed bool) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// Not by change: the lease is returned whatever the state of the session.
	_ = r.rewrite(ctx, func(h *head.Head, _ *driver.Write) error {
		if !h.SummaryLease.Equal(r.lease) {
			return statusError(summary.Outrun)
		}
		r.giveBack(h)
		if failed {
			h.SummaryFailed = r.j.Now()
		}
		return nil
	})
}

// leaseFor returns the duration of a lease: that of a call of the Summarizer and a write.
func (j *Job) leaseFor() time.Duration { return j.Timeout + leaseMargin }

const leaseMargin = 10 * time.Second
