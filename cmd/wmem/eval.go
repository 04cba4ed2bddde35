package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// defaultMisses is the number of examples of each cause that --misses without a number lists.
const defaultMisses = 5

type evalFlags struct {
	settingsFlags
	why                                 whyFlags
	blocks, plot, markdown              string
	misses                              int
	offload                             []int
	json, prefix, noBaselines, progress bool
	summary                             bool
}

func newEval() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [--budget N]… TRACES…",
		Short: "Measure on recorded traces what working memory still shows when it is needed",
		Long: `Eval measures reference survival. A reference is an identifier-like argument of
a tool call that an earlier tool result of the episode contained and the user did
not type.
  coverage   share of the references in the block before the call
  floor      coverage of a bare list of all ids so far, newest first, at the same
             budget
  typed      share of the references in it under a header that fits; typed first:
             with each value of an episode counted once, at its first use
  described  of those in it whose record has facts, the share whose label has
             one of these
  distinct   of those under one header with entities whose records differ, the
             share whose label differs from all of theirs
  shell      share of the paths, files, hashes, ids of tests and issues, and pids
             anywhere in an argument that are an id of the block; shell floor: of
             a bare list of these; tables: the same for tables that SQL names
  named      share of the records that the block shows, with id and label, when
             the user names them ("Open Prices."): up to 8 records of a result
             that have siblings, right after it and three results later
  precision  share of the ids in an episode's blocks that a call took as an
             argument afterwards; in blocks: the same for each block
Without settings it measures the constants (10 entities, 3 per type), budgets of
64, 128, 256 and 512 tokens, and baselines. The first setting counts as the
agent's own: its row is marked, and the last line reports what it missed most and
what to do about it. TRACES have the same form as for wmem replay.

With --handles, or with --offload, it also measures what the model sees of the
conversations: their tokens, and the share of the references that are visible in
the block or in an earlier result. It fails if handles alter a result or arguments, or
leave an id that has one. With --summary, --handles compares with the same without,
and --offload compares its thresholds.

A share of fewer than 30 references or records is left out. To keep episodes aside while you
tune settings and rules, measure --part 1/3 and --part 2/3 first, and --part 3/3
at the end. The id of an episode determines its part.`,
		Args: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			files := f.takeMisses(cmd, args)
			if err := traceFiles(cmd, files); err != nil {
				return err
			}
			return f.run(cmd, files)
		},
	}
	f.add(cmd)
	f.why.add(cmd)
	flags := cmd.Flags()
	flags.IntSliceVar(&f.budgets, "budget", nil, "largest size of a block in tokens, 0 for the constants; may be repeated")
	flags.IntVar(&f.misses, "misses", 0, "group the misses of each setting by cause, with the first `N` of each as examples; 5 without N")
	flags.Lookup("misses").NoOptDefVal = strconv.Itoa(defaultMisses)
	flags.IntSliceVar(&f.offload, "offload", nil, "store results of `N` tokens or more, as estimated, and show a description; may be repeated")
	flags.BoolVar(&f.summary, "summary", false, "write one row for each of TRACES, by default at budgets of 256 and, in brackets, 128 tokens")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.BoolVar(&f.prefix, "prefix", false, "measure what prompt caches can reuse, for each placement of the block")
	flags.StringVar(&f.plot, "plot", "", "write a plot of survival by size to `FILE`, as SVG")
	flags.StringVar(&f.markdown, "markdown", "", "write the tables to `FILE`, a Markdown file, between their marks")
	flags.StringVar(&f.blocks, "blocks", "", "score only the blocks in `FILE`, in the format of wmem replay")
	flags.BoolVar(&f.noBaselines, "no-baselines", false, "do not measure baselines")
	flags.BoolVar(&f.progress, "progress", false, "report progress even if standard error is not a terminal")
	return cmd
}

// fileReport holds the measurements on a file.
type fileReport struct {
	Traces string `json:"traces"`
	// Encoding is the encoding in which tokens are counted.
	Encoding string `json:"encoding"`
	// Part is the part of the episodes that was measured; empty for all.
	Part     string              `json:"part,omitempty"`
	Episodes int                 `json:"episodes"`
	Methods  []evaluation.Report `json:"methods"`
	// mark is appended to the agent's own setting, the first of Methods.
	mark string
	// hasTools is set if the schemas of the agent's tools were given.
	hasTools bool
}

// own returns the report of the agent's own setting.
func (r *fileReport) own() *evaluation.Report { return &r.Methods[0] }

// takeMisses returns the files among the arguments. Because the number of --misses is
// optional, pflag leaves the N of "--misses N" among the arguments: it is the number
// that does not name a file.
func (f *evalFlags) takeMisses(cmd *cobra.Command, args []string) (files []string) {
	if !cmd.Flags().Changed("misses") || f.misses != defaultMisses {
		return args
	}
	for i, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil {
			continue
		}
		if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
			f.misses = n
			return slices.Concat(args[:i], args[i+1:])
		}
	}
	return args
}

// checkUse rejects combinations of flags in which one would be ignored.
func (f *evalFlags) checkUse(cmd *cobra.Command, files []string) error {
	changed := cmd.Flags().Changed
	switch {
	case f.misses < 0:
		return usagef("--misses must not be negative")
	case f.summary && slices.ContainsFunc([]string{"capacity", "per-type", "misses", "plot", "no-baselines"}, changed):
		return usagef("--summary cannot be combined with --capacity, --per-type, --misses, --plot or --no-baselines")
	case slices.ContainsFunc(f.offload, func(n int) bool { return n <= 0 }):
		return usagef("--offload must be positive")
	case f.blocks != "" && (len(files) > 1 || slices.ContainsFunc([]string{"budget", "capacity", "per-type", "misses", "prefix", "plot", "markdown", "tools", "summary", "handles", "offload"}, changed)):
		return usagef("--blocks takes one TRACES and cannot be combined with --budget, --capacity, --per-type, --misses, --prefix, --plot, --markdown, --tools, --summary, --handles or --offload")
	}
	return errors.Join(f.check(cmd), f.why.check(cmd))
}

func (f *evalFlags) run(cmd *cobra.Command, files []string) error {
	if err := f.checkUse(cmd, files); err != nil {
		return err
	}
	counter, err := f.counter()
	if err = errors.Join(err, f.load()); err != nil {
		return err
	}
	if f.why.id != "" {
		return f.why.explain(cmd, files, f.part.Part, f.settings(counter), f.json)
	}
	reports := make([]fileReport, 0, len(files))
	for _, name := range files {
		report, err := f.measure(cmd, name, counter)
		if err != nil {
			return err
		}
		reports = append(reports, report)
		if f.json || f.summary {
			continue
		}
		if err := writeReport(cmd.OutOrStdout(), &report); err != nil {
			return err
		}
	}
	if err := f.publish(reports); err != nil {
		return err
	}
	switch {
	case f.json:
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(reports)
	case f.summary:
		err = f.writeSummary(cmd.OutOrStdout(), reports)
	}
	return errors.Join(err, checkFaults(reports))
}

// publish writes the files requested by flags.
func (f *evalFlags) publish(reports []fileReport) error {
	if f.plot != "" {
		if err := os.WriteFile(f.plot, plot(reports), 0o644); err != nil {
			return err
		}
	}
	if f.markdown != "" {
		if f.summary {
			return fillMarkdown(f.markdown, f.markdownSummaries(reports))
		}
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
	report := fileReport{Traces: filepath.Base(name), Encoding: f.encoding, Part: f.part.text, mark: f.mark(cmd), hasTools: f.toolset != nil}
	episodes := counted(f.part.Episodes(evaluation.Episodes(in)), f.progressTo(cmd.ErrOrStderr(), report.Traces), &report.Episodes)
	if f.blocks != "" {
		report.Methods, err = f.scoreBlocks(cmd, episodes, counter)
	} else {
		e := evaluation.Comparison{Methods: f.methods(cmd, counter), Counter: counter, Misses: f.misses, Prefix: f.prefix, Named: f.showsNamed()}
		report.Methods, err = e.Run(cmd.Context(), episodes)
	}
	switch {
	case err != nil:
	case report.Episodes == 0 && f.part.Of > 0:
		err = errEmptyPart
	case report.Episodes == 0:
		err = errNoEpisodes
	case report.own().ToolCalls == 0:
		err = errNoToolCalls
	}
	if err != nil {
		return fileReport{}, fmt.Errorf("%s: %w", printable(name), err)
	}
	return report, nil
}

// showsNamed reports whether the output has the share of the records that the user names.
func (f *evalFlags) showsNamed() bool {
	return len(f.offload) == 0 && (f.json || !f.summary || f.handles.Options == nil)
}

var (
	errNoEpisodes  = errors.New("no traces found: the file needs one episode per line; see wmem replay --help")
	errEmptyPart   = errors.New("no episodes found in this part")
	errNoToolCalls = errors.New("no tool calls found: nothing to measure")
)

// scoreBlocks scores the blocks of another program.
func (f *evalFlags) scoreBlocks(cmd *cobra.Command, episodes iter.Seq2[*evaluation.Episode, error], counter prompt.TokenCounter) ([]evaluation.Report, error) {
	in, err := open(cmd, f.blocks)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	figures, err := evaluation.Score(cmd.Context(), episodes, evaluation.ReadBlocks(in), counter)
	return []evaluation.Report{{Method: "blocks of " + filepath.Base(f.blocks), Figures: figures}}, err
}
