package ngrams_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/ngrams"
)

func embed(t *testing.T, e *ngrams.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, vectors, len(texts))
	return vectors
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEmbedderGivesVectorsOfLengthOne(t *testing.T) {
	t.Parallel()
	for _, dimension := range []int{0, 1, 3, 256, 1536} {
		e := &ngrams.Embedder{Dimension: dimension}
		want := dimension
		if want == 0 {
			want = 256
		}
		texts := []string{"", " ", "?!", "the of and", "Anna likes window seats.", "東京タワー", "\x00\xff", strings.Repeat("long text ", 2000)}
		for i, vector := range embed(t, e, texts...) {
			require.Len(t, vector, want)
			require.InDelta(t, 1, math.Sqrt(cosine(vector, vector)), 1e-6, "text %d", i)
		}
	}
}

func TestEmbedderIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	vectors := embed(t, &ngrams.Embedder{}, "Anna likes window seats.", "Café №7: 東京タワー 42%")
	sum := sha256.Sum256(fmt.Append(nil, vectors))
	require.Equal(t, "02b6437c2e7db776a9aa5455186917506f2997e25fa3284ad6902c2e2f160bc5", hex.EncodeToString(sum[:]))
	require.Equal(t, "ngrams/1/256", new(ngrams.Embedder).Model())
}

func TestEmbedderFindsWhatHasWordsInCommon(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Anna prefers window seats on long flights.",
		"Anna is allergic to peanuts and carries an injector.",
		"The invoice of March was paid late because the bank was closed.",
		"Bob moved his office from Hamburg to Lisbon.",
		"The production database is backed up at three in the morning.",
		"Deployments are frozen during the last week of December.",
		"Carla's daughter plays the violin in the school orchestra.",
		"The customer wants refunds to go to the original card.",
	}
	questions := []string{
		"which seat does anna prefer when flying?", "what is Anna allergic to?", "why was the invoice payment late?",
		"where is Bob's office?", "when are databases backed up?", "is there a deployment freeze in december?",
		"what instrument does Carla's daughter play?", "how should we refund the customer?",
	}
	const margin = 0.05
	e := &ngrams.Embedder{}
	memories, asked := embed(t, e, texts...), embed(t, e, questions...)
	for i, question := range asked {
		for j, m := range memories {
			if i != j {
				require.Greater(t, cosine(question, memories[i]), cosine(question, m)+margin, "%q and %q", questions[i], texts[j])
			}
		}
	}
}

func TestEmbedderGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := new(ngrams.Embedder).Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}
