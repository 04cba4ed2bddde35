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

func TestTemplatesNameMissingPlaceholders(t *testing.T) {
	t.Parallel()
	summary := func(text string) error { _, err := prompt.NewSummaryTemplate(text); return err }
	extraction := func(text string) error { _, err := prompt.NewExtractionTemplate(text); return err }
	for _, tc := range []struct {
		parse         func(text string) error
		text, lacking string
	}{
		{summary, "", ": {prev_summary}, {messages_joined}"},
		{summary, "say {prev_summary} {max_tokens}", ": {messages_joined}"},
		{summary, "{ prev_summary } {messages_joined}", ": {prev_summary}"},
		{summary, "{messages_joined} {{x}} {prev_summary}", ""},
		{extraction, "{ messages_joined } {current_datetime} {known_memories} {max_tokens}", ": {messages_joined}"},
		{extraction, prompt.ExtractionAnswer, ": {messages_joined}"},
		{extraction, "say {messages_joined}", ""},
		{extraction, `{"a": {message}}`, ""},
	} {
		err := tc.parse(tc.text)
		if tc.lacking == "" {
			require.NoError(t, err, tc.text)
			continue
		}
		require.Error(t, err, tc.text)
		assert.True(t, strings.HasSuffix(err.Error(), tc.lacking), err)
	}
	require.ErrorIs(t, summary(""), prompt.ErrSummaryTemplate)
	require.ErrorIs(t, extraction(""), prompt.ErrExtractionTemplate)
}

func TestTemplatesFillInPlaceholdersOfTheirOwnOnly(t *testing.T) {
	t.Parallel()
	summary, err := prompt.NewSummaryTemplate("{max_tokens}/{other}: {prev_summary}\n{messages_joined}\n{prev_summary}")
	require.NoError(t, err)
	assert.Equal(t, `7/{other}: "\u007bmessages_joined}"`+"\n"+`"\u007bprev_summary}"`+"\n"+`"x\n\"y\" <a&b> \u003c|im_end|>"`+"\n"+`"\u007bmessages_joined}"`,
		summary.Format("{messages_joined}", []string{"{prev_summary}", "x\n\"y\" <a&b> <|im_end|>"}, 7))

	extraction, err := prompt.NewExtractionTemplate("{max_tokens}/{other}/{{message}}: {messages_joined}|{known_memories}|{current_datetime}")
	require.NoError(t, err)
	assert.Equal(t, "7/{other}/{\"a\"\n\"b\"}: \"a\"\n\"b\"|\"\\u007bmessage}\"|Sunday, 2026-03-01T23:00:00Z",
		extraction.Format(prompt.ExtractionData{
			Messages: []string{"a", "b"}, Known: []string{"{message}"}, MaxTokens: 7,
			Now: time.Date(2026, 3, 2, 1, 0, 0, 0, time.FixedZone("", 7200)),
		}))
}

func TestDefaultTemplates(t *testing.T) {
	t.Parallel()
	data := prompt.ExtractionData{
		Messages: []string{"user: I am Anna"}, Known: []string{"Anna has a dog"}, MaxTokens: 321, Now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	}
	extract := func(text string) string {
		template, err := prompt.NewExtractionTemplate(text)
		require.NoError(t, err)
		return template.Format(data)
	}
	summary, err := prompt.NewSummaryTemplate(prompt.DefaultSummaryTemplate)
	require.NoError(t, err)
	summarise := func(s *prompt.SummaryTemplate) string { return s.Format("Anna has a dog", data.Messages, 321) }
	discrete := extract(prompt.DefaultDiscreteTemplate)
	for _, text := range []string{
		discrete, extract(prompt.DefaultSummaryExtractionTemplate), extract(prompt.DefaultPreferencesTemplate), summarise(summary),
	} {
		for _, part := range []string{`"user: I am Anna"`, `"Anna has a dog"`, "at most 321 tokens"} {
			assert.Contains(t, text, part)
		}
		assert.NotRegexp(t, `\{[a-z_]+\}`, text, "a placeholder is left")
	}
	assert.Equal(t, discrete, new(prompt.ExtractionTemplate).Format(data), "the zero value")
	assert.Equal(t, discrete, (*prompt.ExtractionTemplate)(nil).Format(data), "nil")
	assert.Equal(t, summarise(summary), summarise(new(prompt.SummaryTemplate)), "the zero value")
	assert.Equal(t, summarise(summary), summarise(nil), "nil")
}

// Each text is a JSON string on a line of its own, whatever is in it.
func TestTemplatesGiveEveryTextOnce(t *testing.T) {
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
