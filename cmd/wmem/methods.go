package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// defaultBudgets are measured in addition to the constants.
var defaultBudgets = [...]int{64, 128, 256, 512}

// mark returns the mark of the agent's own setting in tables.
func (f *evalFlags) mark(cmd *cobra.Command) string {
	switch changed := cmd.Flags().Changed; {
	case f.blocks != "" || f.noBaselines && len(f.budgets) < 2:
		return ""
	case len(f.budgets) > 0:
		return fmt.Sprintf("  <- --budget %d", f.budgets[0])
	case changed("capacity") || changed("per-type"):
		return "  <- your setting"
	}
	return "  <- the default"
}

// methods returns the requested settings and the baselines.
func (f *evalFlags) methods(cmd *cobra.Command, counter prompt.TokenCounter) []evaluation.Method {
	switch {
	case len(f.budgets) > 0:
	case f.summary && len(f.offload) > 0:
		f.budgets = resultBudgets
	case f.summary && f.handles.Options != nil:
		f.budgets = handleBudgets
	case f.summary:
		f.budgets = summaryBudgets
	}
	settings := f.settings(counter)
	if len(f.budgets) == 0 && !cmd.Flags().Changed("capacity") && !cmd.Flags().Changed("per-type") {
		for _, budget := range defaultBudgets {
			settings = append(settings, evaluation.Settings{Budget: budget, Counter: counter, Tools: f.toolset, Handles: f.handles.Options})
		}
	}
	var methods, floors []evaluation.Method
	for _, s := range settings {
		methods = append(methods, f.withOffload(s)...)
		if s.Budget > 0 {
			floors = append(floors, evaluation.Floor(s.Budget, counter))
		}
	}
	switch {
	case f.summary && f.handles.Options != nil && len(f.offload) == 0:
		return append(append(methods, withoutHandles(settings)...), floors...)
	case f.noBaselines:
		return methods
	case f.summary:
		return append(methods, floors...)
	}
	return append(append(methods, floors...), evaluation.Seed(),
		evaluation.LastCalls(1), evaluation.LastCalls(3), evaluation.LastCalls(5), evaluation.LastCalls(0))
}

// withOffload returns the method of settings, or one for each threshold.
func (f *evalFlags) withOffload(s evaluation.Settings) []evaluation.Method {
	if len(f.offload) == 0 {
		return []evaluation.Method{evaluation.WorkingMemory(s)}
	}
	var methods []evaluation.Method
	for _, s.Offload = range f.offload {
		methods = append(methods, evaluation.WorkingMemory(s))
	}
	return methods
}

// withoutHandles returns the same settings without handles, for comparison.
func withoutHandles(settings []evaluation.Settings) []evaluation.Method {
	var methods []evaluation.Method
	for _, s := range settings {
		s.Handles = nil
		m := evaluation.WorkingMemory(s)
		m.Baseline = true
		methods = append(methods, m)
	}
	return methods
}
