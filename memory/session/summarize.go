package session

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Summarize summarises a session now, whether it is over its threshold or not: what
// is beyond summary.Options.Keep leaves. Like any other, the summary is written by one at a
// time. The error is the outcome's.
func (m *Manager) Summarize(ctx context.Context, key Key) (summary.Outcome, error) {
	if err := key.Check(); err != nil {
		return summary.Outcome{Status: summary.Failed, Err: err}, err
	}
	outcome := m.summaries.Summarize(ctx, key, true).Outcome
	return outcome, outcome.Err
}

// summarized has a session that was just written summarised if it is due, and makes
// it what it is then.
func (m *Manager) summarized(ctx context.Context, s *Session) {
	result := m.summaries.Written(ctx, s.Key, s.from.At)
	if result.At.Revision != 0 {
		m.refresh(ctx, s)
	}
	s.from.summary = result.Outcome
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
		fresh.Messages, fresh.from.Messages = s.Messages, s.from.Messages
		fresh.from.complete, fresh.from.none = false, true
	}
	*s = *fresh
}
