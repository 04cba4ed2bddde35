package tiktoken_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// counters are shared: each takes a while to load.
var counters = sync.OnceValue(func() map[string]*tiktoken.Counter {
	m := make(map[string]*tiktoken.Counter)
	for _, name := range []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"} {
		m[name], _ = tiktoken.New(name)
	}
	return m
})

func counter(t testing.TB, encoding string) *tiktoken.Counter {
	t.Helper()
	c := counters()[encoding]
	require.NoError(t, c.Load())
	return c
}

func TestCountTokens(t *testing.T) {
	t.Parallel()
	// Counts published in openai/openai-cookbook, How_to_count_tokens_with_tiktoken.
	tests := []struct {
		text                     string
		o200k, cl100k, p50k, r50 int
	}{
		{"", 0, 0, 0, 0},
		{"antidisestablishmentarianism", 6, 6, 5, 5},
		{"2 + 2 = 4", 7, 7, 5, 5},
		{"お誕生日おめでとう", 8, 9, 14, 14},
		{"hello world", 2, 2, 2, 2},
	}
	for i, name := range []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counter(t, name)
			assert.Equal(t, name, c.Encoding())
			for _, tt := range tests {
				assert.Equal(t, []int{tt.o200k, tt.cl100k, tt.p50k, tt.r50}[i], c.CountTokens(tt.text), tt.text)
			}
		})
	}
}

func TestSpecialTokensAreOrdinaryText(t *testing.T) {
	t.Parallel()
	assert.Greater(t, counter(t, "cl100k_base").CountTokens("<|endoftext|>"), 1)
}

func TestForModel(t *testing.T) {
	t.Parallel()
	for model, encoding := range map[string]string{
		"gpt-4o": "o200k_base", "gpt-4o-mini-2024-07-18": "o200k_base", "gpt-4.1-nano": "o200k_base",
		"gpt-5": "o200k_base", "gpt-5-mini": "o200k_base", "gpt-5.1": "o200k_base", "chatgpt-4o-latest": "o200k_base",
		"o1": "o200k_base", "o3-mini": "o200k_base", "o4-mini": "o200k_base", "ft:gpt-4o:acme::abc": "o200k_base",
		"gpt-4": "cl100k_base", "gpt-4-turbo": "cl100k_base", "gpt-4-32k-0314": "cl100k_base",
		"gpt-3.5-turbo": "cl100k_base", "gpt-35-turbo": "cl100k_base",
		"text-embedding-3-small": "cl100k_base", "text-embedding-ada-002": "cl100k_base",
	} {
		c, err := tiktoken.ForModel(model)
		require.NoError(t, err, model)
		assert.Equal(t, encoding, c.Encoding(), model)
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", "claude-sonnet-4", "gpt", "gpt-4.7", "o1x", "o200k_base"} {
		c, err := tiktoken.ForModel(model)
		assert.Nil(t, c)
		var unknown *tiktoken.UnknownError
		require.ErrorAs(t, err, &unknown, model)
		assert.Equal(t, "model", unknown.What)
		assert.Equal(t, model, unknown.Name)
		assert.Contains(t, unknown.Known, "gpt-4o")
	}
	_, err := tiktoken.New("o300k")
	assert.EqualError(t, err, `tiktoken: unknown encoding "o300k"; known: o200k_base, cl100k_base, p50k_base, r50k_base`)
}

func TestConcurrentFirstUse(t *testing.T) {
	t.Parallel()
	c, err := tiktoken.New("p50k_base")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { assert.Equal(t, 2+i, c.CountTokens("hello world"+strings.Repeat(" a", i))) })
	}
	wg.Wait()
}

// TestLongRun counts a run that tiktoken-go alone would take minutes for. The
// longest token of the letter has eight of it.
func TestLongRun(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 1<<20/8, counter(t, "o200k_base").CountTokens(strings.Repeat("a", 1<<20)))
}

func TestAnyTextIsCounted(t *testing.T) {
	t.Parallel()
	c := counter(t, "cl100k_base")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 511, 512, 513, 5000, 70_000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		got := c.CountTokens(string(b))
		assert.Positive(t, got)
		assert.LessOrEqual(t, got, 3*n)
	}
}

func ExampleForModel() {
	c, err := tiktoken.ForModel("gpt-4o-mini")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Encoding(), c.CountTokens("tiktoken is great!"))

	_, err = tiktoken.New("unknown")
	fmt.Println(err)
	// Output:
	// o200k_base 6
	// tiktoken: unknown encoding "unknown"; known: o200k_base, cl100k_base, p50k_base, r50k_base
}

func BenchmarkCountTokens(b *testing.B) {
	c := counter(b, "o200k_base")
	for name, text := range map[string]string{
		"line":  `  - "Landing page 7" (550e8400-e29b-41d4-a716-446655440000)`,
		"block": strings.Repeat(`  - "Landing page 7" (550e8400-e29b-41d4-a716-446655440000)`+"\n", 10),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.CountTokens(text)
			}
		})
	}
}
