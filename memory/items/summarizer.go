package items

import (
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// TextSummarizer writes summaries, for example with a model. It must be safe for
// concurrent use.
type TextSummarizer interface {
	// Summarize returns a summary of texts, oldest first, in at most maxTokens. The
	// caller shortens a longer one.
	Summarize(ctx context.Context, texts []string, maxTokens int) (string, error)
}

// SummarizeTexts adapts a TextSummarizer to queue.SummarizeOlder, for a queue of texts
// and summaries of at most maxTokens.
func SummarizeTexts(s TextSummarizer, maxTokens int) func(ctx context.Context, older []string) (string, error) {
	return func(ctx context.Context, older []string) (string, error) {
		return s.Summarize(ctx, older, maxTokens)
	}
}

// ExtractiveSummarizer writes summaries by extracting sentences, without a model. The
// summary has a line for each text, with the whole text, some sentences, or only its
// identifiers. Newer texts are preferred if not all fit. Identifiers of all texts are
// kept exactly, as many as fit. Summaries are deterministic. The zero value is ready for
// use.
type ExtractiveSummarizer struct {
	// Counter counts tokens. If nil, they are estimated as documented for
	// prompt.Estimator.
	Counter memory.TokenCounter
}

var _ TextSummarizer = ExtractiveSummarizer{}

// Summarize implements TextSummarizer. The summary never exceeds maxTokens and is empty
// if maxTokens is 0 or less. The error is always nil.
func (s ExtractiveSummarizer) Summarize(_ context.Context, texts []string, maxTokens int) (string, error) {
	x := extraction{limit: maxTokens, counter: s.Counter}
	if x.counter == nil {
		x.counter = plaintext.Estimator{}
	}
	if maxTokens <= 0 {
		return "", nil
	}
	for _, text := range texts {
		x.add("", cloneValid(text))
	}
	for i := range slices.Backward(texts) {
		x.weigh(i)
	}
	text, _, _ := x.summary()
	return text, nil
}
