package main

import (
	"fmt"
	"io"
	"slices"
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
	columns[0] = []string{strconv.Itoa(r.own().References)}
	for i := range r.Methods {
		if r.Methods[i].Family == evaluation.FamilyFloor {
			continue
		}
		figures := figuresOf(&r.Methods[i])
		for c, name := range summaryNames[1:] {
			columns[c+1] = append(columns[c+1], figures[slices.Index(figureNames[:], name)])
		}
	}
	row := make([]string, len(columns))
	for i, values := range columns {
		row[i] = firstAndOthers(values)
	}
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
