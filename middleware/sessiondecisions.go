package middleware

import (
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// story is what becomes of the entities of a stored session in one write, for the
// session's log. A nil one is of a session without a log.
type story struct {
	log      *DecisionLog
	observer *observer
	made     *DecisionLog // by the write as it was tried last
}

// story begins that of a write, nil where the session has no log.
func (s *stored) story() *story {
	if s.sessions.opts.Decisions == nil {
		return nil
	}
	log := s.sessions.opts.Decisions(s.key)
	if log == nil {
		return nil
	}
	return &story{log: log}
}

// begin looks at what a session has, before calls are applied to it. What an attempt
// before this one made does not count.
func (st *story) begin(wc *memory.WorkingContext) {
	if st == nil {
		return
	}
	st.observer = newObserver(new(DecisionLog), wc)
	st.observer.look(st.observer.effectOf(byProgram)) // nobody is told of what is there
	st.made = NewDecisionLog(&st.log.opts)
	st.observer.log = st.made
}

// apply applies a call.
func (st *story) apply(wc *memory.WorkingContext, p *recorded) error {
	if st == nil {
		return wc.Apply(p.change)
	}
	call := ToolCall{ID: p.id, Name: p.tool}
	return st.observer.apply(call, extractor.Extraction{Entities: p.change.Add, Removed: p.change.Remove}, p.change)
}

// told tells the log of a write that was made, of so many calls.
func (st *story) told(calls int) {
	if st != nil {
		st.log.addCalls(st.made, calls)
	}
}
