package wordvectors_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
)

func embed(t *testing.T, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := wordvectors.New().Embed(t.Context(), texts)
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

// Each text is nearer to the second than to the third.
func TestMeanings(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]string{
		{"car", "automobile", "banana"},
		{"The doctor prescribed a pill.", "medicine from the physician", "a ticket for the train"},
		{"He plays the violin in an orchestra.", "Which musical instrument?", "Which kind of soil?"},
		{"My flat is on the third floor.", "the apartment", "the aeroplane"},
		{"CAR!", "car", "cars of the past"},
	} {
		v := embed(t, test[:]...)
		require.Greater(t, cosine(v[0], v[1]), cosine(v[0], v[2]), "%q", test)
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	texts := []string{"tea", "I like tea, and so does Anna.", strings.Repeat("long text ", 2000), "the of and"}
	for i, vector := range embed(t, texts...) {
		require.Len(t, vector, 64)
		require.InDelta(t, 1, math.Sqrt(cosine(vector, vector)), 1e-6, "%q", texts[i][:3])
	}
	for i, vector := range embed(t, "", "?!", "42", "qwxzj", "qwxzj tea blorptk", "Wo ist die Katze von gestern?", "東京タワー", "кошка", "\xff\x00") {
		require.Nil(t, vector, "text %d", i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := wordvectors.New().Embed(ctx, []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}

// A memory with the embedder finds what is said in other words, and what the embedder does not know.
func TestMemory(t *testing.T) {
	t.Parallel()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Embedder: wordvectors.New()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.WithoutCancel(t.Context()))) })
	everyone := longterm.Of("", "")
	for _, text := range []string{
		"Anna repairs bicycles at the weekend.", "The invoice was paid in March.", "Order 17 was sent to Lisbon.", "Order 18 was sent to Lisbon.", "Die Katze heißt Mimi und ist schwarz.",
	} {
		put, err := memory.Put(t.Context(), everyone, []longterm.Record{{ID: text, Text: text}}, nil)
		require.NoError(t, err)
		require.Equal(t, longterm.PutAdded, put[0].Status, "texts that differ in a number are not merged")
	}
	for question, want := range map[string]string{
		"Who can fix my bike?": "Anna repairs bicycles at the weekend.", "Wie heißt die Katze?": "Die Katze heißt Mimi und ist schwarz.", "18": "Order 18 was sent to Lisbon.",
	} {
		found, err := memory.Search(t.Context(), everyone, longterm.Query{Text: question})
		require.NoError(t, err)
		require.Equal(t, want, found.Hits[0].Record.Text, question)
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := wordvectors.New()
	texts := []string{"I moved to a flat on the third floor last week, and the landlord still has not fixed the heating."}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		wordvectors.New()
	}
}
