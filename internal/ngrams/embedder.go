// Package ngrams computes vectors of texts from their words and runs of letters, offline and
// without a model, for tests and measurements.
package ngrams

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Embedder is a longterm.Embedder that places texts near each other if they share words or
// parts of words. It knows no meanings: "car" is as far from "automobile" as from "banana". The
// same text has the same vector, of length 1, on every machine. The zero value is ready to use.
//
// Each content word counts once as a whole and once for each run of 3 to 5 of its letters,
// including its boundaries. Longer words and runs count more, and repetitions count
// progressively less. A hash selects the two components of the vector that each adds to or
// subtracts from.
type Embedder struct {
	// Dimension is the dimension of the vectors. 0 means 256.
	Dimension int
}

// Model implements longterm.Embedder.
func (e *Embedder) Model() string { return fmt.Sprintf("ngrams/1/%d", e.dimension()) }

// Embed implements longterm.Embedder. Its only error is that of the context.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("ngrams: embed: %w", err)
		}
		vectors[i] = e.embed(text)
	}
	return vectors, nil
}

func (e *Embedder) dimension() int { return cmp.Or(max(e.Dimension, 0), 256) }

func (e *Embedder) embed(text string) []float32 {
	sums := make(featureSums, e.dimension())
	counts := map[string]uint{}
	for term := range plaintext.Terms(text) {
		counts[string(term)]++
	}
	asked := map[string]bool{}
	for term := range plaintext.Query(text) {
		if !asked[string(term)] {
			asked[string(term)] = true
			sums.addTerm(string(term), bits.Len(counts[string(term)]|1))
		}
	}
	if len(asked) == 0 {
		sums.add(text, 1) // no words
	}
	return sums.vector()
}

// featureSums are vectors before normalization. Integer sums are the same in any order and on
// any machine.
type featureSums []int64

func (s featureSums) addTerm(term string, repeats int) {
	s.add(term, min(len(term), maxWeight)*repeats)
	whole := "<" + term + ">"
	for size := minRun; size <= maxRun; size++ {
		for run := range runs(whole, size) {
			s.add(run, (size-minRun+1)*repeats)
		}
	}
}

const (
	// maxWeight limits the weight of a whole word. Short words are often names, which tell whom
	// a text is about rather than what.
	maxWeight      = 8
	minRun, maxRun = 3, 5
)

// runs yields the runs of size letters in a text that is longer than size.
func runs(text string, size int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		end := 0
		for range size {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		for begin := 0; end < len(text); {
			if !yield(text[begin:end]) {
				return
			}
			_, n := utf8.DecodeRuneInString(text[begin:])
			begin += n
			_, n = utf8.DecodeRuneInString(text[end:])
			end += n
		}
	}
}

// add adds a feature to two components: features that share one still differ in the other.
func (s featureSums) add(feature string, weight int) {
	h := hashOf(feature)
	for range 2 {
		place := h & 0xffffffff
		h >>= 32
		if place&1 == 1 {
			weight = -weight
		}
		s[place>>1%uint64(len(s))] += int64(weight)
	}
}

// hashOf returns the FNV-1a hash of a text with its bits mixed.
func hashOf(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}

func (s featureSums) vector() []float32 {
	squares := int64(0)
	for _, sum := range s {
		squares += sum * sum
	}
	vector := make([]float32, len(s))
	if squares == 0 { // all features cancel out
		vector[0] = 1
		return vector
	}
	length := math.Sqrt(float64(squares))
	for i, sum := range s {
		vector[i] = float32(float64(sum) / length)
	}
	return vector
}
