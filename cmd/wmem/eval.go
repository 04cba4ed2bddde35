package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// defaultBudgets are the budgets that are measured beside the constants.
var defaultBudgets = [...]int{64, 128, 256, 512}

type evalFlags struct {
	settingsFlags
	why                                 whyFlags
	blocks, plot, markdown              string
	misses                              int
	json, prefix, noBaselines, progress bool
}

func newEval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [--budget N]… TRACES…",
		Short: "Measure on recorded traces what working memory still shows when it is needed",
		Long: `Eval measures reference survival. A reference is an identifier-like argument of
a tool call that an earlier tool result of the episode contained and the user did
not type.
  coverage   share of the references that the block before the call shows
  typed      share of the references shown under a header that fits
  described  of those shown whose record says anything about itself, the share
             whose label says it too
  precision  of the ids that an episode's blocks show, the share that a call
             took as an argument afterwards; in blocks: of those of each block
Without settings it measures the constants (10 entities, 3 a type) and budgets
of 64, 128, 256 and 512 tokens. The form of TRACES is that of replay.`,
		Args: traceFiles,
		RunE: func(cmd *cobra.Command, files []string) error { return f.run(cmd, files) },
	}
	f.add(cmd)
	f.why.add(cmd)
	flags := cmd.Flags()
	flags.IntSliceVar(&f.budgets, "budget", nil, "largest size of a block in tokens; may be repeated")
	flags.IntVar(&f.misses, "misses", 0, "list the first `N` misses of each setting, and why (20 without a number)")
	flags.Lookup("misses").NoOptDefVal = "20"
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.BoolVar(&f.prefix, "prefix", false, "measure what prompt caches can reuse, for each placement of the block")
	flags.StringVar(&f.plot, "plot", "", "draw survival by size into `FILE`, as SVG")
	flags.StringVar(&f.markdown, "markdown", "", "write the tables into `FILE`, a Markdown file, between the marks of each")
	flags.StringVar(&f.blocks, "blocks", "", "score the blocks of `FILE`, in the form that replay writes, and nothing else")
	flags.BoolVar(&f.noBaselines, "no-baselines", false, "measure no other methods for comparison")
	flags.BoolVar(&f.progress, "progress", false, "report progress also where standard error is no terminal")
	return cmd
}

// measuresSettings reports whether a flag asks for something that only makes
// sense of working memory itself.
func (f *evalFlags) measuresSettings(cmd *cobra.Command) bool {
	return slices.ContainsFunc([]string{"budget", "capacity", "per-type", "misses", "prefix", "plot", "markdown", "tools"}, cmd.Flags().Changed)
}

// fileReport is what was measured on a file.
type fileReport struct {
	Traces string `json:"traces"`
	// Encoding is what counted the tokens.
	Encoding string              `json:"encoding"`
	Episodes int                 `json:"episodes"`
	Methods  []evaluation.Report `json:"methods"`
}

func (f *evalFlags) run(cmd *cobra.Command, files []string) error {
	if err := errors.Join(f.check(cmd), f.why.check(cmd)); err != nil {
		return err
	}
	if f.misses < 0 {
		return usagef("--misses must not be less than 0")
	}
	if f.blocks != "" && (len(files) > 1 || f.measuresSettings(cmd)) {
		return usagef("--blocks goes with one TRACES and without --budget, --capacity, --per-type, --misses, --prefix, --plot, --markdown and --tools")
	}
	counter, err := f.counter()
	if err = errors.Join(err, f.load()); err != nil {
		return err
	}
	if f.why.id != "" {
		return f.why.tell(cmd, files, f.settings(counter), f.json)
	}
	reports := make([]fileReport, 0, len(files))
	for _, name := range files {
		report, err := f.measure(cmd, name, counter)
		if err != nil {
			return err
		}
		reports = append(reports, report)
		if f.json {
			continue
		}
		if err := writeReport(cmd.OutOrStdout(), report); err != nil {
			return err
		}
	}
	if err := f.publish(reports); err != nil {
		return err
	}
	if f.json {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	}
	return nil
}

// publish writes the files that the flags ask for.
func (f *evalFlags) publish(reports []fileReport) error {
	if f.plot != "" {
		if err := os.WriteFile(f.plot, plot(reports), 0o644); err != nil {
			return err
		}
	}
	if f.markdown != "" {
		return fillMarkdown(f.markdown, tables(reports))
	}
	return nil
}

func (f *evalFlags) measure(cmd *cobra.Command, name string, counter prompt.TokenCounter) (fileReport, error) {
	in, err := open(cmd, name)
	if err != nil {
		return fileReport{}, err
	}
	defer in.Close()
	report := fileReport{Traces: filepath.Base(name), Encoding: f.encoding}
	episodes := counted(evaluation.Episodes(in), f.progressTo(cmd.ErrOrStderr(), report.Traces), &report.Episodes)
	if f.blocks != "" {
		report.Methods, err = f.scoreBlocks(cmd, episodes, counter)
	} else {
		e := evaluation.Comparison{Methods: f.methods(cmd, counter), Counter: counter, Misses: f.misses, Prefix: f.prefix}
		report.Methods, err = e.Run(cmd.Context(), episodes)
	}
	if err != nil {
		return fileReport{}, fmt.Errorf("%s: %w", name, err)
	}
	return report, nil
}

// scoreBlocks scores blocks that somebody else has rendered.
func (f *evalFlags) scoreBlocks(cmd *cobra.Command, episodes iter.Seq2[*evaluation.Episode, error], counter prompt.TokenCounter) ([]evaluation.Report, error) {
	in, err := open(cmd, f.blocks)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	figures, err := evaluation.Score(cmd.Context(), episodes, evaluation.ReadBlocks(in), counter)
	return []evaluation.Report{{Method: "blocks of " + filepath.Base(f.blocks), Figures: figures}}, err
}

// counted counts episodes as they go by, and tells of each.
func counted(episodes iter.Seq2[*evaluation.Episode, error], tell func(int), n *int) iter.Seq2[*evaluation.Episode, error] {
	return func(yield func(*evaluation.Episode, error) bool) {
		for ep, err := range episodes {
			if err == nil {
				*n++
				tell(*n)
			}
			if !yield(ep, err) {
				return
			}
		}
	}
}

// methods are our settings, and those to compare with.
func (f *evalFlags) methods(cmd *cobra.Command, counter prompt.TokenCounter) []evaluation.Method {
	settings := f.settings(counter)
	if len(f.budgets) == 0 && !cmd.Flags().Changed("capacity") && !cmd.Flags().Changed("per-type") {
		for _, budget := range defaultBudgets {
			settings = append(settings, evaluation.Settings{Budget: budget, Counter: counter, Tools: f.toolset})
		}
	}
	var methods, naive []evaluation.Method
	for _, s := range settings {
		methods = append(methods, evaluation.WorkingMemory(s))
		if s.Budget > 0 {
			naive = append(naive, evaluation.NaiveBudget(s.Budget, counter))
		}
	}
	if f.noBaselines {
		return methods
	}
	methods = append(append(methods, evaluation.Seed(), evaluation.NaiveConstants()), naive...)
	return append(methods,
		evaluation.LastCalls(1), evaluation.LastCalls(3), evaluation.LastCalls(5), evaluation.LastCalls(0))
}

// progressStep is how many episodes there are from one report to the next.
const progressStep = 100

// progressTo reports progress where somebody is there to see it, or asked for it.
func (f *evalFlags) progressTo(w io.Writer, traces string) func(episodes int) {
	if !f.progress && !isTerminal(w) {
		return func(int) {}
	}
	return func(episodes int) {
		if episodes%progressStep == 0 {
			fmt.Fprintf(w, "%s: %d episodes\n", printable(traces), episodes)
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
