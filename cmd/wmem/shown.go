package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// shownNames are the column names of what a model sees of conversations.
var shownNames = [...]string{"with a handle", "handles", "tokens", "shown", "of results", "shown", "stored", "visible", "if whole"}

// writeShown writes what the model sees with each method, and the faults.
func writeShown(b *bytes.Buffer, methods []evaluation.Report) {
	if !slices.ContainsFunc(methods, func(m evaluation.Report) bool { return m.Shown != nil }) {
		return
	}
	fmt.Fprintf(b, "\nwhat the model sees of the conversations\n")
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "%s\t  method\n", strings.Join(shownNames[:], "\t"))
	for i := range methods {
		s := methods[i].Shown
		if s == nil {
			continue
		}
		fmt.Fprintf(tab, "%.3f\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t  %s\n", s.WithHandle, s.Handles, s.Tokens, s.ShownTokens,
			s.ResultTokens, s.ShownResultTokens, s.Stored, s.Visible, s.VisibleWhole, methods[i].Method)
	}
	tab.Flush()
	for i := range methods {
		if s := methods[i].Shown; s != nil && s.Literals > 0 {
			fmt.Fprintf(b, "results and arguments with the text of a handle in them: %d of %s\n", s.Literals, methods[i].Method)
		}
	}
}

// errFaults is returned if handles changed what they must not change.
var errFaults = errors.New("handles do not keep what they promise")

// checkFaults returns an error with the faults of all methods, or nil.
func checkFaults(reports []fileReport) error {
	for i := range reports {
		for _, m := range reports[i].Methods {
			if s := m.Shown; s != nil && !s.Faults.IsZero() {
				return fmt.Errorf("%s: %s: %w: %d results and %d arguments altered, %d calls refused, %d ids left in results and %d in blocks",
					printable(reports[i].Traces), m.Method, errFaults, s.AlteredResults, s.AlteredArguments, s.Refused, s.LeftInResults, s.LeftInBlocks)
			}
		}
	}
	return nil
}

// handlesTable compares each budget without and with handles.
func handlesTable(budgets []int) summaryTable {
	t := summaryTable{name: "handles", columns: []string{"references", "with a handle", "tokens of conversations", "of results"}}
	for _, budget := range budgets {
		t.columns = append(t.columns, fmt.Sprintf("typed at %d", budget))
	}
	t.row = func(r *fileReport) []string {
		own, s := r.own(), r.own().Shown
		row := []string{
			strconv.Itoa(own.References), shareOf(s.WithHandle, own.References),
			fmt.Sprintf("%d → %d", s.Tokens, s.ShownTokens), fmt.Sprintf("%d → %d", s.ResultTokens, s.ShownResultTokens),
		}
		for _, budget := range budgets {
			without, with := r.find(budget, false), r.find(budget, true)
			row = append(row, shareOf(without.Typed, own.References)+" → "+shareOf(with.Typed, own.References))
		}
		return row
	}
	return t
}

// resultsTable compares thresholds from which results are stored.
func resultsTable(thresholds []int) summaryTable {
	t := summaryTable{name: "results", columns: []string{"references", "tokens of results", "visible if whole"}}
	for _, n := range thresholds {
		t.columns = append(t.columns, fmt.Sprintf("from %d: stored", n), "saved", "visible")
	}
	t.row = func(r *fileReport) []string {
		own, s := r.own(), r.own().Shown
		row := []string{strconv.Itoa(own.References), strconv.Itoa(s.ResultTokens), shareOf(s.VisibleWhole, own.References)}
		for i := range thresholds {
			s := r.Methods[i].Shown
			saved := float64(s.ResultTokens-s.ShownResultTokens) / float64(max(s.ResultTokens, 1))
			row = append(row, strconv.Itoa(s.Stored), fmt.Sprintf("%.3f", saved), shareOf(s.Visible, own.References))
		}
		return row
	}
	return t
}

// placementTable has the prefix reuse of each placement as a share of that without a block.
func placementTable(handles bool, placements []evaluation.PrefixReuse) summaryTable {
	t := summaryTable{name: "placements", columns: []string{"model calls", "without a block"}}
	if handles {
		t.name = "placements handles"
	}
	for _, p := range placements[1:] {
		t.columns = append(t.columns, p.Placement)
	}
	t.row = func(r *fileReport) []string {
		none := r.own().Prefix[0]
		row := []string{strconv.Itoa(none.Calls), fmt.Sprintf("%.3f", none.Share)}
		for i := range placements[1:] {
			var kept []string
			for _, m := range r.Methods {
				if len(m.Prefix) > 0 {
					kept = append(kept, fmt.Sprintf("%.3f", m.Prefix[i+1].Kept))
				}
			}
			row = append(row, firstAndOthers(kept))
		}
		return row
	}
	return t
}

// find returns the report of working memory at a budget.
func (r *fileReport) find(budget int, handles bool) *evaluation.Report {
	return &r.Methods[slices.IndexFunc(r.Methods, func(m evaluation.Report) bool {
		return m.Family == evaluation.FamilyWorking && m.Budget == budget && m.Handles == handles
	})]
}

// shareOf formats a share, or a dash if it is one of nothing.
func shareOf(share float64, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", share)
}
