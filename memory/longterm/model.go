package longterm

import (
	"context"
	"errors"
)

// Model is a language model that takes memories from conversations. It must be safe
// for concurrent use, and give up when the context ends.
type Model interface {
	// Generate answers a prompt, in at most maxTokens tokens. An answer that the model
	// refuses to give is best an error; what is not the JSON that was asked for is
	// taken for one anyway.
	Generate(ctx context.Context, prompt string, maxTokens int) (string, error)
}

// Errors of what extracts memories. They come wrapped.
var (
	// ErrModel says that the model failed.
	ErrModel = errors.New("longterm: model failed")
	// ErrAnswer says that an answer of the model is not of the form that was asked for.
	ErrAnswer = errors.New("longterm: answer of the model cannot be read")
)
