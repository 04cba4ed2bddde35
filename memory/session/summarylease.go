package session

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// summaryRun is a summary on its way. It holds as long as the session has the
// context and the first message that it had when it was loaded: what others append
// and change in the head meanwhile does not matter, and is kept.
type summaryRun struct {
	s          *summaries
	key        Key
	always     bool   // by hand
	revision   uint64 // the last that is known to be of the session
	first      uint64
	context    string
	dropBefore uint64
	leaves     []Message
	entities   *memory.WorkingContext
	limit      int // tokens of the summary
	window     int

	lease time.Time // ours
	at    Position  // after our last write
}

// statusError ends a summary that is not to be written, or no longer.
type statusError SummaryStatus

func (e statusError) Error() string { return "session: summary is " + SummaryStatus(e).String() }

// isOf reports whether a session is still what the summary is of. One that was
// deleted and made again has another revision, a random one.
func (r *summaryRun) isOf(head *Session) bool {
	return follows(head.from.at.Revision, r.revision) && head.from.at.First == r.first && head.Context == r.context
}

// change writes what fn makes of the head, with whatever others wrote into it
// meanwhile. SummaryOutrun: the session is no longer what the summary is of.
func (r *summaryRun) change(ctx context.Context, fn func(head *Session, w *Write) error) (SummaryStatus, error) {
	err := r.rewrite(ctx, func(head *Session, w *Write) error {
		if !r.isOf(head) {
			return statusError(SummaryOutrun)
		}
		return fn(head, w)
	})
	if ended, ok := errors.AsType[statusError](err); ok {
		return SummaryStatus(ended), nil
	}
	switch {
	case err == nil:
		return SummaryDone, nil
	case errors.Is(err, ErrNotFound): // deleted or expired: nothing to summarise
		return SummaryOutrun, nil
	default:
		return SummaryFailed, err
	}
}

// rewrite writes what fn makes of the head as it is now, whatever it is of.
func (r *summaryRun) rewrite(ctx context.Context, fn func(head *Session, w *Write) error) error {
	head, err := r.s.m.rewrite(ctx, r.key, "writing a summary", fn)
	if err == nil {
		r.at, r.revision = head.from.at, head.from.at.Revision
	}
	return err
}

// held says why no summary is to be tried now, SummaryNone if nothing is in the way.
// A failure counts by its time: one in the future was noted by a clock that is wrong.
func (s *summaries) held(head *Session, always bool) SummaryStatus {
	now, failed := s.m.now(), head.from.failed
	switch {
	case now.Before(head.from.lease):
		return SummaryLeased
	case !always && !now.Before(failed) && now.Before(failed.Add(s.RetryAfter)):
		return SummaryPostponed
	default:
		return SummaryNone
	}
}

// take leases the session, unless another has it or has just failed. A lease that
// has run out is taken over: who had it has died, or is too slow.
func (r *summaryRun) take(ctx context.Context) (SummaryStatus, error) {
	return r.change(ctx, func(head *Session, _ *Write) error {
		if held := r.s.held(head, r.always); held != SummaryNone {
			return statusError(held)
		}
		r.extend(head)
		return nil
	})
}

// renew makes the lease last for one more call of the Summarizer.
func (r *summaryRun) renew(ctx context.Context) (SummaryStatus, error) {
	held := r.lease
	status, err := r.change(ctx, func(head *Session, _ *Write) error {
		if !head.from.lease.Equal(held) {
			return statusError(SummaryOutrun)
		}
		r.extend(head)
		return nil
	})
	if status != SummaryDone {
		r.lease = held
	}
	return status, err
}

// extend makes the head's lease ours, a time that no other has: clocks are coarse.
func (r *summaryRun) extend(head *Session) {
	r.lease = r.s.m.now().Add(r.s.leaseFor() + rand.N(time.Second))
	head.from.lease = r.lease
}

// commit puts the new context in the place of the messages that leave, in one
// write. It does not matter who has the lease: nobody has committed.
func (r *summaryRun) commit(ctx context.Context, context string) (SummaryStatus, error) {
	return r.change(ctx, func(head *Session, w *Write) error {
		head.Context = context
		w.DropBefore = r.dropBefore
		r.giveBack(head)
		head.from.failed = time.Time{}
		return nil
	})
}

func (r *summaryRun) giveBack(head *Session) {
	if head.from.lease.Equal(r.lease) {
		head.from.lease = time.Time{}
	}
}

// release gives the lease back, also when ctx has ended, and notes when a summary
// failed, if it did. If that does not work, the lease runs out.
func (r *summaryRun) release(ctx context.Context, failed bool) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// Not by change: the lease is ours to give back whatever became of the session.
	_ = r.rewrite(ctx, func(head *Session, _ *Write) error {
		if !head.from.lease.Equal(r.lease) {
			return statusError(SummaryOutrun)
		}
		r.giveBack(head)
		if failed {
			head.from.failed = r.s.m.now()
		}
		return nil
	})
}

// idsOf are the ids of entities.
func idsOf(entities *memory.WorkingContext) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range entities.All() {
			if !yield(e.ID) {
				return
			}
		}
	}
}
