package longterm

import "context"

// Embedder turns texts into vectors. It must be safe for concurrent use, and give up
// when the context ends. Embedder, of adapters/langchain, makes one of any of
// langchaingo's.
type Embedder interface {
	// Embed returns a vector for each text, all of one dimension, of driver.MaxDimensions at
	// most, in their order. It gets at most 100 texts at once, none of them blank or
	// longer than 16 KiB. A vector may have any length but 0, or one that is not finite.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes the vectors, with all that they depend on: vectors are only
	// compared with those of the same name. It is not empty.
	Model() string
}
