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

// cells returns the names of the columns and the rows.
func (t *summaryTable) cells(reports []fileReport) (columns []string, rows [][]string) {
	for i := range reports {
		rows = append(rows, t.row(&reports[i]))
	}
	return withoutEmpty(t.columns, rows)
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
var summaryNames = [...]string{"references", "floor", "coverage", "typed", "typed first", "described", "distinct", "named", "shell", "shell floor", "tables", "mean tokens"}

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
		columns, rows := t.cells(reports)
		fmt.Fprintf(tab, "%s\t  traces\n", strings.Join(columns, "\t"))
		for i, row := range rows {
			fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(row, "\t"), printable(reports[i].Traces))
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
		columns, rows := t.cells(reports)
		writeHeader(&b, "traces", columns)
		for i, row := range rows {
			writeRow(&b, "`"+printable(reports[i].Traces)+"`", row)
		}
		all[t.name+" "+f.encoding] = b.String() + "\n"
	}
	return all
}
