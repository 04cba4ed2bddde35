package longterm

import "context"

// LanguageModel is a language model that takes memories from conversations. It must be safe
// for concurrent use, and give up when the context ends.
type LanguageModel interface {
	// Generate answers a prompt, in at most maxTokens tokens. An answer that the model
	// refuses to give is best an error; what is not the JSON that was asked for is
	// taken for one anyway.
	Generate(ctx context.Context, prompt string, maxTokens int) (string, error)
}
