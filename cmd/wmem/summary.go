package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// summaryBudgets are the default budgets of a summary.
var summaryBudgets = [...]int{256, 128}

// summaryNames are the column names of a summary.
var summaryNames = [...]string{"references", "floor", "coverage", "typed", "described", "distinct", "mean tokens"}

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
		add(6, "%.1f", m.MeanTokens, 1)
	}
	row := make([]string, len(columns))
	for i, values := range columns {
		if len(values) > 0 {
			row[i] = values[0]
		}
		if len(values) > 1 {
			row[i] += " (" + strings.Join(values[1:], ", ") + ")"
		}
	}
	row[0] = strconv.Itoa(references)
	return row
}

// writeSummary writes a row for each file.
func writeSummary(w io.Writer, reports []fileReport) error {
	fmt.Fprintf(w, "%d sets; tokens of %s\n\n", len(reports), reports[0].Encoding)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%s\t  traces\n", strings.Join(summaryNames[:], "\t"))
	for i := range reports {
		fmt.Fprintf(tab, "%s\t  %s\n", strings.Join(summaryRow(&reports[i]), "\t"), printable(reports[i].Traces))
	}
	fmt.Fprintln(tab)
	if text := summaryAdvice(reports); text != "" {
		fmt.Fprintf(tab, "%s\n\n", text)
	}
	return tab.Flush()
}

// summaryTable returns the summary in Markdown.
func summaryTable(reports []fileReport) string {
	var b strings.Builder
	b.WriteByte('\n')
	writeHeader(&b, "traces", summaryNames[:])
	for i := range reports {
		writeRow(&b, "`"+printable(reports[i].Traces)+"`", summaryRow(&reports[i]))
	}
	return b.String() + "\n"
}
