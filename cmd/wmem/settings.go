package main

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// settingsFlags configure how much working memory shows.
type settingsFlags struct {
	budgets           []int
	capacity, perType int
	handles           handlesFlag
	encoding          string
	tools             string // a file
	toolset           *prompt.Toolset
	part              partFlag
	recipes           recipesFlags
}

// recipesFlags are the rules for what tools and programs print.
type recipesFlags struct {
	folder string
	none   bool
	rules  []extractor.Rule
}

func (f *recipesFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.folder, "recipes", "", "`DIR` with .yaml files of rules for what your tools and programs print; they go before the built-in ones")
	flags.BoolVar(&f.none, "no-recipes", false, "turn off the built-in rules for what usual programs print")
}

// load reads the folder of --recipes.
func (f *recipesFlags) load() (err error) {
	if f.folder == "" {
		return nil
	}
	if f.rules, err = config.ReadRecipes(f.folder); err != nil {
		return fmt.Errorf("recipes: %w", err)
	}
	return nil
}

// partFlag is a part of the episodes as a flag.
type partFlag struct {
	evaluation.Part
	text string
}

// String implements pflag.Value.
func (f *partFlag) String() string { return f.text }

// Type implements pflag.Value.
func (f *partFlag) Type() string { return "part" }

// Set implements pflag.Value.
func (f *partFlag) Set(text string) (err error) {
	f.Part, err = evaluation.ParsePart(text)
	f.text = text
	return err
}

// handlesFlag are the options of handles as a flag; nil without handles.
type handlesFlag struct{ *handle.Options }

// String implements pflag.Value.
func (f *handlesFlag) String() string {
	switch {
	case f.Options == nil:
		return ""
	case f.Readable:
		return "readable"
	}
	return "opaque"
}

// Type implements pflag.Value.
func (f *handlesFlag) Type() string { return "ids" }

// Set implements pflag.Value.
func (f *handlesFlag) Set(text string) error {
	if text != "opaque" && text != "readable" {
		return errors.New("must be opaque or readable")
	}
	f.Options = &handle.Options{Readable: text == "readable"}
	return nil
}

func (f *settingsFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.capacity, "capacity", 0, "number of entities kept (default 10)")
	flags.IntVar(&f.perType, "per-type", 0, "number of entities of a type shown (default 3)")
	flags.Var(&f.handles, "handles", "show short handles such as page#1 in place of long ids: opaque (if no value is given), or readable too, such as paths")
	flags.Lookup("handles").NoOptDefVal = "opaque"
	flags.StringVar(&f.encoding, "encoding", charsBy4, "how tokens are counted: chars/4, a quarter of the characters, rounded up; or exactly by an encoding such as o200k_base")
	flags.Var(&f.part, "part", "take only part `K/N` of the episodes, such as 1/3")
	flags.StringVar(&f.tools, "tools", "", "`FILE` with the JSON schemas of the agent's tools; a budget then goes to what they take first")
	f.recipes.add(flags)
}

// charsBy4 is the encoding that counts four characters as a token.
const charsBy4 = "chars/4"

func (f *settingsFlags) counter() (prompt.TokenCounter, error) {
	if f.encoding == charsBy4 {
		return prompt.TokenCounterFunc(func(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }), nil
	}
	counter, err := tiktoken.New(f.encoding)
	if err != nil {
		return nil, usageError{err}
	}
	return counter, nil
}

// load reads the files of --tools and --recipes.
func (f *settingsFlags) load() (err error) {
	if f.tools != "" {
		if f.toolset, err = readTools(f.tools); err != nil {
			return err
		}
	}
	return f.recipes.load()
}

// check rejects numbers that would mean the default, and combinations of flags
// in which one would be ignored.
func (f *settingsFlags) check(cmd *cobra.Command) error {
	for _, budget := range f.budgets {
		if budget < 0 {
			return usagef("--budget must not be negative")
		}
	}
	for _, name := range [...]string{"capacity", "per-type"} {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if n, _ := cmd.Flags().GetInt(name); n <= 0 {
			return usagef("--%s must be positive", name)
		}
		if len(f.budgets) > 0 {
			return usagef("--budget cannot be combined with --%s", name)
		}
	}
	if f.tools != "" && (cmd.Flags().Changed("capacity") || cmd.Flags().Changed("per-type") || cmd.Name() == "replay" && len(f.budgets) == 0 || slices.Contains(f.budgets, 0)) {
		return usagef("--tools requires a budget")
	}
	return nil
}

// settings returns settings for each budget, or without budgets those of --capacity and
// --per-type.
func (f *settingsFlags) settings(counter prompt.TokenCounter) []evaluation.Settings {
	all := []evaluation.Settings{{Capacity: f.capacity, PerType: f.perType}}
	if len(f.budgets) > 0 {
		all = make([]evaluation.Settings, len(f.budgets))
	}
	for i := range all {
		s := &all[i]
		if len(f.budgets) > 0 {
			s.Budget, s.Tools = f.budgets[i], f.toolset
		}
		s.Counter, s.Handles = counter, f.handles.Options
		s.Rules, s.WithoutRecipes = f.recipes.rules, f.recipes.none
	}
	return all
}
