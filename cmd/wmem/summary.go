package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// summaryBudgets are the default budgets of a summary, handleBudgets those with handles, and
// resultBudgets those with stored results.
var (
	summaryBudgets = []int{256, 128}
	handleBudgets  = []int{64, 128, 256}
	resultBudgets  = []int{256}
)

// summaryTable is a table with a row for each file.
type summaryTable struct {
	name    string // between marks, in front of the encoding
	columns []string
	row     func(r *fileReport) []string
}

// summaries returns the tables of a summary.
func (f *evalFlags) summaries(reports []fileReport) []summaryTable {
	table := summaryTable{name: "summary", columns: summaryNames[:], row: summaryRow}
	switch {
	case len(f.offload) > 0:
		table = resultsTable(f.offload)
	case f.handles.Options != nil:
		table = handlesTable(f.budgets)
	}
	if !f.prefix {
		return []summaryTable{table}
	}
	return []summaryTable{table, placementTable(f.handles.Options != nil, reports[0].own().Prefix)}
}

// summaryNames are the column names of a summary.
var summaryNames = [...]string{"references", "floor", "coverage", "typed", "described", "distinct", "named", "mean tokens"}

// summaryRow returns a file's figures at the first budget, with those at the others
// in brackets.
func summaryRow(r *fileReport) []string {
	columns := make([][]string, len(summaryNames))
	var references int
	add := func(column int, format string, x float64, count int) {
		text := "-"
		if count > 0 {
			text = fmt.Sprintf(format, x)
		}
		columns[column] = append(columns[column], text)
	}
	for i := range r.Methods {
		m := &r.Methods[i]
		references = m.References
		if m.Family == evaluation.FamilyFloor {
			continue
		}
		if m.Floor != nil {
			add(1, "%.3f", *m.Floor, m.References)
		}
		add(2, "%.3f", m.Coverage, m.References)
		add(3, "%.3f", m.Typed, m.References)
		add(4, "%.3f", m.Described, m.Describable/evaluation.FewReferences)
		add(5, "%.3f", m.Distinct, m.AmongSeveral/evaluation.FewReferences)
		add(6, "%.3f", m.Named, m.Nameable/evaluation.FewReferences)
		add(7, "%.1f", m.MeanTokens, 1)
	}
	row := make([]string, len(columns))
	for i, values := range columns {
		row[i] = firstAndOthers(values)
	}
	row[0] = strconv.Itoa(references)
	return row
}

// firstAndOthers returns the first value, with the others in brackets.
func firstAndOthers(values []string) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return values[0]
	}
	return values[0] + " (" + strings.Join(values[1:], ", ") + ")"
}

// writeSummary writes the tables of a summary.
func (f *evalFlags) writeSummary(w io.Writer, reports []fileReport) error {
	fmt.Fprintf(w, "%d sets; tokens of %s\n\n", len(reports), reports[0].Encoding)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range f.summaries(reports) {
		fmt.Fprintf(tab, "%s\t  traces\n", strings.Join(t.columns, "\t"))
		for i := range reports {
			fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(t.row(&reports[i]), "\t"), printable(reports[i].Traces))
		}
		fmt.Fprintln(tab)
	}
	if text := summaryAdvice(reports); text != "" {
		fmt.Fprintf(tab, "%s\n\n", text)
	}
	return tab.Flush()
}

// markdownSummaries returns the tables of a summary in Markdown by name.
func (f *evalFlags) markdownSummaries(reports []fileReport) map[string]string {
	all := make(map[string]string)
	for _, t := range f.summaries(reports) {
		var b strings.Builder
		b.WriteByte('\n')
		writeHeader(&b, "traces", t.columns)
		for i := range reports {
			writeRow(&b, "`"+printable(reports[i].Traces)+"`", t.row(&reports[i]))
		}
		all[t.name+" "+f.encoding] = b.String() + "\n"
	}
	return all
}
