package promote

import (
	"context"
	"errors"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// run is a promotion on its way. Each of its steps is one write of the head,
// on condition that the lease is still its own, and that what it did is still to be
// done: whatever comes in between, a crash, another worker, a client that writes, it is
// done again or not at all. All that others change in the head meanwhile is kept.
type run struct {
	j      *Job
	key    driver.Key
	always bool       // by hand: whether it is due or not
	lease  time.Time  // ours
	head   *head.Head // as it was last read or written
	seen   time.Time  // when others last appended meanwhile
	// leaving: it is about messages that leave for a summary, and nothing else. It has
	// no lease.
	leaving bool

	// unextracted and unkept are the messages that were read and are still to be dealt
	// with.
	unextracted, unkept []driver.Message
	batch               int             // of the messages to extract from next; 0: not known yet
	refused             map[string]bool // valueOf memories
	keeping             *head.Head      // whose messages are handed over, and not noted yet

	outcome promotion.Outcome
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

// Promote promotes a session, if it is due or always.
func (j *Job) Promote(ctx context.Context, key driver.Key, always bool) promotion.Outcome {
	r := &run{j: j, key: key, always: always, refused: map[string]bool{}}
	err := r.acquire(ctx)
	switch {
	case errors.Is(err, errNotDue), !always && (errors.Is(err, promotion.ErrBusy) || errors.Is(err, driver.ErrNotFound)):
		j.release(key)
		return r.outcome
	case errors.Is(err, promotion.ErrBusy), errors.Is(err, driver.ErrNotFound):
		r.outcome.Err = err
		return r.outcome
	case err == nil && r.lease.IsZero(): // there was nothing to do
		j.release(key)
		return r.outcome
	case err == nil:
		err = r.work(ctx)
	}
	r.end(ctx, err)
	return j.report(ctx, key, r.outcome)
}

// work does what there is to do until there is no more.
func (r *run) work(ctx context.Context) error {
	for range maxRounds {
		err := r.round(ctx)
		if !errors.Is(err, errMore) && !errors.Is(err, errOutrun) {
			return err
		}
		if r.head, err = r.j.Sessions.Load(ctx, r.key, 0); err != nil {
			return err
		}
	}
	return errMore
}

// round reads what there is to do, does it, and looks whether there is more.
func (r *run) round(ctx context.Context) error {
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
func (r *run) steps(ctx context.Context) error {
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
// promoted nevertheless.
func (r *run) read(ctx context.Context) error {
	if r.head.Promotion.Unrestored && r.j.WantsAny().Messages {
		if _, err := r.j.Restore(ctx, r.key, 0, 0); err != nil {
			return err
		}
		h, err := r.j.Sessions.Load(ctx, r.key, 0)
		if err != nil {
			return err
		}
		r.head = h
	}
	wants, err := r.j.wants(r.head.Strategy)
	r.divide(driver.Wants{}, nil)
	at, pr := r.head.At, r.head.Promotion
	if err != nil || !pr.Behind(wants, at.First, at.Next) {
		return err
	}
	from := at.Next
	if wants.Messages {
		from = min(from, pr.Kept)
	}
	if wants.Extract {
		from = min(from, pr.Extracted)
	}
	h, err := head.LoadFrom(ctx, r.j.Sessions, r.key, from, at)
	if _, damaged := errors.AsType[*driver.DamagedError](err); damaged {
		r.failed = err
		return nil
	}
	if err != nil {
		return err
	}
	r.head = h
	r.divide(wants, h.Marked())
	return nil
}

// divide takes those messages on that are behind the marks.
func (r *run) divide(wants driver.Wants, messages []driver.Message) {
	r.unextracted, r.unkept = nil, nil
	if wants.Extract {
		r.unextracted = head.From(messages, r.head.Promotion.Extracted)
	}
	if wants.Messages {
		r.unkept = head.From(messages, r.head.Promotion.Kept)
	}
}

// report logs an outcome and passes it to OnPromoted.
func (j *Job) report(ctx context.Context, key driver.Key, outcome promotion.Outcome) promotion.Outcome {
	log := j.Logger.With("session", key.Short())
	if outcome.Err != nil {
		log.WarnContext(ctx, "session: not all was promoted", "error", callee.Loggable(outcome.Err))
	}
	if outcome.Refused > 0 {
		log.WarnContext(ctx, "session: long-term memory refused memories", "memories", outcome.Refused)
	}
	if j.OnPromoted != nil {
		if err := callee.Survive(func() error { j.OnPromoted(key, outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnPromoted failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}
