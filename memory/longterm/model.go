package longterm

import "context"

// LanguageModel is a language model that extracts memories from conversations. It must be
// safe for concurrent use and return when the context ends.
type LanguageModel interface {
	// Generate answers a prompt in at most maxTokens tokens. If the model refuses to
	// answer, Generate should return an error; an answer that is not the requested JSON is
	// treated as one.
	Generate(ctx context.Context, prompt string, maxTokens int) (string, error)
}
