package longterm

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Embedder turns texts into vectors. It must be safe for concurrent use, and give up
// when the context ends. Embedder, of adapters/langchain, makes one of any of
// langchaingo's.
type Embedder interface {
	// Embed returns a vector for each text, all of one dimension, in their order. It
	// gets at most 100 texts at once, none of them blank or longer than 16 KiB. A vector
	// may have any length but 0, or one that is not finite.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes the vectors, with all that they depend on: vectors are only
	// compared with those of the same name. It is not empty.
	Model() string
}

// EmbedderError is an ErrEmbedder with what an Embedder returned. Its own text has only
// the type of that, which may quote the texts that were to be embedded.
type EmbedderError struct{ Err error }

// Error implements error.
func (e *EmbedderError) Error() string {
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, memory.ErrPanic} {
		if errors.Is(e.Err, known) {
			return fmt.Sprintf("%v: %v", ErrEmbedder, known)
		}
	}
	return fmt.Sprintf("%v: %T", ErrEmbedder, e.Err)
}

// Unwrap returns ErrEmbedder and Err.
func (e *EmbedderError) Unwrap() []error { return []error{ErrEmbedder, e.Err} }

// callEmbedder makes a panic of an embedder an error, without what it says.
func callEmbedder(ctx context.Context, e Embedder, texts []string) (vectors [][]float32, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %T", memory.ErrPanic, p)
		}
	}()
	return e.Embed(ctx, texts)
}
