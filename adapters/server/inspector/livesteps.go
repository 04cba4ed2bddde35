package inspector

import (
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// arrange merges messages and calls by time. The results of recorded calls are shown with the calls.
func (r *liveRun) arrange() {
	recorded := make(map[string]bool, len(r.Calls))
	for i := range r.Calls {
		recorded[r.Calls[i].CallID] = r.Calls[i].CallID != ""
	}
	next, known := 0, r.isWhole()
	addCalls := func(before time.Time) {
		for ; next < len(r.Calls) && (before.IsZero() || r.Calls[next].Time.Before(before)); next++ {
			known = known || r.Calls[next].Changed
			r.all, r.calls = append(r.all, callStep(&r.Calls[next], known)), append(r.calls, next)
		}
	}
	order := make([]int, len(r.Messages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.Messages[a].CreatedAt.Compare(r.Messages[b].CreatedAt) })
	for _, i := range order {
		m := &r.Messages[i]
		if m.IsResult() && recorded[m.ToolCallID] {
			continue
		}
		addCalls(m.CreatedAt)
		r.all, r.calls = append(r.all, messageStep(m, known)), append(r.calls, -1)
	}
	addCalls(time.Time{})
	r.all, r.calls = append(r.all, step{kind: kindNow, at: r.LastAccessed, known: true}), append(r.calls, -1)
}

func messageStep(m *session.Message, known bool) step {
	s := step{kind: m.Role, at: m.CreatedAt, text: m.Content, tokens: m.Tokens, known: known}
	for _, call := range m.ToolCalls {
		s.calls = append(s.calls, call.Name+"("+call.Arguments+")")
	}
	return s
}

// bytesPerToken estimates the tokens of a call.
const bytesPerToken = 4

func callStep(c *middleware.JournalCall, known bool) step {
	s := step{kind: kindCall, at: c.Time, tool: c.Tool, source: c.Source, failed: c.Failed, known: known, tokens: (c.Bytes + 3) / bytesPerToken}
	s.count(c.Decisions)
	return s
}

// count counts the entities that came and left by the decisions of the step.
func (s *step) count(decisions []middleware.Decision) {
	for i := range decisions {
		switch decisions[i].Kind {
		case middleware.DecisionSeen, middleware.DecisionCandidate:
			s.came++
		case middleware.DecisionEvicted, middleware.DecisionRemoved, middleware.DecisionDropped:
			s.left++
		}
	}
}

// isWhole reports whether the calls that are known brought all entities: earlier ones may have been
// dropped, or made elsewhere.
func (r *liveRun) isWhole() bool {
	brought := map[string]bool{}
	for i := range r.Calls {
		for _, d := range r.Calls[i].Decisions {
			switch d.Kind {
			case middleware.DecisionSeen, middleware.DecisionCandidate, middleware.DecisionMerged:
				brought[d.ID], brought[d.ByID] = true, true
			case middleware.DecisionUsed, middleware.DecisionRepeated, middleware.DecisionEvicted:
				if !brought[d.ID] {
					return false
				}
			}
		}
	}
	return len(r.Calls) > 0 || r.Entities.Len() == 0
}
