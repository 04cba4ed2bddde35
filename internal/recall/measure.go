package recall

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/ngrams"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Report holds the figures of one search mode.
type Report struct {
	Mode string `json:"mode"`
	Figures
	// Forms are the figures of the questions of each form.
	Forms map[string]Figures `json:"forms"`
	// Misses are the questions with an answer that was not found.
	Misses []Miss `json:"misses,omitempty"`
}

// Miss is a question with an answer that was not among the first hits.
type Miss struct {
	Text    string   `json:"text"`
	Form    string   `json:"form"`
	Answers []string `json:"answers"`
	Hits    []string `json:"hits"`
}

// Modes are the measured search modes, in this order. The first searches for nothing
// and finds the newest memories in the scope that pass the filter.
var Modes = []struct {
	Name string
	Mode longterm.SearchMode
}{
	{"newest", longterm.ModeList},
	{"keyword", longterm.ModeKeyword}, {"vector", longterm.ModeSemantic}, {"hybrid", longterm.ModeHybrid},
}

// Measure puts the memories into an empty index and asks all questions in each of the
// Modes, with the defaults of longterm.Query. The result is deterministic.
func (s *Set) Measure(ctx context.Context, index driver.Index) (reports []Report, err error) {
	memory, err := longterm.New(index, &longterm.Options{Embedder: &ngrams.Embedder{}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, memory.Close(ctx)) }()
	// Near-duplicates must stay separate: they are there to be confused.
	if _, err := memory.Put(ctx, longterm.Everyone(), s.Memories, &longterm.PutOptions{NoMerge: true}); err != nil {
		return nil, err
	}
	for _, mode := range Modes {
		report, err := s.measure(ctx, memory, mode.Mode)
		if err != nil {
			return nil, fmt.Errorf("recall: %s: %w", mode.Name, err)
		}
		report.Mode = mode.Name
		reports = append(reports, report)
	}
	return reports, nil
}

func (s *Set) measure(ctx context.Context, memory *longterm.Memory, mode longterm.SearchMode) (Report, error) {
	report := Report{Forms: map[string]Figures{}}
	var all sums
	forms := map[string]*sums{}
	for _, q := range s.Queries {
		search := longterm.Query{Text: q.Text, Filter: q.Filter, Mode: mode, Limit: Depth, NoTouch: true}
		if mode == longterm.ModeList {
			search.Text = ""
		}
		found, err := memory.Search(ctx, q.Scope, search)
		if err != nil {
			return report, err
		}
		hits := make([]string, len(found.Hits))
		for i := range found.Hits {
			hits[i] = found.Hits[i].Record.ID
		}
		recall, reciprocal := Score(hits, q.Answers)
		if forms[q.Form] == nil {
			forms[q.Form] = new(sums)
		}
		all.add(recall, reciprocal)
		forms[q.Form].add(recall, reciprocal)
		if recall < 1 {
			report.Misses = append(report.Misses, Miss{Text: q.Text, Form: q.Form, Answers: q.Answers, Hits: hits})
		}
	}
	report.Figures = all.figures()
	for form, sum := range forms {
		report.Forms[form] = sum.figures()
	}
	return report, nil
}
