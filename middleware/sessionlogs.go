package middleware

import (
	"cmp"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

const (
	// DefaultLoggedSessions is the default number of sessions in SessionLogs.
	DefaultLoggedSessions = 128
	// DefaultLoggedDecisions is the default capacity of each log. It holds the decisions
	// of 10 to 30 calls.
	DefaultLoggedDecisions = 200
)

// SessionLogsOptions configures SessionLogs. The zero value is useful: with it the logs
// take at most some 60 MB, and usually a tenth of that.
type SessionLogsOptions struct {
	// Sessions is the number of sessions with a log. 0 or less means
	// DefaultLoggedSessions.
	Sessions int
	// Decisions is the Capacity of each log. 0 or less means DefaultLoggedDecisions.
	Decisions int
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// SessionLogs holds the logs of the stored sessions that were used last, for
// SessionsOptions.Decisions:
//
//	logs := NewSessionLogs(nil)
//	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Decisions: logs.Log})
//
// The logs are local to the process. SessionLogs is safe for concurrent use.
type SessionLogs struct {
	logs *recentSessions[*DecisionLog]
	opts DecisionLogOptions
}

// NewSessionLogs returns an empty SessionLogs. If opts is nil, the defaults are used.
func NewSessionLogs(opts *SessionLogsOptions) *SessionLogs {
	if opts == nil {
		opts = new(SessionLogsOptions)
	}
	return &SessionLogs{
		logs: newRecentSessions[*DecisionLog](cmp.Or(max(opts.Sessions, 0), DefaultLoggedSessions)),
		opts: DecisionLogOptions{Capacity: cmp.Or(max(opts.Decisions, 0), DefaultLoggedDecisions), Now: opts.Now},
	}
}

// Log returns the log of a session, which is empty for a new session. A new log replaces
// the least recently used one if there are too many.
func (l *SessionLogs) Log(key session.Key) *DecisionLog {
	return l.logs.get(key, func() *DecisionLog { return NewDecisionLog(&l.opts) })
}
