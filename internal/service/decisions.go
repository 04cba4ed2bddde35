package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// maxDecisions is how many decisions an answer has, the newest.
const maxDecisions = 200

// Decisions are how full the window of a session is, what the default block shows of its
// entities, newest first, and what happened in the calls that this process recorded, newest
// last.
type Decisions struct {
	Usage     ContextUsage
	Entities  []EntityVerdict
	Decisions []middleware.Decision
}

// EntityVerdict is an entity, and whether the default block shows it.
type EntityVerdict struct {
	memory.Entity
	Verdict prompt.Verdict
}

// Decisions says of each entity of a session whether the default block shows it, and what
// became of entities in the calls that this process recorded last: of the sessions that were
// written last, see middleware.SessionLogs. Errors: as of GetSession.
func (s *Service) Decisions(ctx context.Context, t Tenant, ref Ref) (*Decisions, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &Decisions{
		Usage: *s.usageOf(found, View{}), Entities: s.verdicts(found), Decisions: decisionsOf(s.decisions(found.Key)),
	}, nil
}

// verdicts are what the block that Block returns by default does with each entity. Of a
// block without a budget it has the newest alone.
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
	_, verdicts := prompt.NewRenderer(&opts).Explain(prompt.Content{Entities: entities[:considered]})
	all := make([]EntityVerdict, len(entities))
	for i := range entities {
		e, verdict := &entities[i], prompt.VerdictTooOld
		if i < considered {
			verdict = verdicts[i]
		}
		all[i] = EntityVerdict{*e, verdict}
	}
	return all
}

// decisionsOf are the newest decisions of a log, newest last. nil is an empty log.
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
