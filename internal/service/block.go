package service

import (
	"context"
	"errors"
	"math"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Block returns the [WORKING MEMORY] block of a session, "" where there is none or nothing
// in it. budget is its largest size in tokens, of what the session holds, which is as much
// as session.Options.Context lets it; 0 means the default, 10 entities, 3 of a type, unless
// Options.Recording says otherwise. Errors: Invalid, Internal for a session that is damaged,
// Unavailable.
func (s *Service) Block(ctx context.Context, t Tenant, ref Ref, budget int) (string, error) {
	var c checks
	checkRange(&c, new(int64(budget)), 0, math.MaxInt64, "budget")
	if err := c.invalid(); err != nil {
		return "", err
	}
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	switch {
	case isKind(NotFound, err):
		return "", nil
	case err != nil:
		return "", err
	}
	return s.blockOf(found, budget), nil
}

// blockOf is the block of a session that was read, be it without its messages.
func (s *Service) blockOf(found *session.Session, budget int) string {
	var opts prompt.Options
	if s.opts.Recording != nil {
		opts = s.opts.Recording.Block
	}
	if budget > 0 {
		opts.Budget = budget
	}
	n := found.Entities.Len()
	if opts.Budget <= 0 {
		n = min(n, memory.DefaultCapacity) // sessions hold more only for those with a budget
	}
	return prompt.NewRenderer(&opts).Render(found.Entities.Recent(n))
}

// Summarize summarises a session now, whether it is over its threshold or not. Errors:
// NotFound, Unavailable, also for a summarizer that fails, which leaves the session as it was.
func (s *Service) Summarize(ctx context.Context, t Tenant, ref Ref) (summary.Outcome, error) {
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return summary.Outcome{}, err
	}
	outcome, err := s.sessions.Summarize(ctx, key)
	if err != nil {
		err = s.fail(ctx, err)
		if e, ok := errors.AsType[*Error](err); ok && e.Kind == Internal && failedSession(e.Err) == nil {
			e.Kind, e.Detail = Unavailable, "The summary failed; the session is as it was"
		}
		return outcome, without(ref, err)
	}
	return outcome, nil
}
