package tokens

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// words counts a token for each word.
type words struct{}

func (words) CountTokens(text string) int { return len(strings.Fields(text)) }

func TestSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{1,300}`), rapid.Just("  \n "))).Draw(t, "texts"), " ")
		limit := rapid.IntRange(3, 60).Draw(t, "limit")
		parts := Split(text, limit, plaintext.Estimator{})
		require.Equal(t, text, strings.Join(parts, ""))
		require.NotEmpty(t, parts)
		for _, part := range parts {
			require.True(t, part != "" || text == "")
			if utf8.RuneCountInString(part) > 1 {
				require.LessOrEqual(t, plaintext.Estimator{}.CountTokens(part), limit+1, "%q", part)
			}
			require.True(t, utf8.ValidString(part))
		}
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"fits", "One two. Three.", 3, "One two. Three."},
		{"whole sentences", "One two three. Four five six. Seven eight nine.", 8, "One two three. Four five six."},
		{"words", "One two three four five six seven.", 5, "One two three four …"},
		{"nothing", "One two.", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, Cut(tc.text, tc.limit, words{}))
		})
	}
}

func TestCutIsNeverTooLong(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat(rapid.String().Draw(t, "repeated"), rapid.IntRange(0, 30).Draw(t, "times"))
		limit := rapid.IntRange(0, 80).Draw(t, "limit")
		cut := Cut(text, limit, plaintext.Estimator{})
		require.LessOrEqual(t, plaintext.Estimator{}.CountTokens(cut), limit)
		require.True(t, utf8.ValidString(cut))
		if strings.TrimSpace(text) != "" && limit >= 4 {
			require.NotEmpty(t, cut)
		}
	})
}
