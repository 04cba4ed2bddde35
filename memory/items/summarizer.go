package items

import (
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// TextSummarizer writes summaries, with a model say. It must be safe for concurrent
// use.
type TextSummarizer interface {
	// Summarize returns what texts, oldest first, say in at most maxTokens. A
	// summary that is longer is cut down by who asked for it.
	Summarize(ctx context.Context, texts []string, maxTokens int) (string, error)
}

// SummarizeTexts makes of a TextSummarizer what queue.SummarizeOlder takes, for a queue of
// texts: a summary of them in at most maxTokens.
func SummarizeTexts(s TextSummarizer, maxTokens int) func(ctx context.Context, older []string) (string, error) {
	return func(ctx context.Context, older []string) (string, error) {
		return s.Summarize(ctx, older, maxTokens)
	}
}

// ExtractiveSummarizer writes summaries without a model, of what the texts
// themselves say. A text is a line of its summary, of which it takes all, or some
// sentences, or identifiers alone; the newest text goes first where there is not
// room for all. Identifiers of all texts are kept as they stand there, or as many
// as fit. The same texts always give the same summary. The zero value is ready
// for use.
type ExtractiveSummarizer struct {
	// Counter counts tokens. nil means an estimate, as prompt.Estimator documents
	// it.
	Counter memory.TokenCounter
}

var _ TextSummarizer = ExtractiveSummarizer{}

// Summarize implements TextSummarizer. The summary is never longer than maxTokens,
// and empty for 0 or less. The error is nil.
func (s ExtractiveSummarizer) Summarize(_ context.Context, texts []string, maxTokens int) (string, error) {
	x := extraction{limit: maxTokens, counter: s.Counter}
	if x.counter == nil {
		x.counter = plaintext.Estimator{}
	}
	if maxTokens <= 0 {
		return "", nil
	}
	for _, text := range texts {
		x.add("", mended(text))
	}
	for i := range slices.Backward(texts) {
		x.weigh(i)
	}
	text, _, _ := x.summary()
	return text, nil
}
