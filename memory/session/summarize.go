package session

import (
	"context"
	"errors"
)

// Summarize summarises a session now, whether it is over its threshold or not: what
// is beyond Summaries.Keep leaves. Like any other, the summary is written by one at a
// time. The error is the outcome's.
func (m *Manager) Summarize(ctx context.Context, key Key) (SummaryOutcome, error) {
	if err := key.Check(); err != nil {
		return failed(err), err
	}
	outcome := m.summaries.summarize(ctx, key, true)
	return outcome, outcome.Err
}

// Close waits until the work that waits in the background is done: summaries, and
// promotions to long-term memory. When ctx ends it cancels them; whoever writes to these
// sessions next has them summarised, and what is due stays so. Afterwards the manager
// still reads and writes, but no longer works in the background. Errors: that of ctx, if
// work was cancelled.
func (m *Manager) Close(ctx context.Context) error {
	err := m.summaries.queue.close(ctx) // summaries make sessions due
	return errors.Join(err, m.promotions.close(ctx))
}

// Window is the context window that opts name, in tokens: opts.Window, else that of
// opts.Model, else Options.Window for a model that is not known. It is 0 if opts name
// neither a window nor a model.
func (m *Manager) Window(opts *WriteOptions) int {
	if opts == nil || opts.Window <= 0 && opts.Model == "" {
		return 0
	}
	if opts.Window > 0 {
		return opts.Window
	}
	if window := m.windowOf(opts.Model); window > 0 {
		return window
	}
	return m.opts.Window
}

// Usage says how full the Window that opts name is with so many tokens of messages. It is
// false if they name none.
func (m *Manager) Usage(tokens int, opts *WriteOptions) (Usage, bool) {
	window := m.Window(opts)
	if window == 0 {
		return Usage{}, false
	}
	return UsageOf(tokens, window, m.summaries.threshold(window)), true
}

// Summary is what became of the summary that the last write of s started.
func (s *Session) Summary() SummaryOutcome { return s.from.summary }

// summarized has a session that was just written summarised if it is due, and makes
// it what it is then.
func (m *Manager) summarized(ctx context.Context, s *Session) {
	outcome := m.summaries.written(ctx, s.Key, s.from.at)
	if outcome.at.Revision != 0 {
		m.refresh(ctx, s)
	}
	s.from.summary = outcome
}

// refresh reads a session again. If that fails it stays what was written, and cannot
// be saved again.
func (m *Manager) refresh(ctx context.Context, s *Session) {
	last := len(s.Messages)
	switch {
	case s.from.complete:
		last = -1
	case s.from.none:
		last = 0
	}
	fresh, err := m.load(ctx, s.Key, last)
	if err != nil {
		return
	}
	if s.from.none {
		fresh.Messages, fresh.from.messages = s.Messages, s.from.messages
		fresh.from.complete, fresh.from.none = false, true
	}
	*s = *fresh
}
