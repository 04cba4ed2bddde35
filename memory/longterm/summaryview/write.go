package summaryview

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/internal/refusal"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	// summaryTokens is the length that a summary should have, and maxSummaryRunes the one at
	// which it is truncated.
	summaryTokens   = 500
	maxSummaryRunes = 4000
	// promptTokens is more than prompt.FormatMemorySummary has without instructions and texts.
	promptTokens = 300
	// minRoom is the least number of tokens of texts that are summarised at once.
	minRoom = 256
)

// room returns how many tokens of texts fit the input of the model, with a quarter more for quoting
// and with the summary so far.
func (v *Views) room(view *Definition) int {
	instructions := promptTokens + v.opts.Counter.CountTokens(view.Prompt)
	return max((summary.DefaultInputTokens-summaryTokens-instructions)*4/5-summaryTokens, minRoom)
}

// write returns a summary of texts, oldest first, and of the summary before. It is longer than
// summaryTokens only if the model does not obey. Errors: longterm.ErrModel, ctx.Err().
func (v *Views) write(ctx context.Context, view *Definition, previous string, texts []string) (string, error) {
	if v.opts.Model == nil {
		return summary.Extractive{Counter: v.opts.Counter}.SummarizeMessages(ctx, summary.Request{
			Previous: previous, Messages: texts, MaxTokens: summaryTokens,
		})
	}
	limited, cancel := context.WithTimeout(ctx, summary.DefaultTimeout)
	defer cancel()
	var text string
	err := callee.Call(func() (err error) {
		text, err = v.opts.Model.Generate(limited, prompt.FormatMemorySummary(view.Prompt, previous, texts, summaryTokens), summaryTokens)
		return err
	})
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil && text == "":
		err = summary.ErrEmpty
	case err == nil && refusal.Is(text):
		err = summary.ErrRefused
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", longterm.ErrModel, err)
	}
	if shown, cut := plaintext.CutWords(text, maxSummaryRunes); cut {
		text = shown + plaintext.CutMark
	}
	return text, nil
}
