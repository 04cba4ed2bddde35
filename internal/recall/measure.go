package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
)

// Figures are means over questions.
type Figures struct {
	Questions int `json:"questions"`
	// These are the share of a question's answers that are among the first 5, 10 and 20 hits.
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	Recall20 float64 `json:"recall@20"`
	// MRR is 1 divided by the rank of the first answer, or 0 if none is among the first 20 hits.
	MRR float64 `json:"mrr"`
}

// depth is the number of hits that are looked at.
const depth = 20

// add adds the figures of a question to sums. covers returns the answers that a hit holds.
func (f *Figures) add(hits, answers []string, covers func(id string) []string) {
	f.Questions++
	found := map[string]bool{}
	for i, id := range hits[:min(depth, len(hits))] {
		for _, answer := range covers(id) {
			if found[answer] || !slices.Contains(answers, answer) {
				continue
			}
			if len(found) == 0 {
				f.MRR += 1 / float64(i+1)
			}
			found[answer] = true
			share := 1 / float64(len(answers))
			f.Recall20 += share
			if i < 10 {
				f.Recall10 += share
			}
			if i < 5 {
				f.Recall5 += share
			}
		}
	}
}

// mean returns the means of sums.
func (f Figures) mean() Figures {
	n := float64(max(f.Questions, 1))
	return Figures{Questions: f.Questions, Recall5: f.Recall5 / n, Recall10: f.Recall10 / n, Recall20: f.Recall20 / n, MRR: f.MRR / n}
}

// Report holds the figures of one search.
type Report struct {
	Search string `json:"search"`
	Figures
	// Categories are the figures of the questions of each category.
	Categories map[string]Figures `json:"categories"`
	// Misses are the questions with an answer that was not among the first 5 hits.
	Misses []Miss `json:"misses,omitempty"`
}

// Miss is a question with an answer that was not among the first 5 hits.
type Miss struct {
	Text     string   `json:"text"`
	Category string   `json:"category"`
	Answers  []string `json:"answers"`
	Hits     []string `json:"hits"`
}

// reporter sums up the questions of one search.
type reporter struct {
	report     Report
	all        Figures
	categories map[string]*Figures
}

func newReporter(search string) *reporter {
	return &reporter{report: Report{Search: search}, categories: map[string]*Figures{}}
}

func (r *reporter) add(text, category string, hits, answers []string, covers func(id string) []string) {
	if r.categories[category] == nil {
		r.categories[category] = &Figures{}
	}
	before := r.all.Recall5
	r.all.add(hits, answers, covers)
	r.categories[category].add(hits, answers, covers)
	if r.all.Recall5-before < 1-1e-9 {
		r.report.Misses = append(r.report.Misses, Miss{Text: text, Category: category, Answers: answers, Hits: slices.Clone(hits[:min(5, len(hits))])})
	}
}

func (r *reporter) done() Report {
	r.report.Figures, r.report.Categories = r.all.mean(), map[string]Figures{}
	for category, sums := range r.categories {
		r.report.Categories[category] = sums.mean()
	}
	return r.report
}

// modes are the measured searches of a Memory, in this order. The first asks nothing and finds
// the newest memories in the scope that pass the filter.
var modes = []struct {
	name string
	mode longterm.SearchMode
}{
	{"newest", longterm.ModeList},
	{"keyword", longterm.ModeKeyword}, {"vector", longterm.ModeSemantic}, {"hybrid", longterm.ModeHybrid},
}

// ask returns the ids of the first hits.
func ask(ctx context.Context, memory *longterm.Memory, scope longterm.Scope, q longterm.Query) ([]string, error) {
	q.Limit, q.NoTouch = depth, true
	if q.Mode == longterm.ModeList {
		q.Text = ""
	}
	found, err := memory.Search(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found.Hits))
	for i := range found.Hits {
		ids[i] = found.Hits[i].Record.ID
	}
	return ids, nil
}

// remember returns a Memory with records on an empty index, and the embedder that ships with this
// module. Near-duplicates stay separate: they are there to be confused.
func remember(ctx context.Context, index driver.Index, records []longterm.Record) (*longterm.Memory, error) {
	memory, err := longterm.New(index, &longterm.Options{Embedder: wordvectors.New()})
	if err != nil {
		return nil, err
	}
	if _, err := memory.Put(ctx, longterm.Everyone(), records, &longterm.PutOptions{NoMerge: true}); err != nil {
		return nil, errors.Join(err, memory.Close(ctx))
	}
	return memory, nil
}

// Measure puts the memories into an empty index and asks all questions in each mode, with the
// defaults of longterm.Query. The result is deterministic.
func (s *Set) Measure(ctx context.Context, index driver.Index) (reports []Report, err error) {
	memory, err := remember(ctx, index, s.Memories)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, memory.Close(ctx)) }()
	for _, mode := range modes {
		r := newReporter(mode.name)
		for _, q := range s.Queries {
			hits, err := ask(ctx, memory, q.Scope, longterm.Query{Text: q.Text, Filter: q.Filter, Mode: mode.mode})
			if err != nil {
				return nil, fmt.Errorf("recall: %s: %w", mode.name, err)
			}
			r.add(q.Text, q.Form, hits, q.Answers, itself)
		}
		reports = append(reports, r.done())
	}
	return reports, nil
}

// itself is what a memory covers that is an answer by itself.
func itself(id string) []string { return []string{id} }
