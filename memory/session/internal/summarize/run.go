package summarize

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/identifiers"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/tokens"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// run is a summary on its way. It holds as long as the session has the
// context and the first message that it had when it was loaded: what others append
// and change in the head meanwhile does not matter, and is kept.
type run struct {
	j          *Job
	key        driver.Key
	always     bool   // by hand
	revision   uint64 // the last that is known to be of the session
	first      uint64
	context    string
	dropBefore uint64
	leaves     []driver.Message
	entities   *memory.WorkingContext
	limit      int // tokens of the summary
	window     int

	lease time.Time       // ours
	at    driver.Position // after our last write
}

// statusError ends a summary that is not to be written, or no longer.
type statusError summary.Status

func (e statusError) Error() string { return "session: summary is " + summary.Status(e).String() }

// isOf reports whether a session is still what the summary is of. One that was
// deleted and made again has another revision, a random one.
func (r *run) isOf(h *head.Head) bool {
	return h.Follows(r.revision) && h.At.First == r.first && h.Context == r.context
}

func failed(err error) summary.Outcome { return summary.Outcome{Status: summary.Failed, Err: err} }

// do leases the session, summarises and commits. Whatever goes wrong, the lease
// does not stay.
func (r *run) do(ctx context.Context) Result {
	status, err := r.take(ctx)
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

func (r *run) ended(outcome summary.Outcome) Result { return Result{Outcome: outcome, At: r.at} }

// summarize is what happens under the lease.
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
	// The new summary need not have what stood in the text of the one before.
	leaving := append([]string{previous}, texts(r.leaves)...)
	kept := identifiers.Keep(known, leaving, idsOf(r.entities), text, r.window/4, counter)
	status, err := r.commit(ctx, identifiers.Join(text, kept.IDs))
	if err != nil || status != summary.Done {
		return summary.Outcome{Status: status}, err
	}
	return summary.Outcome{
		Status: summary.Done, Messages: len(r.leaves), Tokens: counter.CountTokens(text),
		Identifiers: len(kept.IDs), Lost: kept.Lost,
	}, nil
}

// write asks for the summary, step by step where one request cannot hold it all.
// outrun says that another changed the session meanwhile.
func (r *run) write(ctx context.Context, previous string) (text string, outrun bool, err error) {
	requests := r.requests(previous)
	for i := range requests {
		if i > 0 {
			requests[i].Previous = text
		}
		if i > 0 || r.j.Before != nil || r.j.Leaving != nil { // which have used up time of the lease
			if status, err := r.renew(ctx); err != nil || status != summary.Done {
				return "", true, err
			}
		}
		if text, err = r.ask(ctx, requests[i]); err != nil {
			return "", false, fmt.Errorf("session: summarising: %w", err)
		}
	}
	return text, false, nil
}

// ask gets one summary, and sees to it that it is one and not too long.
func (r *run) ask(ctx context.Context, request summary.Request) (string, error) {
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
	if !extracts(r.j.Summarizer) && isRefusal(text) {
		return "", summary.ErrRefused
	}
	if text = tokens.Cut(text, request.MaxTokens, r.j.Counter); text == "" {
		return "", summary.ErrEmpty
	}
	return text, nil
}

// leaseFor is how long a lease runs: a call of the Summarizer, and time to write.
func (j *Job) leaseFor() time.Duration { return j.Timeout + leaseMargin }

const leaseMargin = 10 * time.Second

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
