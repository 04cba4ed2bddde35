package session

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Summarizer writes the summary of what leaves a session. It must be safe for
// concurrent use, and give up when the context ends.
type Summarizer interface {
	// SummarizeMessages returns a summary that takes the place of the previous one
	// and of the messages. One that is longer than asked for is cut. An error, an
	// empty summary, one that refuses the task, and a panic keep the messages where
	// they are: they come again with a later write.
	SummarizeMessages(ctx context.Context, r SummaryRequest) (string, error)
}

// SummaryRequest is what a Summarizer is asked for.
type SummaryRequest struct {
	// Previous is the summary of what left before, "" where there is none. It is
	// without the identifiers that stand behind it in Session.Context.
	Previous string
	// Messages are Message.Text of the messages, oldest first. One that is too long
	// for a request comes in parts, over several; each but the first begins with the
	// role and "…".
	Messages []string
	// MaxTokens is the largest length of the summary, at least 1.
	MaxTokens int
}

// Extractive is a Summarizer that needs no model: its summary consists of what the
// messages themselves say, as memory.ExtractiveSummarizer writes it. The same
// messages always give the same summary. The zero value is ready for use.
type Extractive struct {
	// Counter counts tokens. nil means an estimate, as prompt.Estimator documents
	// it.
	Counter memory.TokenCounter
}

var _ Summarizer = Extractive{}

// SummarizeMessages implements Summarizer. The lines of the previous summary are
// the oldest of the texts. The summary is never longer than MaxTokens. It is empty
// only if all texts are blank or not even a letter has room. The error is nil.
func (s Extractive) SummarizeMessages(ctx context.Context, r SummaryRequest) (string, error) {
	var texts []string
	for line := range strings.Lines(r.Previous) {
		if line = strings.TrimSpace(line); line != "" {
			texts = append(texts, line)
		}
	}
	texts = append(texts, r.Messages...)
	counter := s.Counter
	if counter == nil {
		counter = estimator{}
	}
	summary, err := memory.ExtractiveSummarizer{Counter: counter}.Summarize(ctx, texts, r.MaxTokens)
	if err != nil || summary != "" {
		return summary, err
	}
	// Texts without a word that has room: a part of the newest says more than nothing.
	return cutToTokens(strings.TrimSpace(strings.Join(texts, "\n")), r.MaxTokens, counter), nil
}
