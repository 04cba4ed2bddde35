package prompt_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestNewExtractionTemplateNeedsTheMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		ok         bool
	}{
		{"nothing", "", false},
		{"no messages", "say {current_datetime} {known_memories} {max_tokens}", false},
		{"a space too many", "{ messages_joined }", false},
		{"messages", "say {messages_joined}", true},
		{"by their other name", `{"a": {message}}`, true},
		{"the answer's form alone", prompt.ExtractionAnswer, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := prompt.NewExtractionTemplate(tc.text)
			if tc.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, prompt.ErrExtractionTemplate)
			assert.ErrorContains(t, err, "{messages_joined}")
		})
	}
}

func TestExtractionTemplateFormat(t *testing.T) {
	t.Parallel()
	template, err := prompt.NewExtractionTemplate("{max_tokens}/{other}/{{message}}: {messages_joined}|{known_memories}|{current_datetime}")
	require.NoError(t, err)
	got := template.Format(prompt.ExtractionData{
		Messages: []string{"{known_memories}", `"b" <c&d>`}, Known: []string{"{message}"}, MaxTokens: 7,
		Now: time.Date(2026, 3, 2, 1, 0, 0, 0, time.FixedZone("", 7200)),
	})
	assert.Equal(t, "7/{other}/{\"{known_memories}\"\n\"\\\"b\\\" <c&d>\"}: \"{known_memories}\"\n\"\\\"b\\\" <c&d>\"|\"{message}\"|Sunday, 2026-03-01T23:00:00Z", got)
}

func TestDefaultExtractionTemplates(t *testing.T) {
	t.Parallel()
	filled := prompt.ExtractionData{
		Messages: []string{"user: I am Anna"}, Known: []string{"Anna has a dog"}, MaxTokens: 321, Now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	}
	for _, text := range []string{prompt.DefaultDiscreteTemplate, prompt.DefaultSummaryExtractionTemplate, prompt.DefaultPreferencesTemplate} {
		template, err := prompt.NewExtractionTemplate(text)
		require.NoError(t, err)
		got := template.Format(filled)
		for _, part := range []string{`"user: I am Anna"`, `"Anna has a dog"`, "Leave out passwords", "at most 321 tokens", "Monday, 2026-03-02T00:00:00Z", `{"memories": []}`} {
			assert.Contains(t, got, part)
		}
		assert.NotRegexp(t, `\{[a-z_]+\}`, got, "a placeholder is left")
	}
	written, err := prompt.NewExtractionTemplate(prompt.DefaultDiscreteTemplate)
	require.NoError(t, err)
	assert.Equal(t, written.Format(filled), new(prompt.ExtractionTemplate).Format(filled), "zero value")
	assert.Equal(t, written.Format(filled), (*prompt.ExtractionTemplate)(nil).Format(filled), "nil")
}

func TestExtractionTemplateGivesEveryTextOnce(t *testing.T) {
	t.Parallel()
	template, err := prompt.NewExtractionTemplate("{known_memories}\n{message}")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"{message}", "{known_memories}", "\n", "\u2028", "\\"}))
		known := rapid.SliceOfN(text, 1, 4).Draw(t, "known")
		messages := rapid.SliceOfN(text, 1, 4).Draw(t, "messages")
		var got []string
		for line := range strings.SplitSeq(template.Format(prompt.ExtractionData{Messages: messages, Known: known}), "\n") {
			var s string
			require.NoError(t, json.Unmarshal([]byte(line), &s))
			got = append(got, s)
		}
		given := append(known, messages...)
		for i := range given {
			given[i] = strings.ToValidUTF8(given[i], "\ufffd")
		}
		assert.Equal(t, given, got)
	})
}
