package middleware

import (
	"cmp"
	"container/list"
	"sync"
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
	opts SessionLogsOptions

	mu    sync.Mutex
	logs  map[session.Key]*list.Element // of order
	order list.List                     // of *sessionLog, most recently used first
}

type sessionLog struct {
	key session.Key
	log *DecisionLog
}

// NewSessionLogs returns an empty SessionLogs. If opts is nil, the defaults are used.
func NewSessionLogs(opts *SessionLogsOptions) *SessionLogs {
	l := &SessionLogs{logs: make(map[session.Key]*list.Element)}
	if opts != nil {
		l.opts = *opts
	}
	l.opts.Sessions = cmp.Or(max(l.opts.Sessions, 0), DefaultLoggedSessions)
	l.opts.Decisions = cmp.Or(max(l.opts.Decisions, 0), DefaultLoggedDecisions)
	return l
}

// Log returns the log of a session, which is empty for a new session. A new log replaces
// the least recently used one if there are too many.
func (l *SessionLogs) Log(key session.Key) *DecisionLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept, ok := l.logs[key]; ok {
		l.order.MoveToFront(kept)
		return kept.Value.(*sessionLog).log
	}
	if l.order.Len() >= l.opts.Sessions {
		oldest := l.order.Back()
		delete(l.logs, l.order.Remove(oldest).(*sessionLog).key)
	}
	log := NewDecisionLog(&DecisionLogOptions{Capacity: l.opts.Decisions, Now: l.opts.Now})
	l.logs[key] = l.order.PushFront(&sessionLog{key: key, log: log})
	return log
}
