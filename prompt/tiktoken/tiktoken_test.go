package tiktoken

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counters are shared among the tests: loading an encoding takes a while.
var counters = sync.OnceValue(func() map[string]*Counter {
	m := make(map[string]*Counter)
	for _, e := range encodings {
		m[e.name], _ = New(e.name)
	}
	return m
})

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
		{"<|endoftext|>", 7, 7, 7, 7}, // special tokens are ordinary text
	}
	for i, name := range []string{"o200k_base", "cl100k_base", "p50k_base", "r50k_base"} {
		c := counters()[name]
		assert.Equal(t, name, c.Encoding())
		var first sync.WaitGroup // goroutines may load the encoding at once
		for _, tt := range tests {
			first.Go(func() {
				assert.Equal(t, []int{tt.o200k, tt.cl100k, tt.p50k, tt.r50}[i], c.CountTokens(tt.text), tt.text)
			})
		}
		first.Wait()
		require.NoError(t, c.Load())
	}
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
		c, err := ForModel(model)
		require.NoError(t, err, model)
		assert.Equal(t, encoding, c.Encoding(), model)
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", "claude-sonnet-4", "gpt", "gpt-4.7", "o1x", "o200k_base"} {
		_, err := ForModel(model)
		var unknown *UnknownError
		require.ErrorAs(t, err, &unknown, model)
		assert.Equal(t, []string{"model", model}, []string{unknown.What, unknown.Name})
		assert.Contains(t, unknown.Known, "gpt-4o")
	}
	_, err := New("o300k")
	assert.EqualError(t, err, `tiktoken: unknown encoding "o300k"; known: o200k_base, cl100k_base, p50k_base, r50k_base`)
}

// TestLongRun counts a run for which tiktoken-go alone would take minutes. The longest token of
// the letter has eight of it.
func TestLongRun(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 50_000/8, counters()["o200k_base"].CountTokens(strings.Repeat("a", 50_000)))
}

// TestRanks writes the ranks as OpenAI publishes them, and compares the hashes with those in
// tiktoken_ext/openai_public.py of openai/tiktoken.
func TestRanks(t *testing.T) {
	t.Parallel()
	published := map[string]string{
		"o200k_base":  "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
		"cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
		"p50k_base":   "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
		"r50k_base":   "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
	}
	for _, e := range encodings {
		ranks, err := readRanks(e.file, e.ranks)
		require.NoError(t, err)
		tokens := make([]string, e.ranks)
		for token, rank := range ranks {
			tokens[rank] = token
		}
		var file []byte
		for rank, token := range tokens {
			if token != "" {
				file = base64.StdEncoding.AppendEncode(file, []byte(token))
				file = append(strconv.AppendInt(append(file, ' '), int64(rank), 10), '\n')
			}
		}
		assert.Equal(t, published[e.name], fmt.Sprintf("%x", sha256.Sum256(file)), e.name)
	}
}

// TestPartsAddUp compares the count of texts in parts with the count of the whole.
func TestPartsAddUp(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	random := func(n int, alphabet string) string {
		runes := []rune(alphabet)
		text := make([]rune, n)
		for i := range text {
			text[i] = runes[rng.IntN(len(runes))]
		}
		return string(text)
	}
	runs := map[string]string{
		"letters":        random(700, "abcdefghijklmnopqrstuvwxyz"),
		"capitals":       random(700, "ABCDEFGHIJKLM"),
		"camel case":     random(700, "abcdefghijABCDEF"),
		"Chinese":        random(700, "订单详情页面客户管理产品目录"),
		"signs":          random(700, "-=+*/&%$!?"),
		"one sign":       strings.Repeat("=", 700),
		"spaces":         strings.Repeat(" ", 700),
		"line breaks":    strings.Repeat("\n", 700),
		"digits":         random(700, "0123456789"),
		"emoji":          random(700, "🚀🎉👍🔥✅"),
		"not UTF-8":      strings.Repeat("\xff\xfe", 700),
		"run after text": "The quick brown fox " + random(700, "abcdefgh") + " jumps" + strings.Repeat(" ", 700) + "x",
		"run in quotes":  `{"data":"` + random(700, "abcdefgh") + `"}`,
	}
	long := map[string]string{
		"English": strings.Repeat("The quick brown fox jumps over the lazy dog, and it's happy.\n", 600),
		"JSON":    strings.Repeat(`{"id":"550e8400","name":"Home"},`, 2200),
	}
	check := func(t *testing.T, encoding string, texts map[string]string) {
		c := counters()[encoding]
		whole, err := c.load()
		require.NoError(t, err)
		for name, text := range texts {
			assert.InEpsilon(t, len(whole.EncodeOrdinary(text)), c.CountTokens(text), 0.0003, name)
		}
	}
	check(t, "o200k_base", long)
	for _, name := range []string{"o200k_base", "cl100k_base", "r50k_base"} { // one of each pattern
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, name, runs)
		})
	}
}

func BenchmarkCountTokens(b *testing.B) {
	c := counters()["o200k_base"]
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
