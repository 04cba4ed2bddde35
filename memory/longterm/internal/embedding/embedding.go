// Package embedding computes vectors of texts in the form that indexes of long-term memory store
// and compare.
package embedding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// The limits of one call of an embedder.
const (
	// maxEmbedded limits the part of a text that is embedded: 16 KiB, a few thousand tokens.
	maxEmbedded = 16 << 10
	// embedTexts and embedBytes limit the texts of a call and their total size.
	embedTexts = 100
	embedBytes = 256 << 10
)

// ErrEmbedder is returned if texts cannot be embedded.
var ErrEmbedder = errors.New("longterm: embedder failed")

// errVectors is the cause if an embedder returns unusable vectors.
var errVectors = errors.New("unusable vectors")

// Embedder computes vectors.
type Embedder struct {
	// Embed returns a vector for each text.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model of the vectors.
	Model string
	// Logger receives how many texts were left without vectors.
	Logger *slog.Logger
}

// Vectors returns the vectors of texts, normalized to length 1, nil where the embedder knows
// nothing of a text. Errors: ErrEmbedder.
func (e *Embedder) Vectors(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, dimension := make([][]float32, 0, len(texts)), 0
	for len(texts) > 0 {
		var call []string
		for size := 0; len(call) < min(len(texts), embedTexts) && size < embedBytes; {
			text := beginning(texts[len(call)], maxEmbedded)
			call, size = append(call, text), size+len(text)
		}
		var made [][]float32
		err := callee.Call(func() (err error) {
			made, err = e.Embed(ctx, call)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrEmbedder, err)
		}
		if len(made) != len(call) {
			return nil, fmt.Errorf("%w: %w: %d vectors for %d texts", ErrEmbedder, errVectors, len(made), len(call))
		}
		for _, vector := range made {
			if len(vector) == 0 {
				vectors = append(vectors, nil)
				continue
			}
			if len(vector) > driver.MaxDimensions {
				return nil, fmt.Errorf("%w: %d dimensions exceed the limit of %d", ErrEmbedder, len(vector), driver.MaxDimensions)
			}
			unit, err := unitVector(vector)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrEmbedder, err)
			}
			if dimension = cmp.Or(dimension, len(unit)); len(unit) != dimension {
				return nil, fmt.Errorf("%w: %w: vectors of %d and %d dimensions", ErrEmbedder, errVectors, dimension, len(unit))
			}
			vectors = append(vectors, unit)
		}
		texts = texts[len(call):]
	}
	return vectors, nil
}

// VectorsOrNone is like Vectors, but the vector of a text that the embedder refuses, while it
// accepts others, is nil. Errors: ErrEmbedder.
func (e *Embedder) VectorsOrNone(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Vectors(ctx, texts)
	if err != nil && !errors.Is(err, errVectors) {
		return e.embedEach(ctx, texts, err)
	}
	return vectors, err
}

// probeText is a text that any working embedder accepts.
const probeText = "text"

// embedEach embeds texts one by one after embedding them together has failed. A text that the
// embedder refuses while it accepts probeText is left without a vector, so that it does not
// prevent others from being kept.
func (e *Embedder) embedEach(ctx context.Context, texts []string, failed error) ([][]float32, error) {
	vectors, without := make([][]float32, len(texts)), 0
	probe, err := e.Vectors(ctx, []string{probeText})
	for i := 0; i < len(texts) && err == nil; i++ {
		made, refused := e.Vectors(ctx, texts[i:i+1])
		switch {
		case refused != nil:
			without++
			_, err = e.Vectors(ctx, []string{probeText}) // has the embedder failed altogether?
		case len(made[0]) > 0 && len(probe[0]) > 0 && len(made[0]) != len(probe[0]):
			err = errVectors
		default:
			vectors[i] = made[0]
		}
	}
	if err != nil {
		return nil, failed
	}
	if without > 0 {
		e.Logger.WarnContext(ctx, "longterm: texts left without vectors", "texts", without, "error", callee.Loggable(failed))
	}
	return vectors, nil
}

// unitVector returns a vector scaled to length 1.
func unitVector(vector []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, errors.New("a vector has no finite, positive length")
	}
	unit, length := make([]float32, len(vector)), math.Sqrt(sum)
	for i, x := range vector {
		unit[i] = float32(float64(x) / length)
	}
	return unit, nil
}

// beginning returns the beginning of a text, at most size bytes, in whole runes.
func beginning(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
