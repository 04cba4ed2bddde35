package session

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Summarize summarises a session now, even if it is below its threshold: the messages
// beyond summary.Options.Keep leave. Only one summary of a session is written at a time.
// The error is that of the outcome.
func (m *Manager) Summarize(ctx context.Context, key Key) (summary.Outcome, error) {
	if err := key.Check(); err != nil {
		return summary.Outcome{Status: summary.Failed, Err: err}, err
	}
	outcome := m.summaries.Summarize(ctx, key, true).Outcome
	return outcome, outcome.Err
}

// summarized summarises a session after a write if that is due, and updates it.
func (m *Manager) summarized(ctx context.Context, s *Session) {
	result := m.summaries.Written(ctx, s.Key, s.from.At)
	if result.At.Revision != 0 {
		m.refresh(ctx, s)
	}
	s.from.summary = result.Outcome
}

// refresh loads a session again. If that fails, s stays as written, and its next Save
// returns ErrConflict.
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
