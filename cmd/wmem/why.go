package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// whyFlags request the events of an id instead of figures.
type whyFlags struct {
	id, episode string
	found       bool // the episode, or any
}

func (f *whyFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.id, "why", "", "show the events of `ID` in each episode instead of figures, at each --budget or at the constants")
	flags.StringVar(&f.episode, "episode", "", "with --why: show only the episode with this `ID`")
}

func (f *whyFlags) check(cmd *cobra.Command) error {
	flags := cmd.Flags()
	switch {
	case flags.Changed("episode") && !flags.Changed("why"):
		return usagef("--episode requires --why")
	case flags.Changed("why") && f.id == "":
		return usagef("--why must not be empty")
	case flags.Changed("why") && slices.ContainsFunc([]string{"misses", "prefix", "blocks", "plot", "markdown"}, flags.Changed):
		return usagef("--why cannot be combined with --misses, --prefix, --blocks, --plot or --markdown")
	}
	return nil
}

// whyReport holds the events of an id in an episode.
type whyReport struct {
	Traces  string             `json:"traces"`
	Episode string             `json:"episode"`
	Setting string             `json:"setting"`
	ID      string             `json:"id"`
	Events  []evaluation.Event `json:"events"`
}

// explain writes the events of the id: as text as they come, or as JSON at the end.
func (f *whyFlags) explain(cmd *cobra.Command, files []string, part evaluation.Part, settings []evaluation.Settings, asJSON bool) error {
	out := cmd.OutOrStdout()
	reports := []whyReport{}
	told := func(r whyReport) error {
		reports = append(reports, r)
		if asJSON {
			return nil
		}
		return writeWhy(out, r)
	}
	for _, name := range files {
		if err := f.tellFile(cmd, name, part, settings, told); err != nil {
			return err
		}
	}
	if !f.found && cmd.Flags().Changed("episode") {
		return fmt.Errorf("no episode %s", printable(f.episode))
	}
	switch {
	case asJSON:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	case len(reports) == 0:
		_, err := fmt.Fprintf(out, "%s: never seen\n", printable(f.id))
		return err
	}
	return nil
}

func (f *whyFlags) tellFile(cmd *cobra.Command, name string, part evaluation.Part, settings []evaluation.Settings, told func(whyReport) error) error {
	return eachEpisode(cmd, name, part, func(ep *evaluation.Episode) error {
		if cmd.Flags().Changed("episode") && ep.ID.Text != f.episode {
			return nil
		}
		f.found = true
		for _, s := range settings {
			events, err := evaluation.Why(cmd.Context(), ep, s, f.id)
			if err != nil {
				return err
			}
			if len(events) == 0 {
				continue
			}
			err = told(whyReport{Traces: filepath.Base(name), Episode: ep.ID.Text, Setting: s.String(), ID: f.id, Events: events})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func writeWhy(w io.Writer, r whyReport) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s in episode %s of %s, %s\n", printable(r.ID), printable(r.Episode), printable(r.Traces), r.Setting)
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range r.Events {
		when, where := "step", printable(e.Tool)
		if e.InBlock() {
			when, where = "before step", "block"
		}
		what := e.What
		if e.Type != "" {
			what = e.Type + " " + what
		}
		if e.Candidate {
			what = "candidate " + what
		}
		fmt.Fprintf(tab, "  %s %d\t%s\t%s\n", when, e.Step, where, printable(what))
	}
	tab.Flush() // into memory: cannot fail
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}
