package longterm

import "context"

// Embedder turns texts into vectors. It must be safe for concurrent use and return when the
// context ends. Package adapters/langchain adapts the embedders of langchaingo.
type Embedder interface {
	// Embed returns one vector for each text, in order. All have the same dimension, at most
	// driver.MaxDimensions. A vector may have any positive, finite length, and is empty if the
	// text has nothing that the model knows: such a text is found by its words. Embed receives
	// at most 100 texts at once, none of them blank or longer than 16 KiB.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model and everything else that the vectors depend on: only vectors of
	// the same name are compared. It must not be empty.
	Model() string
}

// TunedEmbedder is an Embedder that knows what suits its vectors. Without it, the defaults of this
// package apply.
type TunedEmbedder interface {
	Embedder
	Tuning() Tuning
}

// Tuning holds the defaults for the vectors of an Embedder.
type Tuning struct {
	// Alpha is that of a Query without one, from 0 to 1.
	Alpha float64
	// MergeDistance is that of Options without one. A negative value disables merging by distance.
	MergeDistance float64
	// RecallDistance is the MaxDistance of RecallOptions without one.
	RecallDistance float64
}

// Tuning returns the Tuning of the Embedder, or the defaults of this package.
func (m *Memory) Tuning() Tuning { return tuningOf(m.opts.Embedder) }

// tuningOf returns the Tuning of an embedder, which may be nil.
func tuningOf(e Embedder) Tuning {
	if tuned, ok := e.(TunedEmbedder); ok {
		return tuned.Tuning()
	}
	return Tuning{Alpha: DefaultAlpha, MergeDistance: DefaultMergeDistance, RecallDistance: DefaultRecallDistance}
}
