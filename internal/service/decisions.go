package service

import (
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
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
// entity, and the newest decisions about calls: those of the journal, if there is one, or else of
// calls that this process recorded, for the sessions written last. See middleware.Journal and
// middleware.SessionLogs. Errors: as GetSession.
func (s *Service) Decisions(ctx context.Context, t Tenant, ref Ref) (*Decisions, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	decisions, err := s.decisionsOf(ctx, found)
	if err != nil {
		return nil, err
	}
	shown := s.Explain(found.Entities, found.Handles, BlockView{})
	return &Decisions{Usage: *s.usageOf(found, View{}), Entities: shown.Entities, Decisions: decisions}, nil
}

// ExplainedBlock is a block with the verdict on each entity and candidate of a context, newest first.
type ExplainedBlock struct {
	Text   string
	Tokens int
	// Options are those that it was rendered with.
	Options              prompt.Options
	Entities, Candidates []EntityVerdict
}

// Explain renders the block of a context with the handles of its session, which may be nil.
func (s *Service) Explain(wc *memory.WorkingContext, handles *handle.Table, v BlockView) *ExplainedBlock {
	b := &ExplainedBlock{Options: s.BlockOptions()}
	if v.Budget > 0 {
		b.Options.Budget = v.Budget
	}
	entities, candidates := wc.Recent(wc.Len()), wc.Candidates(wc.CandidateCapacity())
	content := prompt.Content{Entities: entities, Candidates: candidates}
	if !v.IDs {
		content = middleware.WithHandles(handles, content)
	}
	renderer := prompt.NewRenderer(&b.Options)
	text, verdicts := renderer.Explain(content)
	b.Text, b.Tokens = text, renderer.CountTokens(text)
	b.Entities = judged(entities, verdicts[:len(content.Entities)], handles)
	b.Candidates = judged(candidates, verdicts[len(content.Entities):], handles)
	return b
}

// judged returns entities with their verdicts. Those behind the last verdict were not considered.
func judged(entities []memory.Entity, verdicts []prompt.Verdict, handles *handle.Table) []EntityVerdict {
	all := make([]EntityVerdict, len(entities))
	for i := range entities {
		all[i] = EntityVerdict{Entity: entities[i], Verdict: prompt.VerdictTooOld}
		if i < len(verdicts) {
			all[i].Verdict = verdicts[i]
		}
		if shown := handles.Handle(entities[i].ID); shown != entities[i].ID {
			all[i].Handle = shown
		}
	}
	return all
}

// decisionsOf returns the newest decisions about calls in a session, newest last.
func (s *Service) decisionsOf(ctx context.Context, found *session.Session) ([]middleware.Decision, error) {
	newest := []middleware.Decision{}
	if !s.hasJournal() {
		if log := s.decisions(found.Key); log != nil {
			newest = slices.AppendSeq(newest, log.All())
		}
		return newest[max(0, len(newest)-maxDecisions):], nil
	}
	calls, err := s.journal(ctx, found)
	for i := range calls {
		newest = append(newest, calls[i].Decisions...)
	}
	return newest[max(0, len(newest)-maxDecisions):], err
}
