package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// summaries writes the summaries of a Manager. What it knows of a session is what
// the store has: after a crash, whoever writes next goes on.
type summaries struct {
	Summaries
	m     *Manager
	queue *workQueue
}

func newSummaries(m *Manager) *summaries {
	s := &summaries{Summaries: m.opts.Summaries, m: m}
	s.queue = newWorkQueue(s.Workers, s.QueueLimit, func(ctx context.Context, key Key) {
		s.summarize(ctx, key, false)
	})
	return s
}

// written is called after each write with where the session stands, which alone
// says whether there is anything to do.
func (s *summaries) written(ctx context.Context, key Key, at Position) SummaryOutcome {
	switch {
	case s.Mode == SummarizeOff || !s.over(at):
		return SummaryOutcome{}
	case s.Mode == SummarizeInBackground:
		status := SummaryNotQueued
		if s.queue.add(key) {
			status = SummaryQueued
		}
		return s.report(ctx, key, SummaryOutcome{Status: status})
	default:
		return s.summarize(ctx, key, false)
	}
}

// over reports whether messages of a session may have to leave.
func (s *summaries) over(at Position) bool {
	return at.Len() > 1 && at.Tokens > int64(s.threshold(s.window(at)))
}

func (s *summaries) window(at Position) int {
	if at.Window > 0 {
		return int(at.Window)
	}
	return s.m.opts.Window
}

// summarize summarises a session if it is over its threshold, or in any case. Where
// messages that came meanwhile take it over the threshold again, it does so once
// more, not for ever.
func (s *summaries) summarize(ctx context.Context, key Key, always bool) SummaryOutcome {
	outcome := s.report(ctx, key, s.once(ctx, key, always))
	if outcome.Status != SummaryDone || !s.over(outcome.at) {
		return outcome
	}
	if again := s.report(ctx, key, s.once(ctx, key, false)); again.Status == SummaryDone {
		again.Messages += outcome.Messages
		return again
	}
	return outcome
}

// report logs and tells an outcome. That there is no such session, or none any more, is no
// failure of a summary: only whoever asked is told, and nobody can fill the log with keys.
func (s *summaries) report(ctx context.Context, key Key, outcome SummaryOutcome) SummaryOutcome {
	if outcome.Status == SummaryNone || errors.Is(outcome.Err, ErrNotFound) {
		return outcome
	}
	log := s.m.opts.Logger.With("session", key.Short())
	switch {
	case outcome.Status == SummaryFailed:
		log.WarnContext(ctx, "session: no summary was written", "error", callee.Loggable(outcome.Err))
	case outcome.Status == SummaryNotQueued:
		log.WarnContext(ctx, "session: no summary was queued")
	case outcome.Lost > 0:
		log.WarnContext(ctx, "session: identifiers have no room behind the summary any more", "identifiers", outcome.Lost)
	}
	if s.OnSummary != nil {
		if err := callee.Survive(func() error { s.OnSummary(key, outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnSummary failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}

// once loads a session, summarises what is to leave, and commits that. The messages
// are not read while another summarises, or has failed to: they become many.
func (s *summaries) once(ctx context.Context, key Key, always bool) SummaryOutcome {
	loaded, err := s.m.load(ctx, key, 0)
	if err == nil {
		if held := s.held(loaded, always); held != SummaryNone {
			return SummaryOutcome{Status: held}
		}
		loaded, err = s.m.load(ctx, key, -1)
	}
	if errors.Is(err, ErrNotFound) && !always { // deleted since, or expired
		return SummaryOutcome{}
	}
	if err != nil {
		return failed(err)
	}
	at := loaded.from.at
	if !always && !s.over(at) {
		return SummaryOutcome{}
	}
	window := s.window(at)
	n := leaving(loaded.Messages, s.keep(window), window)
	if n == 0 {
		return SummaryOutcome{}
	}
	r := &summaryRun{
		s: s, key: key, always: always, revision: at.Revision, first: at.First, context: loaded.Context, dropBefore: loaded.Messages[n].Seq,
		leaves: loaded.Messages[:n:n], entities: loaded.Entities, limit: s.maxTokens(window), window: window,
	}
	return r.run(ctx)
}

func failed(err error) SummaryOutcome { return SummaryOutcome{Status: SummaryFailed, Err: err} }

// run leases the session, summarises and commits. Whatever goes wrong, the lease
// does not stay.
func (r *summaryRun) run(ctx context.Context) SummaryOutcome {
	status, err := r.take(ctx)
	if err != nil {
		return r.ended(failed(err))
	}
	if status != SummaryDone {
		return r.ended(SummaryOutcome{Status: status})
	}
	outcome, err := r.summarize(ctx)
	if err != nil {
		outcome = failed(err)
	}
	if outcome.Status != SummaryDone {
		r.release(ctx, err != nil && !errors.Is(ctx.Err(), context.Canceled))
	}
	return r.ended(outcome)
}

func (r *summaryRun) ended(outcome SummaryOutcome) SummaryOutcome {
	outcome.at = r.at
	return outcome
}

// summarize is what happens under the lease.
func (r *summaryRun) summarize(ctx context.Context) (SummaryOutcome, error) {
	if before := r.s.Before; before != nil {
		err := callee.Call(func() error { return before(ctx, r.key, cloneMessages(r.leaves)) })
		if err != nil {
			return SummaryOutcome{}, fmt.Errorf("session: before a summary: %w", err)
		}
	}
	if err := r.s.m.promotions.leaving(ctx, r.key, r.leaves, r.isOf); err != nil {
		return SummaryOutcome{}, fmt.Errorf("session: before a summary: %w", err)
	}
	previous, identifiers := splitContext(r.context)
	summary, outrun, err := r.write(ctx, previous)
	if err != nil || outrun {
		return SummaryOutcome{Status: SummaryOutrun}, err
	}
	counter := r.s.m.opts.Counter
	// The new summary need not have what stood in the text of the one before.
	leaving := append([]string{previous}, texts(r.leaves)...)
	kept := keepIdentifiers(identifiers, leaving, idsOf(r.entities), summary, r.window/4, counter)
	status, err := r.commit(ctx, joinContext(summary, kept.ids))
	if err != nil || status != SummaryDone {
		return SummaryOutcome{Status: status}, err
	}
	return SummaryOutcome{
		Status: SummaryDone, Messages: len(r.leaves), Tokens: counter.CountTokens(summary),
		Identifiers: len(kept.ids), Lost: kept.lost,
	}, nil
}

// write asks for the summary, step by step where one request cannot hold it all.
// outrun says that another changed the session meanwhile.
func (r *summaryRun) write(ctx context.Context, previous string) (summary string, outrun bool, err error) {
	requests := r.requests(previous)
	for i := range requests {
		if i > 0 {
			requests[i].Previous = summary
		}
		if i > 0 || r.s.Before != nil || r.s.m.promotions != nil { // which have used up time of the lease
			if status, err := r.renew(ctx); err != nil || status != SummaryDone {
				return "", true, err
			}
		}
		if summary, err = r.ask(ctx, requests[i]); err != nil {
			return "", false, fmt.Errorf("session: summarising: %w", err)
		}
	}
	return summary, false, nil
}

// ask gets one summary, and sees to it that it is one and not too long.
func (r *summaryRun) ask(ctx context.Context, request SummaryRequest) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.s.Timeout)
	defer cancel()
	var text string
	err := callee.Call(func() (err error) {
		text, err = r.s.Summarizer.SummarizeMessages(ctx, request)
		return err
	})
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	if !r.s.extracts() && isRefusal(text) {
		return "", ErrRefused
	}
	if text = cutToTokens(text, request.MaxTokens, r.s.m.opts.Counter); text == "" {
		return "", ErrNoSummary
	}
	return text, nil
}

// leaseFor is how long a lease runs: a call of the Summarizer, and time to write.
func (s *summaries) leaseFor() time.Duration { return s.Timeout + leaseMargin }

const leaseMargin = 10 * time.Second
