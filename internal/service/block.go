package service

import (
	"context"
	"errors"
	"math"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BlockView describes how to render a block.
type BlockView struct {
	// Budget is the maximum size of the block in tokens; 0 means that of Options.Recording, or
	// without one at most ten lines: see prompt.Options.
	Budget int
	// IDs shows ids where the session has handles for them.
	IDs bool
}

// Block returns the [WORKING MEMORY] block of a session, or "" if the session does not exist
// or has nothing to show. Errors: Invalid, Internal for a damaged session, Unavailable.
func (s *Service) Block(ctx context.Context, t Tenant, ref Ref, v BlockView) (string, error) {
	var c checks
	checkRange(&c, new(int64(v.Budget)), 0, math.MaxInt64, "budget")
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
	return s.blockOf(found, v), nil
}

// blockOf renders the block of a loaded session. It needs no messages.
func (s *Service) blockOf(found *session.Session, v BlockView) string {
	opts := s.BlockOptions()
	if v.Budget > 0 {
		opts.Budget = v.Budget
	}
	content := prompt.Content{Entities: found.Entities.Recent(found.Entities.Len()), Candidates: candidatesOf(found)}
	if !v.IDs {
		content = middleware.WithHandles(found.Handles, content)
	}
	return prompt.NewRenderer(&opts).RenderContent(content)
}

// Summarize summarises a session now, whether or not it is over its threshold. Errors:
// NotFound, Unavailable. A summarizer that fails leaves the session unchanged.
func (s *Service) Summarize(ctx context.Context, t Tenant, ref Ref) (summary.Outcome, error) {
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return summary.Outcome{}, err
	}
	outcome, err := s.sessions.Summarize(ctx, key)
	if err != nil {
		err = s.reportError(ctx, err)
		if e, ok := errors.AsType[*Error](err); ok && e.Kind == Internal && sessionError(e.Err) == nil {
			e.Kind, e.Detail = Unavailable, "Summarization failed; the session is unchanged"
		}
		return outcome, withSession(ref, err)
	}
	return outcome, nil
}
