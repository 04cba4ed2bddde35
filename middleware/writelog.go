package middleware

import "github.com/go-workingmemory/workingmemory/memory"

// writeLog collects what one write to a stored session does to its entities, for the
// session's log. A nil one is of a session without a log.
type writeLog struct {
	log  *DecisionLog
	made *DecisionLog // by the last attempt of the write
}

// newWriteLog returns the log of a write, nil where the session has no log.
func (s *stored) newWriteLog() *writeLog {
	if s.sessions.opts.Decisions == nil {
		return nil
	}
	log := s.sessions.opts.Decisions(s.key)
	if log == nil {
		return nil
	}
	return &writeLog{log: log}
}

// begin returns the entities of a session, for an attempt of the write to apply its calls
// to. The decisions of earlier attempts do not count.
func (w *writeLog) begin(wc *memory.WorkingContext) backing {
	if w == nil {
		return local{wc}
	}
	t := newTracker(new(DecisionLog), wc)
	t.compare(t.effectOf(byProgram)) // what is there already is not logged
	w.made = NewDecisionLog(&w.log.opts)
	t.log = w.made
	return t
}

// commit adds the decisions of the last attempt, of so many calls, to the session's log.
func (w *writeLog) commit(calls int) {
	if w != nil {
		w.log.addCalls(w.made, calls)
	}
}
