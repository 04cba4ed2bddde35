package summarize

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/refusal"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/identifiers"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/tokens"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// do leases the session, writes the summary and commits it, or returns the lease.
func (r *run) do(ctx context.Context) Result {
	status, err := r.acquireLease(ctx)
	if err != nil {
		return r.ended(failed(err))
	}
	if status != summary.Done {
		return r.ended(summary.Outcome{Status: status})
	}
	outcome, err := r.summarize(ctx)
	if err != nil {
		outcome = failed(err)
	}
	if outcome.Status != summary.Done {
		r.release(ctx, err != nil && !errors.Is(ctx.Err(), context.Canceled))
	}
	return r.ended(outcome)
}

// summarize writes and commits the summary under the lease.
func (r *run) summarize(ctx context.Context) (summary.Outcome, error) {
	if before := r.j.Before; before != nil {
		err := callee.Call(func() error { return before(ctx, r.key, head.Clone(r.leaves)) })
		if err != nil {
			return summary.Outcome{}, fmt.Errorf("session: before a summary: %w", err)
		}
	}
	if r.j.Leaving != nil {
		if err := r.j.Leaving(ctx, r.key, r.leaves, r.isOf); err != nil {
			return summary.Outcome{}, fmt.Errorf("session: before a summary: %w", err)
		}
	}
	previous, known := identifiers.Split(r.context)
	text, outrun, err := r.write(ctx, previous)
	if err != nil || outrun {
		return summary.Outcome{Status: summary.Outrun}, err
	}
	counter := r.j.Counter
	// The new summary may omit parts of the previous one.
	leaving := append([]string{previous}, texts(r.leaves)...)
	kept := identifiers.Keep(known, leaving, idsOf(r.entities), text, r.window/4, counter)
	tokens := counter.CountTokens(text)
	status, err := r.commit(ctx, inert.Text(identifiers.Join(text, kept.IDs)), tokens)
	if err != nil || status != summary.Done {
		return summary.Outcome{Status: status}, err
	}
	return summary.Outcome{
		Status: summary.Done, Messages: len(r.leaves), Tokens: tokens,
		Identifiers: len(kept.IDs), Lost: kept.Lost,
	}, nil
}

// write requests the summary, in several steps if the input is too long. outrun reports
// whether the session was changed concurrently.
func (r *run) write(ctx context.Context, previous string) (text string, outrun bool, err error) {
	requests := r.requests(previous)
	for i := range requests {
		if i > 0 {
			requests[i].Previous = text
		}
		if i > 0 || r.j.Before != nil || r.j.Leaving != nil { // time of the lease has passed
			if status, err := r.renew(ctx); err != nil || status != summary.Done {
				return "", true, err
			}
		}
		if text, err = r.requestSummary(ctx, requests[i]); err != nil {
			return "", false, fmt.Errorf("session: summarising: %w", err)
		}
	}
	return text, false, nil
}

// requestSummary requests one summary, rejects a refusal, and truncates a long one.
func (r *run) requestSummary(ctx context.Context, request summary.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.j.Timeout)
	defer cancel()
	var text string
	err := callee.Call(func() (err error) {
		text, err = r.j.Summarizer.SummarizeMessages(ctx, request)
		return err
	})
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	if !extracts(r.j.Summarizer) && refusal.Is(text) {
		return "", summary.ErrRefused
	}
	if text = tokens.Cut(text, request.MaxTokens, r.j.Counter); text == "" {
		return "", summary.ErrEmpty
	}
	return text, nil
}

// idsOf yields the ids of entities.
func idsOf(entities *memory.WorkingContext) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range entities.All() {
			if !yield(e.ID) {
				return
			}
		}
	}
}
