package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/recall"
)

// datasetReport holds the measurements of a dataset.
type datasetReport struct {
	Name          string          `json:"name"`
	Conversations int             `json:"conversations"`
	Records       int             `json:"records"`
	Questions     int             `json:"questions"`
	Searches      []recall.Report `json:"searches"`
	Notes         []recall.Notes  `json:"notes"`
}

func measureDataset(ctx context.Context, path string) (report *datasetReport, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	set, err := recall.ReadDataset(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	report = &datasetReport{Name: set.Name, Conversations: len(set.Conversations)}
	for _, c := range set.Conversations {
		report.Records += len(c.Records)
	}
	if report.Searches, err = set.Measure(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	report.Questions = report.Searches[0].Questions
	if report.Notes, err = set.MeasureNotes(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}

func (r *datasetReport) about() string {
	return fmt.Sprintf("%s: %d conversations, %d records, %d questions", r.Name, r.Conversations, r.Records, r.Questions)
}

func (r *datasetReport) searches(each func(name string, r *recall.Report)) {
	for i := range r.Searches {
		each(r.Searches[i].Search, &r.Searches[i])
	}
}

// categories returns the categories of questions, sorted.
func (r *datasetReport) categories() []string {
	return slices.Sorted(maps.Keys(r.Searches[0].Categories))
}

func (r *datasetReport) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.about())
	writeSearches(&b, r.searches, func(r *recall.Report) recall.Figures { return r.Figures })
	for _, category := range r.categories() {
		fmt.Fprintf(&b, "\n%s: %d questions\n\n", category, r.Searches[0].Categories[category].Questions)
		writeSearches(&b, r.searches, func(r *recall.Report) recall.Figures { return r.Categories[category] })
	}
	fmt.Fprintf(&b, "\nnotes in a block; %d questions that nothing answers\n\n", r.Notes[0].Unanswerable)
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%s\t  a note needs\n", strings.Join(noteNames, "\t"))
	for i := range r.Notes {
		fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(noteFigures(&r.Notes[i]), "\t"), r.Notes[i].Rule)
	}
	tab.Flush() // into memory: cannot fail
	writeNotFound(&b, r.searches)
	return b.Bytes()
}

// noteNames are the column names of noteFigures.
var noteNames = []string{"recall", "notes", "misled"}

func noteFigures(n *recall.Notes) []string {
	return []string{fmt.Sprintf("%.3f", n.Recall), fmt.Sprintf("%.2f", n.PerQuestion), fmt.Sprintf("%.3f", n.Misled)}
}

// tables returns the tables for Markdown by name: of all searches, with the recall@5 and recall@10 of
// each category, and of notes.
func (r *datasetReport) tables() map[string]string {
	var searches, notes strings.Builder
	fmt.Fprintf(&searches, "\n%s\n\n", r.about())
	columns := slices.Clone(recallNames)
	for _, category := range r.categories() {
		columns = append(columns, category+" ("+strconv.Itoa(r.Searches[0].Categories[category].Questions)+")")
	}
	writeHeader(&searches, "search", columns)
	r.searches(func(name string, report *recall.Report) {
		row := searchFigures(report.Figures)
		for _, category := range r.categories() {
			f := searchFigures(report.Categories[category])
			row = append(row, f[0]+" / "+f[1])
		}
		writeRow(&searches, name, row)
	})
	notes.WriteByte('\n')
	writeHeader(&notes, "a note needs", noteNames)
	for i := range r.Notes {
		writeRow(&notes, r.Notes[i].Rule, noteFigures(&r.Notes[i]))
	}
	return map[string]string{r.Name: searches.String() + "\n", r.Name + " notes": notes.String() + "\n"}
}
