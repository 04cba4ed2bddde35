package middleware

import (
	"cmp"
	"container/list"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

const (
	// DefaultLoggedSessions is of how many sessions SessionLogs keep logs by default.
	DefaultLoggedSessions = 128
	// DefaultLoggedDecisions is how many decisions of each they keep by default: those of
	// 10 to 30 calls.
	DefaultLoggedDecisions = 200
)

// SessionLogsOptions configures SessionLogs. The zero value is useful: such logs take at
// most some 60 MB, and mostly a tenth of it.
type SessionLogsOptions struct {
	// Sessions is how many sessions have a log. 0 or less means DefaultLoggedSessions.
	Sessions int
	// Decisions is the Capacity of each log. 0 or less means DefaultLoggedDecisions.
	Decisions int
	// Now is the clock. nil means time.Now.
	Now func() time.Time
}

// SessionLogs are the logs of the stored sessions that were asked for last, as
// SessionsOptions.Decisions takes them:
//
//	logs := NewSessionLogs(nil)
//	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Decisions: logs.Log})
//
// They are of this process alone. They are safe for concurrent use.
type SessionLogs struct {
	opts SessionLogsOptions

	mu    sync.Mutex
	logs  map[session.Key]*list.Element // of order
	order list.List                     // of *keptLog, those asked for last in front
}

type keptLog struct {
	key session.Key
	log *DecisionLog
}

// NewSessionLogs makes logs, none yet. nil options mean the defaults.
func NewSessionLogs(opts *SessionLogsOptions) *SessionLogs {
	l := &SessionLogs{logs: make(map[session.Key]*list.Element)}
	if opts != nil {
		l.opts = *opts
	}
	l.opts.Sessions = cmp.Or(max(l.opts.Sessions, 0), DefaultLoggedSessions)
	l.opts.Decisions = cmp.Or(max(l.opts.Decisions, 0), DefaultLoggedDecisions)
	return l
}

// Log returns the log of a session, an empty one for a session that has none yet. The log
// that was not asked for the longest gives way to it.
func (l *SessionLogs) Log(key session.Key) *DecisionLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept, ok := l.logs[key]; ok {
		l.order.MoveToFront(kept)
		return kept.Value.(*keptLog).log
	}
	if l.order.Len() >= l.opts.Sessions {
		oldest := l.order.Back()
		delete(l.logs, l.order.Remove(oldest).(*keptLog).key)
	}
	log := NewDecisionLog(&DecisionLogOptions{Capacity: l.opts.Decisions, Now: l.opts.Now})
	l.logs[key] = l.order.PushFront(&keptLog{key: key, log: log})
	return log
}
