package summary

import "context"

// Summarizer writes the summary of messages that leave a session. It must be safe for
// concurrent use and give up when the context ends.
type Summarizer interface {
	// SummarizeMessages returns a summary that replaces the previous one and the messages.
	// It is truncated if it is too long. After an error, a panic, an empty summary or a
	// refusal, the messages stay and come again with a later write.
	SummarizeMessages(ctx context.Context, r Request) (string, error)
}

// Request holds the arguments of Summarizer.SummarizeMessages.
type Request struct {
	// Previous is the summary of earlier messages, without the identifiers that follow it in
	// session.Session.Context. It is empty at first.
	Previous string
	// Messages are the session.Message.Text of the messages, oldest first. A text that is
	// too long for a request is split over several; all parts but the first begin with the
	// role and "…".
	Messages []string
	// MaxTokens is the maximum length of the summary, at least 1.
	MaxTokens int
}
