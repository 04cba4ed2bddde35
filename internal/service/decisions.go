package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// maxDecisions is the maximum number of decisions of an answer.
const maxDecisions = 200

// Decisions describes what the block of a session shows and why.
type Decisions struct {
	Usage     ContextUsage
	Entities  []EntityVerdict       // newest first
	Decisions []middleware.Decision // newest last
}

// EntityVerdict is an entity and whether the default block shows it.
type EntityVerdict struct {
	memory.Entity
	// Handle is what the block shows in place of the ID, or "".
	Handle  string
	Verdict prompt.Verdict
}

// Decisions returns the usage of a session's window, the verdict of the default block on each
// entity, and the newest decisions about calls that this process recorded. Decisions are kept
// for the sessions written last: see middleware.SessionLogs. Errors: as GetSession.
func (s *Service) Decisions(ctx context.Context, t Tenant, ref Ref) (*Decisions, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &Decisions{
		Usage: *s.usageOf(found, View{}), Entities: s.verdicts(found), Decisions: decisionsOf(s.decisions(found.Key)),
	}, nil
}

// verdicts returns the verdict of the default block on each entity. A block without a budget
// considers the newest only.
func (s *Service) verdicts(found *session.Session) []EntityVerdict {
	var opts prompt.Options
	if s.opts.Recording != nil {
		opts = s.opts.Recording.Block
	}
	entities := entitiesOf(found)
	considered := len(entities)
	if opts.Budget <= 0 {
		considered = min(considered, memory.DefaultCapacity)
	}
	content := prompt.Content{Entities: entities[:considered], Candidates: shownCandidates(found, &opts)}
	_, verdicts := prompt.NewRenderer(&opts).Explain(middleware.WithHandles(found.Handles, content))
	all := make([]EntityVerdict, len(entities))
	for i := range entities {
		e, verdict := &entities[i], prompt.VerdictTooOld
		if i < considered {
			verdict = verdicts[i]
		}
		all[i] = EntityVerdict{Entity: *e, Verdict: verdict}
		if shown := found.Handles.Handle(e.ID); shown != e.ID {
			all[i].Handle = shown
		}
	}
	return all
}

// decisionsOf returns the newest decisions of a log, newest last. A nil log is empty.
func decisionsOf(log *middleware.DecisionLog) []middleware.Decision {
	newest := []middleware.Decision{}
	if log == nil {
		return newest
	}
	for d := range log.All() {
		if len(newest) == 2*maxDecisions {
			newest = append(newest[:0], newest[maxDecisions:]...)
		}
		newest = append(newest, d)
	}
	return newest[max(0, len(newest)-maxDecisions):]
}
