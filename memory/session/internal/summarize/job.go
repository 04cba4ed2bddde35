// Package summarize writes the summaries of sessions whose messages exceed the window.
//
//	Job ──► queue ──► run: lease ──► chunks ──► Summarizer ──► commit
//
// A Job sees sessions through head.Sessions, and nothing of the Manager.
package summarize

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/workqueue"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Config holds the dependencies of a Job. All but Leaving are required.
type Config struct {
	Sessions head.Sessions
	Counter  memory.TokenCounter
	// Window is the default context window, in tokens.
	Window int
	Now    func() time.Time
	Logger *slog.Logger
	// Leaving, if not nil, is called with messages before they leave; an error keeps them.
	// isOf reports whether a session is still the one of the messages.
	Leaving func(ctx context.Context, key driver.Key, messages []driver.Message, isOf func(h *head.Head) bool) error
}

// Job writes summaries. Its state is in the store: after a crash, the next writer goes on. It
// is safe for concurrent use.
type Job struct {
	settings
	Config
	queue *workqueue.Queue
}

// Result is an outcome and the position of the session after the last write. The position is
// zero if nothing was written.
type Result struct {
	summary.Outcome
	At driver.Position
}

// over reports whether a session exceeds its threshold.
func (j *Job) over(at driver.Position) bool {
	return at.Len() > 1 && at.Tokens > int64(j.Limit(j.window(at)))
}

func (j *Job) window(at driver.Position) int {
	if at.Window > 0 {
		return int(at.Window)
	}
	return j.Window
}

// report logs an outcome and passes it to OnSummary. It ignores sessions that do not exist, so
// that their keys do not fill the log.
func (j *Job) report(ctx context.Context, key driver.Key, outcome Result) Result {
	if outcome.Status == summary.None || errors.Is(outcome.Err, driver.ErrNotFound) {
		return outcome
	}
	log := j.Logger.With("session", key.Short())
	switch {
	case outcome.Status == summary.Failed:
		log.WarnContext(ctx, "session: summary failed", "error", callee.Loggable(outcome.Err))
	case outcome.Status == summary.NotQueued:
		log.WarnContext(ctx, "session: summary queue is full or closed")
	case outcome.Lost > 0:
		log.WarnContext(ctx, "session: summary dropped identifiers that no longer fit", "identifiers", outcome.Lost)
	}
	if j.OnSummary != nil {
		if err := callee.RecoverPanic(func() error { j.OnSummary(key, outcome.Outcome); return nil }); err != nil {
			log.WarnContext(ctx, "session: OnSummary failed", "error", callee.Loggable(err))
		}
	}
	return outcome
}
