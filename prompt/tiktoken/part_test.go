package tiktoken

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	texts := map[string]string{
		"one letter":     strings.Repeat("a", 5000),
		"letters":        random(5000, "abcdefghijklmnopqrstuvwxyz"),
		"capitals":       random(5000, "ABCDEFGHIJKLM"),
		"camel case":     random(5000, "abcdefghijABCDEF"),
		"Chinese":        random(2000, "订单详情页面客户管理产品目录"),
		"signs":          random(5000, "-=+*/&%$!?"),
		"one sign":       strings.Repeat("=", 5000),
		"spaces":         strings.Repeat(" ", 5000),
		"line breaks":    strings.Repeat("\n", 5000),
		"digits":         random(5000, "0123456789"),
		"emoji":          random(2000, "🚀🎉👍🔥✅"),
		"not UTF-8":      strings.Repeat("\xff\xfe", 2000),
		"run after text": "The quick brown fox " + random(3000, "abcdefgh") + " jumps" + strings.Repeat(" ", 3000) + "x",
		"run in quotes":  `{"data":"` + random(3000, "abcdefgh") + `"}`,
		"English":        strings.Repeat("The quick brown fox jumps over the lazy dog, and it's happy.\n", 3000),
		"JSON":           strings.Repeat(`{"id":"550e8400","name":"Home"},`, 6000),
	}
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			c, err := New(e.name)
			require.NoError(t, err)
			whole, err := c.load()
			require.NoError(t, err)
			for name, text := range texts {
				assert.InEpsilon(t, len(whole.EncodeOrdinary(text)), c.CountTokens(text), 0.0003, name)
			}
		})
	}
}
