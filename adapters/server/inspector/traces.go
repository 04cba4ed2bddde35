package inspector

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Recording is a file of recorded episodes.
type Recording struct {
	// Name is shown, such as the base name of the file.
	Name     string
	Episodes []*evaluation.Episode
}

// traces is the source of recorded episodes.
type traces struct {
	recordings []Recording
	figures    recent[int, []evaluation.Report] // by budget, of all episodes in order
	opened     recent[opened, *evaluation.Trace]
}

// opened names a replay of an episode.
type opened struct{ file, n, budget int }

// maxMisses is the number of misses of an episode that are listed for each cause.
const maxMisses = 1000

func newTraces(recordings []Recording) *traces {
	return &traces{
		recordings: recordings,
		figures:    recent[int, []evaluation.Report]{limit: 8}, opened: recent[opened, *evaluation.Trace]{limit: 16},
	}
}

// trace replays an episode, unless it was replayed recently.
func (t *traces) trace(ctx context.Context, key opened) (*evaluation.Trace, error) {
	return t.opened.get(key, func() (*evaluation.Trace, error) {
		return evaluation.NewTrace(ctx, t.recordings[key.file].Episodes[key.n], evaluation.Settings{Budget: key.budget}, maxMisses)
	})
}

// reports returns the figures of all episodes at a budget.
func (t *traces) reports(ctx context.Context, budget int) ([]evaluation.Report, error) {
	return t.figures.get(budget, func() (all []evaluation.Report, err error) {
		compared := evaluation.Comparison{
			Methods: []evaluation.Method{evaluation.WorkingMemory(evaluation.Settings{Budget: budget})},
			Counter: prompt.Estimator{}, Misses: maxMisses,
		}
		for _, r := range t.recordings {
			for _, ep := range r.Episodes {
				one, err := compared.Run(ctx, func(yield func(*evaluation.Episode, error) bool) { yield(ep, nil) })
				if err != nil {
					return nil, err
				}
				all = append(all, one[0])
			}
		}
		return all, nil
	})
}

// open implements source.
func (t *traces) open(ctx context.Context, _ auth.Tenant, query url.Values) (run, error) {
	file, err := strconv.Atoi(query.Get("file"))
	n, errN := strconv.Atoi(query.Get("n"))
	if err != nil || errN != nil || file < 0 || file >= len(t.recordings) || n < 0 || n >= len(t.recordings[file].Episodes) {
		return nil, errNotFound
	}
	key := opened{file, n, budgetOf(query)}
	found, err := t.trace(ctx, key)
	if err != nil {
		return nil, err
	}
	r := &traceRun{traces: t, key: key, trace: found, episode: t.recordings[file].Episodes[n]}
	for i := range r.episode.Steps {
		r.all = append(r.all, r.stepAt(i))
	}
	return r, nil
}

// queryOfEpisode returns the query that names an episode.
func queryOfEpisode(file, n int) url.Values {
	return url.Values{"file": {strconv.Itoa(file)}, "n": {strconv.Itoa(n)}}
}

// traceRun is a replayed episode.
type traceRun struct {
	*traces
	key     opened
	trace   *evaluation.Trace
	episode *evaluation.Episode
	all     []step
}

func (r *traceRun) stepAt(i int) step {
	from, did := &r.episode.Steps[i], &r.trace.Steps[i]
	s := step{kind: from.Kind, text: from.Text, tokens: prompt.Estimator{}.CountTokens(from.Text), known: true}
	if from.Kind != evaluation.KindTool {
		return s
	}
	s.kind, s.tool, s.needs = kindCall, from.Tool, did.Needed
	s.tokens = (len(from.Args) + len(from.Result) + 3) / bytesPerToken
	s.count(did.Decisions)
	return s
}

// about implements run.
func (r *traceRun) about() about {
	f := &r.trace.Figures
	return about{
		title: r.episode.ID.Text, query: queryOfEpisode(r.key.file, r.key.n),
		facts: []fact{
			{"file", r.recordings[r.key.file].Name}, {"calls", fmt.Sprint(f.ToolCalls)}, {"references", fmt.Sprint(f.References)},
			{"coverage", percent(f.Coverage, f.References)}, {"typed", percent(f.Typed, f.References)},
			{"described", percent(f.Described, f.Describable)}, {"distinct", percent(f.Distinct, f.AmongSeveral)},
			{"tokens", fmt.Sprintf("%.0f on average, %d at most", f.MeanTokens, f.LargestTokens)},
		},
	}
}

// percent formats a share of a number of references.
func percent(share float64, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// steps implements run.
func (r *traceRun) steps() []step { return r.all }

// block implements run.
func (r *traceRun) block(ctx context.Context, n, budget int) (*block, error) {
	trace, err := r.trace, error(nil)
	if budget != r.key.budget {
		trace, err = r.traces.trace(ctx, opened{r.key.file, r.key.n, budget})
	}
	if err != nil {
		return nil, err
	}
	b := &block{budget: budget, limit: limitOf(0)}
	if n < 0 {
		return b, nil
	}
	at := &trace.Steps[n]
	b.text, b.tokens = at.Block, prompt.Estimator{}.CountTokens(at.Block)
	verdicts := verdictsAt(trace, n)
	for i, entities := range [...][]memory.Entity{at.Entities.Recent(at.Entities.Len()), at.Entities.Candidates(at.Entities.CandidateCapacity())} {
		for e := range entities {
			j := judgedOf(&entities[e], verdicts[memory.Ref{Type: entities[e].Type, ID: entities[e].ID}])
			j.candidate = i == 1
			b.entities = append(b.entities, j)
		}
	}
	return b, nil
}

// verdictsAt returns the verdicts of the block after a step.
func verdictsAt(t *evaluation.Trace, n int) map[memory.Ref]prompt.Verdict {
	verdicts := map[memory.Ref]prompt.Verdict{}
	for i := range n + 1 {
		for _, d := range t.Steps[i].Decisions {
			switch d.Kind {
			case middleware.DecisionShown:
				verdicts[memory.Ref{Type: d.Type, ID: d.ID}] = prompt.VerdictShown
			case middleware.DecisionHidden:
				verdicts[memory.Ref{Type: d.Type, ID: d.ID}] = prompt.Verdict(d.Reason)
			}
		}
	}
	return verdicts
}

// texts implements run.
func (r *traceRun) texts(ctx context.Context, n int) (texts, error) {
	s := &r.episode.Steps[n]
	if s.Kind != evaluation.KindTool {
		return texts{}, errNotFound
	}
	var t texts
	t.arguments, t.result = beginningOf(string(s.Args)), beginningOf(s.ResultText())
	settings := evaluation.Settings{Budget: r.key.budget}
	t.judgements = judge(ctx, extractor.Default(settings.Limits()), s.Tool, "", &t)
	return t, nil
}

// beginningOf returns the beginning of a text, as a journal keeps it.
func beginningOf(whole string) text {
	t := text{size: len(whole), text: redacted(whole[:min(len(whole), middleware.DefaultJournalText)])}
	t.text = strings.ToValidUTF8(t.text, "\uFFFD")
	return t
}

// idOf implements run.
func (r *traceRun) idOf(handle string) string { return handle }

// story implements run.
func (r *traceRun) story(ctx context.Context, id string, budget int) ([]event, error) {
	found, err := evaluation.Why(ctx, r.episode, evaluation.Settings{Budget: budget}, id)
	events := make([]event, len(found))
	for i, e := range found {
		events[i] = event{step: e.Step, what: e.What, typ: e.Type, kind: string(e.Kind)}
		if e.InBlock() {
			events[i].what = "in the block before this call: " + e.What
		}
	}
	return events, err
}

// more implements run.
func (r *traceRun) more(context.Context) []part {
	var items []part
	for i := range r.all {
		for _, need := range r.all[i].needs {
			if need.Miss != "" {
				items = append(items, missOf(r.about().query, i, need.Value, string(need.Miss), need.Why, need.Source))
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	return []part{section("misses", txtf("Misses of this episode (%d)", len(items)), el("ul", slices.Insert(items, 0, part(class("misses")))...))}
}
