package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/recall"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

type recallFlags struct {
	markdown, dataset string
	json, misses      bool
}

func newRecall() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall",
		Short: "Measure on labelled questions how well long-term memory is searched",
		Long: `Recall measures search in long-term memory by keywords, by vectors and by both, on
an embedded labelled set, in the process and in an SQLite file. The vectors are
those of the word vectors that ship with this program.
  recall@5  share of a question's answers that are among the first 5 hits; 10
            and 20 likewise
  MRR       1 divided by the rank of the first answer, 0 if it is not among the
            first 20 hits
Both are means over the questions.

With --dataset, it measures the conversations of a file instead, compares with
textbook BM25, with the full-text search of SQLite and with the newest records,
and counts what longterm.Memory.Recall brings into a block. The file is JSON:

  {"name": "…", "conversations": [{"id": "…",
    "records": [{"id": "…", "text": "…", "session": "…",
                 "date": "2023-05-08T13:56:00Z", "covers": ["…"]}],
    "questions": [{"text": "…", "category": "…", "evidence": ["…"]}]}]}

A record covers pieces of evidence, by default its own id: then it is a message of
its session, otherwise a note. Questions of the category "adversarial" and those
without evidence are not asked.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("recall takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.BoolVar(&f.misses, "misses", false, "list the questions with an answer that was not among the first 5 hits")
	flags.StringVar(&f.dataset, "dataset", "", "measure the conversations of `FILE`")
	flags.StringVar(&f.markdown, "markdown", "", "write the tables to `FILE`, a Markdown file, between their marks")
	return cmd
}

// measured is a report that can be printed.
type measured interface {
	text() []byte
	tables() map[string]string
	searches(each func(name string, r *recall.Report))
}

func (f *recallFlags) run(cmd *cobra.Command) error {
	measure := func(ctx context.Context) (measured, error) { return measureRecall(ctx) }
	if f.dataset != "" {
		measure = func(ctx context.Context) (measured, error) { return measureDataset(ctx, f.dataset) }
	}
	report, err := measure(cmd.Context())
	if err != nil {
		return err
	}
	if !f.misses {
		report.searches(func(_ string, r *recall.Report) { r.Misses = nil })
	}
	if f.markdown != "" {
		if err := fillMarkdown(f.markdown, report.tables()); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if f.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(report)
	}
	_, err = out.Write(report.text())
	return err
}

// recallReport holds the measurements of the embedded set in all indexes.
type recallReport struct {
	Memories  int           `json:"memories"`
	Questions int           `json:"questions"`
	Indexes   []indexReport `json:"indexes"`
}

type indexReport struct {
	Index string          `json:"index"`
	Modes []recall.Report `json:"modes"`
}

func measureRecall(ctx context.Context) (*recallReport, error) {
	set, err := recall.Load()
	if err != nil {
		return nil, err
	}
	report := &recallReport{Memories: len(set.Memories), Questions: len(set.Queries)}
	for _, index := range []struct {
		name    string
		measure func() ([]recall.Report, error)
	}{
		{"in the process", func() ([]recall.Report, error) { return set.Measure(ctx, memindex.New(nil)) }},
		{"SQLite", func() ([]recall.Report, error) { return measureFile(ctx, set) }},
	} {
		modes, err := index.measure()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", index.name, err)
		}
		report.Indexes = append(report.Indexes, indexReport{Index: index.name, Modes: modes})
	}
	return report, nil
}

// measureFile measures an index in a temporary file.
func measureFile(ctx context.Context, set *recall.Set) (reports []recall.Report, err error) {
	dir, err := os.MkdirTemp("", "wmem")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := sqlitestore.Open(ctx, filepath.Join(dir, "memories.db"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return set.Measure(ctx, store.Index())
}

// about describes the size of the set.
func (r *recallReport) about() string {
	return fmt.Sprintf("%d memories, %d questions", r.Memories, r.Questions)
}

// searches calls each with every index and mode.
func (r *recallReport) searches(each func(name string, r *recall.Report)) {
	for i := range r.Indexes {
		for j := range r.Indexes[i].Modes {
			mode := &r.Indexes[i].Modes[j]
			each(r.Indexes[i].Index+", "+mode.Search, mode)
		}
	}
}

// recallNames are the column names of searchFigures.
var recallNames = []string{"recall@5", "recall@10", "recall@20", "MRR"}

func searchFigures(f recall.Figures) (texts []string) {
	for _, x := range []float64{f.Recall5, f.Recall10, f.Recall20, f.MRR} {
		texts = append(texts, fmt.Sprintf("%.3f", x))
	}
	return texts
}

func (r *recallReport) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.about())
	writeSearches(&b, r.searches, func(r *recall.Report) recall.Figures { return r.Figures })
	writeNotFound(&b, r.searches)
	return b.Bytes()
}

// writeSearches writes a table of the figures of searches.
func writeSearches(b *bytes.Buffer, searches func(each func(name string, r *recall.Report)), figures func(r *recall.Report) recall.Figures) {
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%s\t  search\n", strings.Join(recallNames, "\t"))
	searches(func(name string, r *recall.Report) {
		fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(searchFigures(figures(r)), "\t"), name)
	})
	tab.Flush() // into memory: cannot fail
}

func writeNotFound(b *bytes.Buffer, searches func(each func(name string, r *recall.Report))) {
	searches(func(name string, r *recall.Report) {
		if len(r.Misses) > 0 {
			fmt.Fprintf(b, "\nnot found: %s\n", name)
		}
		for _, miss := range r.Misses {
			fmt.Fprintf(b, "  %s: %q: %s; found: %s\n", miss.Category, miss.Text, strings.Join(miss.Answers, " "), strings.Join(miss.Hits, " "))
		}
	})
}

// tables returns the tables for Markdown by name: one of all searches, and one of the
// forms of questions in the in-process index.
func (r *recallReport) tables() map[string]string {
	var searches, forms strings.Builder
	fmt.Fprintf(&searches, "\n%s\n\n", r.about())
	writeHeader(&searches, "search", recallNames)
	r.searches(func(name string, mode *recall.Report) { writeRow(&searches, name, searchFigures(mode.Figures)) })

	modes := r.Indexes[0].Modes
	columns := []string{"questions"}
	for i := range modes {
		columns = append(columns, modes[i].Search)
	}
	forms.WriteByte('\n')
	writeHeader(&forms, "form", columns)
	for _, form := range recall.Forms {
		row := []string{strconv.Itoa(modes[0].Categories[form].Questions)}
		for i := range modes {
			row = append(row, searchFigures(modes[i].Categories[form])[0])
		}
		writeRow(&forms, form, row)
	}
	return map[string]string{"search": searches.String() + "\n", "search forms": forms.String() + "\n"}
}
