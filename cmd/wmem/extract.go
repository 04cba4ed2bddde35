package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxResultBytes is the size limit of a result, 256 MiB.
const maxResultBytes = 256 << 20

type extractFlags struct {
	tool, args                 string
	recipes                    recipesFlags
	json, jsonl, wide, explain bool
}

func newExtract() *cobra.Command {
	var f extractFlags
	cmd := &cobra.Command{
		Use:   "extract --tool NAME [FILE]",
		Short: "Show the entities in a tool's result",
		Long: `Extract shows the entities in a tool's result: a file, or standard input.

With --jsonl it reads many results, one JSON object per line,
  {"tool": "get_page", "args": {"id": "p-1"}, "result": …}
and writes a line {"entities": [{"tier", "type", "id", "name", "aliases", …}]} for
each. The tier is "record", or "candidate" for a value that a tool may take as an
identifier though no record says so; "aliases" are further ids of the same thing. For
an unusable line it writes {"error": …, "entities": []}; the exit code is then 1.

With --explain it shows what each value that looks like an identifier was taken for (a
record's identifier or alias, a reference, a candidate, part of a label, or nothing)
and why. Values that may be secrets are not shown.`,
		Args: atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tool, "tool", "", "name of the tool")
	flags.StringVar(&f.args, "args", "", "arguments of the call, as JSON")
	f.recipes.add(flags)
	flags.BoolVar(&f.wide, "wide", false, "take as many list items as for a block with a token budget")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.BoolVar(&f.explain, "explain", false, "show what each value that looks like an identifier was taken for, and why")
	flags.BoolVar(&f.jsonl, "jsonl", false, "read and write one JSON object per line")
	return cmd
}

func (f *extractFlags) run(cmd *cobra.Command, args []string) error {
	switch {
	case f.jsonl && (f.tool != "" || f.args != "" || f.json || f.explain):
		return usagef("--jsonl cannot be combined with --tool, --args, --json or --explain: each line has its own")
	case !f.jsonl && f.tool == "":
		return usagef("--tool is required")
	case f.args != "" && !json.Valid([]byte(f.args)):
		return usagef("--args is not JSON")
	}
	x, err := f.extractor()
	if err != nil {
		return err
	}
	in, err := open(cmd, strings.Join(args, ""))
	if err != nil {
		return err
	}
	defer in.Close()
	if f.jsonl {
		return extractLines(cmd.Context(), x, in, cmd.OutOrStdout())
	}
	return f.extractOne(cmd.Context(), x, in, cmd.OutOrStdout())
}

func (f *extractFlags) extractor() (*extractor.EntityExtractor, error) {
	var opts extractor.Options
	if f.wide {
		opts.Limits = extractor.WideLimits()
	}
	if err := f.recipes.load(); err != nil {
		return nil, err
	}
	opts.Rules, opts.WithoutRecipes = f.recipes.rules, f.recipes.none
	return extractor.New(&opts)
}

func (f *extractFlags) extractOne(ctx context.Context, x *extractor.EntityExtractor, r io.Reader, w io.Writer) error {
	result, err := io.ReadAll(io.LimitReader(r, maxResultBytes+1))
	if err != nil {
		return err
	}
	if len(result) > maxResultBytes {
		return fmt.Errorf("result is longer than %d bytes", maxResultBytes)
	}
	in := extractor.Input{Tool: f.tool, Result: result}
	if f.args != "" {
		in.Arguments = []byte(f.args)
	}
	if f.explain {
		judgements, err := x.Explain(ctx, in)
		switch {
		case err != nil:
			return err
		case f.json:
			return writeJudgementsJSON(w, judgements)
		}
		return writeJudgements(w, judgements)
	}
	found, err := x.Extract(ctx, in)
	if err != nil {
		return err
	}
	if f.json {
		return writeExtraction(w, found)
	}
	return writeTable(w, found)
}

// tier is the confidence in an entity.
type tier string

const (
	tierRecord    tier = "record"
	tierCandidate tier = "candidate"
)

func tierOf(role memory.Role) tier {
	if role == memory.RoleCandidate {
		return tierCandidate
	}
	return tierRecord
}

// entity is the output form of an entity. Its name is the label that a block would
// show, which is never empty.
type entity struct {
	Tier        tier        `json:"tier"`
	Type        string      `json:"type"`
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Aliases     []string    `json:"aliases,omitempty"`
	Slug        string      `json:"slug,omitempty"`
	Description string      `json:"description,omitempty"`
	Role        memory.Role `json:"role,omitempty"`
	Path        string      `json:"path,omitempty"`
	Tool        string      `json:"tool,omitempty"`
}

func entitiesOf(found []memory.Entity) []entity {
	out := make([]entity, len(found))
	for i, e := range found {
		out[i] = entity{
			Tier: tierOf(e.Role), Aliases: e.Aliases,
			Type: cmp.Or(e.Type, memory.FallbackType), ID: e.ID, Name: e.Label(), Slug: e.Slug,
			Description: e.Description, Path: e.Path, Tool: e.Tool,
		}
		if out[i].Tier == tierRecord {
			out[i].Role = e.Role
		}
	}
	return out
}

type ref struct {
	Type string `json:"type,omitempty"`
	ID   string `json:"id"`
}

func refsOf(refs []memory.Ref) []ref {
	out := make([]ref, len(refs))
	for i, r := range refs {
		out[i] = ref(r)
	}
	return out
}

func writeExtraction(w io.Writer, found extractor.Extraction) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Entities []entity         `json:"entities"`
		Removed  []ref            `json:"removed,omitempty"`
		Used     []ref            `json:"used,omitempty"`
		Action   extractor.Action `json:"action"`
		Format   string           `json:"format"`
		Failed   bool             `json:"failed,omitempty"`
		Reason   string           `json:"reason,omitempty"`
	}{entitiesOf(found.Entities), refsOf(found.Removed), refsOf(found.Used), found.Action, found.Format, found.Failed, found.Reason})
}

func writeTable(w io.Writer, found extractor.Extraction) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(found.Entities) > 0 {
		fmt.Fprintln(tab, "TIER\tTYPE\tID\tNAME\tPATH")
	}
	for _, e := range entitiesOf(found.Entities) {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", e.Tier, printable(e.Type), printable(strings.Join(append([]string{e.ID}, e.Aliases...), ", ")), printable(e.Name), printable(e.Path))
	}
	for _, r := range found.Removed {
		fmt.Fprintf(tab, "removed: %s %s\n", printable(r.Type), printable(r.ID))
	}
	if len(found.Entities)+len(found.Removed) == 0 {
		fmt.Fprintf(tab, "nothing found: %s (read as %s)\n", printable(found.Reason), found.Format)
	} else if found.Reason != "" {
		fmt.Fprintf(tab, "note: %s\n", printable(found.Reason))
	}
	return tab.Flush()
}

// writeJudgements writes what values were taken for, one a line.
func writeJudgements(w io.Writer, judgements []extractor.Judgement) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "IS\tTYPE\tVALUE\tPATH\tWHY")
	for _, j := range judgements {
		why := j.Why
		if j.TypeFrom != "" {
			why += "; type: " + j.TypeFrom
		}
		if j.Rule != "" {
			why += ": " + j.Rule
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", j.Is, cmp.Or(printable(j.Type), "-"), cmp.Or(printable(shorten(j.Value)), "-"), printable(j.Path), why)
	}
	return tab.Flush()
}

func writeJudgementsJSON(w io.Writer, judgements []extractor.Judgement) error {
	type judgement struct {
		Is       string `json:"is"`
		Type     string `json:"type,omitempty"`
		TypeFrom string `json:"type_from,omitempty"`
		Rule     string `json:"rule,omitempty"`
		Value    string `json:"value,omitempty"`
		Path     string `json:"path"`
		Why      string `json:"why"`
	}
	out := make([]judgement, len(judgements))
	for i, j := range judgements {
		out[i] = judgement{j.Is, j.Type, j.TypeFrom, j.Rule, j.Value, j.Path, j.Why}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// shorten cuts a text for a column of a table.
func shorten(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// printable escapes characters that could harm a terminal.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
