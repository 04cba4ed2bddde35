package main

import (
	"bufio"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

func newReplay() *cobra.Command {
	var f settingsFlags
	var budget int
	cmd := &cobra.Command{
		Use:   "replay [--budget N] TRACES…",
		Short: "Write the block before each tool call of recorded traces",
		Long: `Replay runs recorded traces through working memory and writes, for each tool
call, a line {"episode", "step", "block"} with the block before the call. With
--handles, lines have "handles", which maps each handle in the block to its id.

TRACES hold one episode per line:
  {"id", "steps": [{"kind": "user" | "assistant", "text"} |
                   {"kind": "tool", "name", "args", "result"}]}
or a conversation: {"messages": […]}, with messages of OpenAI (tool_calls, or items
such as function_call) or Anthropic (tool_use, tool_result). A file may also be a
list of such messages, or the session file of a coding agent, whose lines have such
messages under "message" or "payload". "-" reads standard input.`,
		Args: traceFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			if cmd.Flags().Changed("budget") {
				f.budgets = []int{budget}
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			counter, err := f.counter()
			if err = errors.Join(err, f.load()); err != nil {
				return err
			}
			return replay(cmd, evaluation.WorkingMemory(f.settings(counter)[0]), f.part.Part, files)
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&budget, "budget", 0, "largest size of a block in tokens, instead of --capacity and --per-type; 0 means the constants")
	return cmd
}

func replay(cmd *cobra.Command, m evaluation.Method, part evaluation.Part, files []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	for _, name := range files {
		if err := replayFile(cmd, m, part, name, out); err != nil {
			return errors.Join(err, out.Flush())
		}
	}
	return out.Flush()
}

func replayFile(cmd *cobra.Command, m evaluation.Method, part evaluation.Part, name string, w io.Writer) error {
	return eachEpisode(cmd, name, part, func(ep *evaluation.Episode) error {
		blocks, err := evaluation.Replay(cmd.Context(), m, ep)
		if err != nil {
			return err
		}
		return evaluation.WriteBlocks(w, blocks)
	})
}
