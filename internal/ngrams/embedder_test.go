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

func TestVectors(t *testing.T) {
	t.Parallel()
	for dimension, want := range map[int]int{0: 256, 1: 1, 3: 3, 256: 256, 1536: 1536} {
		texts := []string{"", " ", "?!", "the of and", "Anna likes window seats.", "東京タワー", "\x00\xff", strings.Repeat("long text ", 2000)}
		for i, vector := range embed(t, &ngrams.Embedder{Dimension: dimension}, texts...) {
			require.Len(t, vector, want)
			require.InDelta(t, 1, math.Sqrt(cosine(vector, vector)), 1e-6, "text %d", i)
		}
	}
	// They are the same on every machine.
	sum := sha256.Sum256(fmt.Append(nil, embed(t, &ngrams.Embedder{}, "Anna likes window seats.", "Café №7: 東京タワー 42%")))
	require.Equal(t, "a1365fd9d852d4742dfe78d782532bc90427c47ff5c2774b0888a253be66ae93", hex.EncodeToString(sum[:]))
	require.Equal(t, "ngrams/1/256", new(ngrams.Embedder).Model())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := new(ngrams.Embedder).Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSharedWordsAreNear(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{
		{"Anna prefers window seats on long flights.", "which seat does anna prefer when flying?"},
		{"Anna is allergic to peanuts and carries an injector.", "what is Anna allergic to?"},
		{"The invoice of March was paid late because the bank was closed.", "why was the invoice payment late?"},
		{"Bob moved his office from Hamburg to Lisbon.", "where is Bob's office?"},
		{"The production database is backed up at three in the morning.", "when are databases backed up?"},
		{"Deployments are frozen during the last week of December.", "is there a deployment freeze in december?"},
		{"Carla's daughter plays the violin in the school orchestra.", "what instrument does Carla's daughter play?"},
		{"The customer wants refunds to go to the original card.", "how should we refund the customer?"},
	}
	const margin = 0.05
	e := &ngrams.Embedder{}
	for i, pair := range pairs {
		own := embed(t, e, pair[0], pair[1])
		for j, other := range pairs {
			if i != j {
				require.Greater(t, cosine(own[1], own[0]), cosine(own[1], embed(t, e, other[0])[0])+margin, "%q and %q", pair[1], other[0])
			}
		}
	}
}
