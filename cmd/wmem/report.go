package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/survival"
)

// writeReport writes what was measured on a file as tables.
func writeReport(w io.Writer, r fileReport) error {
	var b bytes.Buffer
	var first survival.Report
	if len(r.Methods) > 0 {
		first = r.Methods[0]
	}
	fmt.Fprintf(&b, "%s: %d episodes, %d tool calls, %d references\n\n", printable(r.Traces), r.Episodes, first.ToolCalls, first.References)
	writeFigures(&b, r.Methods)
	writePrefix(&b, r.Methods)
	for i := range r.Methods {
		writeMisses(&b, &r.Methods[i])
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func writeFigures(b *bytes.Buffer, methods []survival.Report) {
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "typed\tcoverage\tdescribed\tmean tokens\tlargest\t  method")
	for _, m := range methods {
		typed, described := fmt.Sprintf("%.4f", m.Typed), fmt.Sprintf("%.4f", m.Described)
		if m.Text {
			typed, described = "-", "-"
		}
		fmt.Fprintf(tab, "%s\t%.4f\t%s\t%.1f\t%d\t  %s\n", typed, m.Coverage, described, m.MeanTokens, m.LargestTokens, m.Method)
	}
	tab.Flush() // into memory: cannot fail
}

func writePrefix(b *bytes.Buffer, methods []survival.Report) {
	methods = slices.DeleteFunc(slices.Clone(methods), func(m survival.Report) bool { return len(m.Prefix) == 0 })
	if len(methods) == 0 {
		return
	}
	fmt.Fprintf(b, "\nprefix reuse by placement of the block (and share of that without a block), %d model calls\n", methods[0].Prefix[0].Calls)
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, p := range methods[0].Prefix {
		fmt.Fprintf(tab, "%s\t", p.Placement)
	}
	fmt.Fprintln(tab, "  method")
	for _, m := range methods {
		for _, p := range m.Prefix {
			fmt.Fprintf(tab, "%.4f (%.3f)\t", p.Share, p.Kept)
		}
		fmt.Fprintf(tab, "  %s\n", m.Method)
	}
	tab.Flush()
}

func writeMisses(b *bytes.Buffer, m *survival.Report) {
	if len(m.Misses) == 0 {
		return
	}
	fmt.Fprintf(b, "\nmisses of %s\n", m.Method)
	kinds := slices.SortedFunc(maps.Keys(m.MissKinds), func(x, y survival.MissKind) int {
		return cmp.Or(cmp.Compare(m.MissKinds[y], m.MissKinds[x]), cmp.Compare(x, y))
	})
	for _, kind := range kinds {
		fmt.Fprintf(b, "%6d  %s\n", m.MissKinds[kind], kind)
	}
	for _, miss := range m.Misses {
		fmt.Fprintf(b, "  %s step %d: %s(%s: %s): %s\n", printable(miss.Episode), miss.Step,
			printable(miss.Tool), printable(miss.Key), printable(miss.Value), printable(miss.Reason))
	}
}
