package promote

import (
	"context"
	"errors"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Promote promotes a session if it is due. With always, it promotes it in any case.
func (j *Job) Promote(ctx context.Context, key driver.Key, always bool) promotion.Outcome {
	r := &run{j: j, key: key, always: always, refused: map[string]bool{}}
	delayed := j.delayedUntil(key)
	err := r.acquire(ctx)
	switch {
	case errors.Is(err, errNotDue), !always && (errors.Is(err, promotion.ErrBusy) || errors.Is(err, driver.ErrNotFound)):
		j.release(key)
		return r.outcome
	case errors.Is(err, promotion.ErrBusy), errors.Is(err, driver.ErrNotFound):
		r.outcome.Err = err
		return r.outcome
	case err == nil && r.lease.IsZero(): // nothing to do
		j.forgetDelayed(map[driver.Key]time.Time{key: delayed})
		j.release(key)
		return r.outcome
	case err == nil:
		err = r.work(ctx)
	}
	if err == nil {
		j.forgetDelayed(map[driver.Key]time.Time{key: delayed})
	}
	r.end(ctx, err)
	return j.report(ctx, key, r.outcome)
}

// work runs rounds until there is nothing more to do.
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

// round reads messages to promote, promotes the session, and finishes the run.
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

// steps promotes what was read, batch by batch.
func (r *run) steps(ctx context.Context) error {
	for {
		extracted, err := r.extract(ctx)
		if err != nil {
			return err
		}
		kept, err := r.keepBatch(ctx)
		if err != nil || !extracted && !kept {
			return err
		}
	}
}

// read reads the messages to promote. If they are damaged, memories are promoted anyway.
func (r *run) read(ctx context.Context) error {
	if r.head.Promotion.Unrestored && r.j.Rebuilds() {
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
