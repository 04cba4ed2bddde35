package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// summaryRun is a summary on its way. It holds as long as the session has the
// context and the first message that it had when it was loaded: what others append
// and change in the head meanwhile does not matter, and is kept.
type summaryRun struct {
	s          *summaries
	key        Key
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

// errOutrun ends a change of a session that is no longer what it was loaded as.
var errOutrun = errors.New("session: summary was outrun")

// change writes what fn makes of the head, with whatever others wrote into it
// meanwhile. SummaryOutrun: the session is no longer what the summary is of.
func (r *summaryRun) change(ctx context.Context, fn func(head *Session, w *Write) error) (SummaryStatus, error) {
	m := r.s.m
	err := retry(ctx, func() error {
		head, err := m.load(ctx, r.key, 0)
		if err != nil {
			return err
		}
		if head.from.at.First != r.first || head.Context != r.context {
			return errOutrun
		}
		w := Write{If: Condition{Revision: head.from.at.Revision}, Format: Format, Now: m.now()}
		if err := fn(head, &w); err != nil {
			return err
		}
		if w.Head, err = encodeHead(head); err != nil {
			return err
		}
		at, err := m.store.Write(ctx, r.key, w)
		if err != nil {
			return fmt.Errorf("session: writing a summary: %w", err)
		}
		r.at = at
		return nil
	})
	switch {
	case err == nil:
		return SummaryDone, nil
	case errors.Is(err, errOutrun) || errors.Is(err, ErrNotFound): // deleted or expired: nothing to summarise
		return SummaryOutrun, nil
	case errors.Is(err, errLeased):
		return SummaryLeft, nil
	default:
		return SummaryFailed, err
	}
}

var errLeased = errors.New("session: another is writing a summary")

// take leases the session, unless another has it. A lease that has run out is taken
// over: who had it has died, or is too slow.
func (r *summaryRun) take(ctx context.Context) (SummaryStatus, error) {
	return r.change(ctx, func(head *Session, _ *Write) error {
		now := r.s.m.now()
		if now.Before(head.from.lease) {
			return errLeased
		}
		r.extend(head, now)
		return nil
	})
}

// renew makes the lease last for one more call of the Summarizer.
func (r *summaryRun) renew(ctx context.Context) (SummaryStatus, error) {
	return r.change(ctx, func(head *Session, _ *Write) error {
		if !head.from.lease.Equal(r.lease) {
			return errOutrun
		}
		r.extend(head, r.s.m.now())
		return nil
	})
}

func (r *summaryRun) extend(head *Session, now time.Time) {
	r.lease = now.Add(r.s.leaseFor())
	head.from.lease = r.lease
}

// commit puts the new context in the place of the messages that leave, in one
// write. It does not matter who has the lease: nobody has committed.
func (r *summaryRun) commit(ctx context.Context, context string) (SummaryStatus, error) {
	return r.change(ctx, func(head *Session, w *Write) error {
		head.Context = context
		w.DropBefore = r.dropBefore
		r.giveBack(head)
		return nil
	})
}

func (r *summaryRun) giveBack(head *Session) {
	if head.from.lease.Equal(r.lease) {
		head.from.lease = time.Time{}
	}
}

// release gives the lease back, also when ctx has ended. If that fails, the lease
// runs out.
func (r *summaryRun) release(ctx context.Context) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// Not by change: the lease is ours to give back whatever became of the session.
	_ = retry(ctx, func() error {
		head, err := r.s.m.load(ctx, r.key, 0)
		if err != nil || !head.from.lease.Equal(r.lease) {
			return err
		}
		r.giveBack(head)
		encoded, err := encodeHead(head)
		if err != nil {
			return err
		}
		at, err := r.s.m.store.Write(ctx, r.key, Write{
			If: Condition{Revision: head.from.at.Revision}, Head: encoded, Format: Format, Now: r.s.m.now(),
		})
		if err == nil {
			r.at = at
		}
		return err
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
