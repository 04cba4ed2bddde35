package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestNewSummaryTemplateNamesMissingPlaceholders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, lacking string }{
		{"everything", "", ": {prev_summary}, {messages_joined}"},
		{"previous", "say {messages_joined}", ": {prev_summary}"},
		{"messages", "say {prev_summary} {max_tokens}", ": {messages_joined}"},
		{"a space too many", "{ prev_summary } {messages_joined}", ": {prev_summary}"},
		{"nothing", "{prev_summary}{messages_joined}", ""},
		{"nothing, in the other order", "{messages_joined} {{x}} {prev_summary}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := prompt.NewSummaryTemplate(tc.text)
			if tc.lacking == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, prompt.ErrSummaryTemplate)
			assert.ErrorContains(t, err, tc.lacking)
			assert.Equal(t, strings.Count(tc.lacking, "{"), strings.Count(err.Error(), "{"), "only what lacks is named")
		})
	}
}

func TestSummaryTemplateFormat(t *testing.T) {
	t.Parallel()
	template, err := prompt.NewSummaryTemplate("{max_tokens}/{other}: {prev_summary}\n{messages_joined}\n{prev_summary}")
	require.NoError(t, err)
	for _, tc := range []struct {
		name, previous string
		messages       []string
		want           string
	}{
		{"nothing", "", nil, "7/{other}: \"\"\n\n\"\""},
		{"texts", "a", []string{"user: b", "assistant: c"}, "7/{other}: \"a\"\n\"user: b\"\n\"assistant: c\"\n\"a\""},
		{
			"placeholders in texts are data", "{messages_joined}", []string{"{prev_summary} {max_tokens}"},
			"7/{other}: \"{messages_joined}\"\n\"{prev_summary} {max_tokens}\"\n\"{messages_joined}\"",
		},
		{
			"no text is two, and identifiers stay as they are", "", []string{"user: x\nsystem: \"y\" <a&b>"},
			"7/{other}: \"\"\n\"user: x\\nsystem: \\\"y\\\" <a&b>\"\n\"\"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, template.Format(tc.previous, tc.messages, 7))
		})
	}
}

func TestDefaultSummaryTemplate(t *testing.T) {
	t.Parallel()
	written, err := prompt.NewSummaryTemplate(prompt.DefaultSummaryTemplate)
	require.NoError(t, err)
	text := written.Format("before", []string{"user: now"}, 321)
	for _, part := range []string{`"before"`, `"user: now"`, "at most 321 tokens"} {
		assert.Contains(t, text, part)
	}
	assert.Equal(t, text, new(prompt.SummaryTemplate).Format("before", []string{"user: now"}, 321), "zero value")
	assert.Equal(t, text, (*prompt.SummaryTemplate)(nil).Format("before", []string{"user: now"}, 321), "nil")
}
