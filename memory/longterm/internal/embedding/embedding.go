// Package embedding makes vectors of texts with an embedder, as indexes of long-term memory
// store and compare them.
package embedding

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// The limits of what an Embedder is given at once.
const (
	// maxEmbedded is how much of a text is embedded: 16 KiB, a few thousand tokens.
	maxEmbedded = 16 << 10
	// embedTexts and embedBytes are how many texts are in a call, and of what size.
	embedTexts = 100
	embedBytes = 256 << 10
)

// ErrEmbedder is returned if texts could not be embedded.
var ErrEmbedder = errors.New("longterm: embedder failed")

// errVectors is the cause where the vectors of an embedder are of no use.
var errVectors = errors.New("not what was asked for")

// Embedder makes vectors.
type Embedder struct {
	// Embed returns a vector for each text.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes the vectors.
	Model string
	// Logger receives how many texts have no vectors.
	Logger *slog.Logger
}

// Vectors returns vectors of length 1 for texts. Errors: ErrEmbedder.
func (e *Embedder) Vectors(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
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
			return nil, fmt.Errorf("%w: %w: %d vectors of %d texts", ErrEmbedder, errVectors, len(made), len(call))
		}
		for _, vector := range made {
			if len(vector) > driver.MaxDimensions {
				return nil, fmt.Errorf("%w: %d dimensions are more than the limit of %d", ErrEmbedder, len(vector), driver.MaxDimensions)
			}
			unit, err := unitVector(vector)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrEmbedder, err)
			}
			if vectors = append(vectors, unit); len(unit) != len(vectors[0]) {
				return nil, fmt.Errorf("%w: %w: vectors of %d and %d dimensions", ErrEmbedder, errVectors, len(vectors[0]), len(unit))
			}
		}
		texts = texts[len(call):]
	}
	return vectors, nil
}

// VectorsOrNone returns vectors of length 1 for texts: nil for a text that the embedder does
// not take, while it takes others. Errors: ErrEmbedder.
func (e *Embedder) VectorsOrNone(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.Vectors(ctx, texts)
	if err != nil && !errors.Is(err, errVectors) {
		return e.each(ctx, texts, err)
	}
	return vectors, err
}

// probeText is what any embedder takes.
const probeText = "text"

// each makes vectors of texts, each by itself, after failing to do so at once. A text
// that the embedder does not take, while it takes another, has none: it must not keep
// those that are put with it, and all that come later, from being kept.
func (e *Embedder) each(ctx context.Context, texts []string, failed error) ([][]float32, error) {
	vectors, without := make([][]float32, len(texts)), 0
	probe, err := e.Vectors(ctx, []string{probeText})
	for i := 0; i < len(texts) && err == nil; i++ {
		made, refused := e.Vectors(ctx, texts[i:i+1])
		switch {
		case refused != nil:
			without++
			_, err = e.Vectors(ctx, []string{probeText}) // or does it take none any more?
		case len(made[0]) != len(probe[0]):
			err = errVectors
		default:
			vectors[i] = made[0]
		}
	}
	if err != nil {
		return nil, failed
	}
	if without > 0 {
		e.Logger.WarnContext(ctx, "longterm: texts have no vectors", "texts", without, "error", callee.Loggable(failed))
	}
	return vectors, nil
}

// unitVector returns a vector with its length made 1.
func unitVector(vector []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, errors.New("a vector has no direction")
	}
	unit, length := make([]float32, len(vector)), math.Sqrt(sum)
	for i, x := range vector {
		unit[i] = float32(float64(x) / length)
	}
	return unit, nil
}

// beginning is as much of the beginning of a text as a size allows, in whole runes.
func beginning(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
