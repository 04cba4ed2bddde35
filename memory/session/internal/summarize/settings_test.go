package summarize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestSummariesAreHeldToTheirLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name              string
		window, set, want int
	}{
		{"a tenth", 10_000, 0, 1000},
		{"at most", 1_000_000, 0, 2000},
		{"at least", 400, 0, 64},
		{"a quarter of a small window", 200, 0, 50},
		{"a tiny window", 1, 0, 16},
		{"as set", 10_000, 300, 300},
		{"not beyond a quarter", 400, 300, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) {
				return strings.Repeat("One two three four five. ", 1000), nil
			}}
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Counter: fixture.WordCounter{}, Window: tc.window, Summaries: summary.Options{Summarizer: writer, Tokens: tc.set, InputTokens: 10_000_000},
			})
			require.NoError(t, err)
			at := fixture.Send(t, m, fixture.Long("a", tc.window), fixture.Long("b", 2))
			require.Equal(t, summary.Done, at.Summary.Status)
			assert.Equal(t, tc.want, writer.Asked()[0].MaxTokens)
			assert.LessOrEqual(t, at.Summary.Tokens, tc.want)
			assert.Greater(t, at.Summary.Tokens, tc.want/2)
			text, _, _ := strings.Cut(fixture.Load(t, m, fixture.Anna).Context, "\n\n")
			assert.Equal(t, at.Summary.Tokens, fixture.WordCounter{}.CountTokens(text))
		})
	}
}

func TestSummariesOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s    summary.Options
		want string
	}{
		{summary.Options{Threshold: -0.1}, "Threshold"},
		{summary.Options{Threshold: 1.1}, "Threshold"},
		{summary.Options{Threshold: 1e-9}, "Threshold"},
		{summary.Options{Keep: 0.7}, "Keep"},
		{summary.Options{Keep: -1}, "Keep"},
		{summary.Options{Mode: 3}, "Mode"},
		{summary.Options{Mode: -1}, "Mode"},
		{summary.Options{InputTokens: 255}, "InputTokens"},
		{summary.Options{InputTokens: -1}, "InputTokens"},
		{summary.Options{Tokens: -1}, "negative"},
		{summary.Options{Timeout: -1}, "negative"},
		{summary.Options{RetryAfter: -1}, "negative"},
		{summary.Options{Workers: -1}, "negative"},
		{summary.Options{QueueLimit: -1}, "negative"},
		{summary.Options{Threshold: 1, Keep: 0.99, InputTokens: 256}, ""},
		{summary.Options{Threshold: 0.2}, ""},
	} {
		_, err := session.NewManager(memstore.New(nil), &session.Options{Summaries: tc.s})
		if tc.want == "" {
			assert.NoError(t, err, "%+v", tc.s)
			continue
		}
		assert.ErrorContains(t, err, tc.want, "%+v", tc.s)
	}
}
