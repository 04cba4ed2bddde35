package longterm

import "context"

// Embedder turns texts into vectors. It must be safe for concurrent use and return when the
// context ends. Package adapters/langchain adapts the embedders of langchaingo.
type Embedder interface {
	// Embed returns one vector for each text, in order. All have the same dimension, at most
	// driver.MaxDimensions. A vector may have any positive, finite length. Embed receives at
	// most 100 texts at once, none of them blank or longer than 16 KiB.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model and everything else that the vectors depend on: only vectors of
	// the same name are compared. It must not be empty.
	Model() string
}
