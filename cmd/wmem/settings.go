package main

import (
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// settingsFlags say how much working memory shows.
type settingsFlags struct {
	budgets           []int
	capacity, perType int
	encoding          string
	tools             string // a file
	toolset           *prompt.Toolset
}

func (f *settingsFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.capacity, "capacity", 0, "number of entities kept (default 10)")
	flags.IntVar(&f.perType, "per-type", 0, "number of entities of a type shown (default 3)")
	flags.StringVar(&f.encoding, "encoding", charsBy4, "what counts as tokens: chars/4, characters by four, rounded up; or an encoding, such as o200k_base, exactly")
	flags.StringVar(&f.tools, "tools", "", "`FILE` with the JSON schemas of the agent's tools: a budget is spent on what they take first")
}

// charsBy4 is the encoding of those who count a token as four characters.
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

// load reads the file of tools, if one is given.
func (f *settingsFlags) load() (err error) {
	if f.tools != "" {
		f.toolset, err = readTools(f.tools)
	}
	return err
}

// check refuses numbers that would mean the default, and combinations of which
// one half would be ignored.
func (f *settingsFlags) check(cmd *cobra.Command) error {
	for _, budget := range f.budgets {
		if budget <= 0 {
			return usagef("--budget must be more than 0")
		}
	}
	for _, name := range [...]string{"capacity", "per-type"} {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if n, _ := cmd.Flags().GetInt(name); n <= 0 {
			return usagef("--%s must be more than 0", name)
		}
		if len(f.budgets) > 0 {
			return usagef("--budget replaces --%s: give one of them", name)
		}
	}
	if f.tools != "" && (cmd.Flags().Changed("capacity") || cmd.Flags().Changed("per-type") || cmd.Name() == "replay" && len(f.budgets) == 0) {
		return usagef("--tools goes with a budget")
	}
	return nil
}

// settings are those that the flags ask for: one for each budget, else one of constants.
func (f *settingsFlags) settings(counter prompt.TokenCounter) []evaluation.Settings {
	if len(f.budgets) == 0 {
		return []evaluation.Settings{{Capacity: f.capacity, PerType: f.perType, Counter: counter}}
	}
	all := make([]evaluation.Settings, len(f.budgets))
	for i, budget := range f.budgets {
		all[i] = evaluation.Settings{Budget: budget, Counter: counter, Tools: f.toolset}
	}
	return all
}
