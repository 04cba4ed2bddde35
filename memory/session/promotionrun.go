package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// promotionRun is a promotion on its way. Each of its steps is one write of the head,
// on condition that the lease is still its own, and that what it did is still to be
// done: whatever comes in between, a crash, another worker, a client that writes, it is
// done again or not at all. All that others change in the head meanwhile is kept.
type promotionRun struct {
	p      *promotions
	key    Key
	always bool      // by hand: whether it is due or not
	lease  time.Time // ours
	head   *Session  // as it was last read or written
	seen   time.Time // when others last appended meanwhile
	// leaving: it is about messages that leave for a summary, and nothing else. It has
	// no lease.
	leaving bool

	// unextracted and unkept are the messages that were read and are still to be dealt
	// with.
	unextracted, unkept []Message
	batch               int             // of the messages to extract from next; 0: not known yet
	refused             map[string]bool // valueOf memories
	keeping             *Session        // whose messages are handed over, and not noted yet

	outcome PromotionOutcome
	failed  error // a part that failed, and is left out from then on
}

var (
	errNotDue = errors.New("session: not due")
	// errOutrun says that another, who needs no lease, did what a step did.
	errOutrun = errors.New("session: outrun")
	errMore   = errors.New("session: there is more to do")
)

// maxRounds is how often a worker reads what came meanwhile, before others have their
// turn.
const maxRounds = 10

// promote promotes a session, if it is due or always.
func (p *promotions) promote(ctx context.Context, key Key, always bool) PromotionOutcome {
	r := &promotionRun{p: p, key: key, always: always, refused: map[string]bool{}}
	err := r.take(ctx)
	switch {
	case errors.Is(err, errNotDue), !always && (errors.Is(err, ErrBusy) || errors.Is(err, ErrNotFound)):
		p.release(key)
		return r.outcome
	case errors.Is(err, ErrBusy), errors.Is(err, ErrNotFound):
		r.outcome.Err = err
		return r.outcome
	case err == nil && r.lease.IsZero(): // there was nothing to do
		p.release(key)
		return r.outcome
	case err == nil:
		err = r.work(ctx)
	}
	r.end(ctx, err)
	return p.report(ctx, key, r.outcome)
}

// work does what there is to do until there is no more.
func (r *promotionRun) work(ctx context.Context) error {
	for range maxRounds {
		err := r.round(ctx)
		if !errors.Is(err, errMore) && !errors.Is(err, errOutrun) {
			return err
		}
		if r.head, err = r.p.m.load(ctx, r.key, 0); err != nil {
			return err
		}
	}
	return errMore
}

// round reads what there is to do, does it, and looks whether there is more.
func (r *promotionRun) round(ctx context.Context) error {
	if err := r.read(ctx); err != nil {
		return err
	}
	if err := r.extractEntities(ctx); err != nil {
		return err
	}
	if err := r.steps(ctx); err != nil {
		return err
	}
	if r.failed != nil {
		return r.failed
	}
	return r.finish(ctx)
}

// steps does what was read, step by step.
func (r *promotionRun) steps(ctx context.Context) error {
	for {
		extracted, err := r.extract(ctx)
		if err != nil {
			return err
		}
		kept, err := r.keep(ctx)
		if err != nil || !extracted && !kept {
			return err
		}
	}
}

// read reads the messages that are to be promoted. If they are damaged, memories are
// promoted all the same.
func (r *promotionRun) read(ctx context.Context) error {
	m := r.p.m
	if r.head.from.progress.Unrestored && r.p.wantsAny().Messages {
		if _, err := m.restore(ctx, r.key, carried{}); err != nil {
			return err
		}
		head, err := m.load(ctx, r.key, 0)
		if err != nil {
			return err
		}
		r.head = head
	}
	wants, err := r.p.wants(r.head.Strategy)
	r.divide(Wants{}, nil)
	at, pr := r.head.from.at, r.head.from.progress
	if err != nil || !pr.behind(wants, at.First, at.Next) {
		return err
	}
	from := at.Next
	if wants.Messages {
		from = min(from, pr.Kept)
	}
	if wants.Extract {
		from = min(from, pr.Extracted)
	}
	s, err := m.loadFrom(ctx, r.key, from, at)
	if _, damaged := errors.AsType[*DamagedError](err); damaged {
		r.failed = err
		return nil
	}
	if err != nil {
		return err
	}
	r.head = s
	r.divide(wants, s.Messages)
	return nil
}

// divide takes those messages on that are behind the marks.
func (r *promotionRun) divide(wants Wants, messages []Message) {
	r.unextracted, r.unkept = nil, nil
	if wants.Extract {
		r.unextracted = behindMark(messages, r.head.from.progress.Extracted)
	}
	if wants.Messages {
		r.unkept = behindMark(messages, r.head.from.progress.Kept)
	}
}

// report logs and tells an outcome.
func (p *promotions) report(ctx context.Context, key Key, outcome PromotionOutcome) PromotionOutcome {
	log := p.m.opts.Logger.With("session", key.Short())
	if outcome.Err != nil {
		log.WarnContext(ctx, "session: not all was promoted", "error", callee.Loggable(outcome.Err))
	}
	if outcome.Refused > 0 {
		log.WarnContext(ctx, "session: long-term memory refused memories", "memories", outcome.Refused)
	}
	if p.OnPromoted != nil {
		if err := callee.Survive(func() error { p.OnPromoted(key, outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnPromoted failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}

// Due returns the keys of sessions that are due to be promoted, at most limit of them,
// those that are due longest first. Damaged sessions are among them. Errors:
// ErrUnavailable, ErrClosed.
func (m *Manager) Due(ctx context.Context, limit int) ([]Key, error) {
	keys, err := m.store.Due(ctx, m.now(), limit)
	if err != nil {
		return nil, fmt.Errorf("session: due: %w", err)
	}
	return keys, nil
}

// Promote promotes a session now, all of it, whether it is due or not. Memories that
// the long-term memory refuses are no error. The error is the outcome's: ErrBusy if
// another is at it, ErrNoLongTerm, ErrKey, ErrNotFound, *FormatError, *DamagedError,
// ErrUnavailable, ErrClosed, and what the long-term memory failed with, after which it
// is tried again in the background.
func (m *Manager) Promote(ctx context.Context, key Key) (PromotionOutcome, error) {
	err := key.Check()
	if m.promotions == nil {
		err = ErrNoLongTerm
	}
	if err != nil {
		return PromotionOutcome{Err: err}, err
	}
	outcome := m.promotions.promote(ctx, key, true)
	return outcome, outcome.Err
}
