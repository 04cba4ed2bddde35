package service

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// maxDecisions is how many decisions an answer has, the newest.
const maxDecisions = 200

// Decisions says of each entity of a session whether the default block shows it, and what
// became of entities in the calls that this process recorded last: of the sessions that were
// written last, see middleware.DecisionLogs. Errors: as of GetSession.
func (s *Service) Decisions(ctx context.Context, t Tenant, ref Ref) (*wire.Decisions, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &wire.Decisions{
		Usage: *s.usageOf(found, View{}), Entities: s.verdicts(found), Decisions: decisionsOf(s.decisions(found.Key)),
	}, nil
}

// verdicts are what the block that Block returns by default does with each entity. Of a
// block without a budget it has the newest alone.
func (s *Service) verdicts(found *session.Session) []wire.EntityVerdict {
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
	all := make([]wire.EntityVerdict, len(entities))
	for i := range entities {
		e, verdict := &entities[i], prompt.VerdictTooOld
		if i < considered {
			verdict = verdicts[i]
		}
		all[i] = wire.EntityVerdict{
			Type: e.Type, ID: e.ID, Label: e.Label(), Verdict: string(verdict),
			Tool: e.Tool, Path: e.Path, Uses: e.Uses, Timestamp: e.Timestamp.UTC(),
		}
	}
	return all
}

// decisionsOf are the newest decisions of a log, newest last. nil is an empty log.
func decisionsOf(log *middleware.DecisionLog) []wire.Decision {
	newest := []wire.Decision{}
	if log == nil {
		return newest
	}
	for d := range log.All() {
		if len(newest) == 2*maxDecisions {
			newest = append(newest[:0], newest[maxDecisions:]...)
		}
		newest = append(newest, decisionOut(d))
	}
	return newest[max(0, len(newest)-maxDecisions):]
}

func decisionOut(d middleware.Decision) wire.Decision {
	why := d.Reason
	switch {
	case d.Path != "":
		why = "at " + d.Path
	case d.ByID != "":
		why = "by " + d.ByType + " " + d.ByID
	}
	return wire.Decision{Time: d.Time, ID: d.ID, Type: d.Type, What: string(d.Kind), Tool: d.Tool, Why: why}
}
