package evaluation

import (
	"context"
	"math"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Trace is an episode that was replayed: what each step did to memory, and what it needed.
type Trace struct {
	Report
	// Steps are those of the episode.
	Steps []TracedStep
}

// TracedStep is a step of a Trace.
type TracedStep struct {
	// Needed are the references of a tool call, sorted by argument and value.
	Needed []Need
	// Decisions are those that the step caused, also on what the block shows.
	Decisions []middleware.Decision
	// Block is the block after the step.
	Block string
	// Entities are those after the step.
	Entities *memory.WorkingContext
}

// Need is a Reference with what the block before its call showed.
type Need struct {
	// Key is the name of the argument, Value the identifier.
	Key, Value string
	// Miss is the reason for a miss, or "", and Why the full explanation.
	Miss MissKind
	Why  string
	// Source is the index of the step whose result had the identifier first, or -1.
	Source int
}

// NewTrace replays an episode with working memory. misses is Comparison.Misses.
func NewTrace(ctx context.Context, ep *Episode, s Settings, misses int) (*Trace, error) {
	counter := s.Counter
	if counter == nil {
		counter = prompt.Estimator{}
	}
	log := middleware.NewDecisionLog(&middleware.DecisionLogOptions{Capacity: math.MaxInt})
	method := WorkingMemory(s)
	method.New = func() Memory { return newWorking(s, s.extractor(), log) }
	r := &retracing{contestant: newContestant(method, &Comparison{Misses: misses}, counter), log: log, tracker: newTracker(), episode: ep}
	r.contestant.begin(usesOf(ep))
	t := &Trace{Steps: make([]TracedStep, len(ep.Steps))}
	for i := range ep.Steps {
		if err := r.step(ctx, i, &t.Steps[i]); err != nil {
			return nil, err
		}
	}
	t.Report = r.contestant.report()
	return t, nil
}

// retracing is the replay of a Trace.
type retracing struct {
	contestant *contestant
	log        *middleware.DecisionLog
	tracker    *tracker
	episode    *Episode
	decisions  int // that belong to earlier steps
}

func (r *retracing) step(ctx context.Context, index int, t *TracedStep) error {
	step := &r.episode.Steps[index]
	var refs []Reference
	if step.Kind == KindTool {
		refs = r.tracker.needed(step)
		t.Needed = r.needs(index, refs)
	}
	if err := r.contestant.step(ctx, r.episode, index, refs); err != nil {
		return err
	}
	r.tracker.learn(step)
	recorder := r.contestant.memory.(*working).recorder
	t.Block, t.Entities = recorder.Block(), recorder.Context().Branch()
	seen := 0
	for d := range r.log.All() {
		if seen++; seen > r.decisions {
			t.Decisions = append(t.Decisions, d)
		}
	}
	r.decisions = seen
	return nil
}

// needs returns the references of a call with what the block shows of them.
func (r *retracing) needs(index int, refs []Reference) []Need {
	c := r.contestant
	block := c.memory.Block()
	c.meter.read(block, handlesIn(c.memory, block))
	needs := make([]Need, 0, len(refs))
	for i := range refs {
		ref := &refs[i]
		if ref.again {
			continue
		}
		kind, why := c.explain(ref, c.meter.view.outcomeOf(ref))
		needs = append(needs, Need{Key: ref.Key, Value: ref.Value, Miss: kind, Why: why, Source: sourceOf(r.episode, ref.Value, index)})
	}
	return needs
}

// sourceOf returns the index of the first step before another whose result has an identifier, or -1.
func sourceOf(ep *Episode, id string, before int) int {
	for i := range before {
		if s := &ep.Steps[i]; s.Kind == KindTool && mentions(s.ResultText(), id) {
			return i
		}
	}
	return -1
}
