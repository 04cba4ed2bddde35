package summary

import "context"

// Summarizer writes the summary of what leaves a session. It must be safe for
// concurrent use, and give up when the context ends.
type Summarizer interface {
	// SummarizeMessages returns a summary that takes the place of the previous one
	// and of the messages. One that is longer than asked for is cut. An error, an
	// empty summary, one that refuses the task, and a panic keep the messages where
	// they are: they come again with a later write.
	SummarizeMessages(ctx context.Context, r Request) (string, error)
}

// Request holds the arguments of Summarizer.SummarizeMessages.
type Request struct {
	// Previous is the summary of what left before, "" where there is none. It is
	// without the identifiers that stand behind it in session.Session.Context.
	Previous string
	// Messages are session.Message.Text of the messages, oldest first. One that is too long
	// for a request comes in parts, over several; each but the first begins with the
	// role and "…".
	Messages []string
	// MaxTokens is the largest length of the summary, at least 1.
	MaxTokens int
}
