package summarize_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestTheSummarizerSeesEverythingInOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		sizes []int
	}{
		{"one request", []int{20, 20}},
		{"several", slices.Repeat([]int{30}, 40)},
		{"a giant", []int{20, 3000, 20}},
		{"giants", []int{500, 501, 1000}},
		{"one that just fits beside one that does not", []int{89, 90, 91, 92, 88}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			const input = 256
			writer := &fixture.Model{Answer: func(_ context.Context, r summary.Request) (string, error) {
				return strings.Repeat("so much ", r.MaxTokens), nil
			}}
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Counter: fixture.WordCounter{}, Window: 30, Summaries: summary.Options{Summarizer: writer, InputTokens: input, Mode: summary.Off},
			})
			require.NoError(t, err)
			var want []string
			for i, size := range tc.sizes {
				message := session.Message{Role: session.RoleUser}
				for word := range size - 1 {
					message.Content += fmt.Sprintf("m%d.%d ", i, word)
				}
				want = append(want, strings.Fields(message.Content)...)
				fixture.Send(t, m, message)
			}
			fixture.Send(t, m, fixture.Long("last", 10))
			outcome, err := m.Summarize(t.Context(), fixture.Anna)
			require.NoError(t, err)
			require.Equal(t, len(tc.sizes), outcome.Messages)

			var seen []string
			for i, r := range writer.Asked() {
				tokens := fixture.WordCounter{}.CountTokens(r.Previous)
				for _, text := range r.Messages {
					tokens += fixture.WordCounter{}.CountTokens(text)
					text, isPart := strings.CutPrefix(text, "user: … ")
					if !isPart {
						text = strings.TrimPrefix(text, "user: ")
					}
					seen = append(seen, strings.Fields(text)...)
				}
				assert.LessOrEqual(t, tokens*5/4+r.MaxTokens, input, "with a quarter more for the prompt")
				assert.Equal(t, i > 0, r.Previous != "", "each request carries the summary on")
			}
			assert.Equal(t, want, seen)
		})
	}
}

// What the default prompt makes of requests fits too: JSON in results of tools, which grows when
// it is quoted.
func TestPromptsFitTheInputOfTheSummarizer(t *testing.T) {
	t.Parallel()
	const input = 1600
	var template *prompt.SummaryTemplate
	counter := prompt.Estimator{}
	prompts := 0
	writer := &fixture.Model{Answer: func(_ context.Context, r summary.Request) (string, error) {
		prompts++
		assert.LessOrEqual(t, counter.CountTokens(template.Format(r.Previous, r.Messages, r.MaxTokens))+r.MaxTokens, input)
		return strings.Repeat("so much ", r.MaxTokens), nil
	}}
	m, err := session.NewManager(memstore.New(nil), &session.Options{
		Summaries: summary.Options{Summarizer: writer, InputTokens: input, Mode: summary.Off}, Window: 2000,
	})
	require.NoError(t, err)
	for i := range 200 {
		order := fmt.Sprintf("{\n  \"id\": \"W-%d\",\n  \"status\": \"shipped\",\n  \"customer\": {\n    \"name\": \"Anna\"\n  }\n}", i)
		fixture.Send(t, m, fixture.Says("", session.RoleTool, order))
	}
	outcome, err := m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, summary.Done, outcome.Status)
	assert.Greater(t, prompts, 3)
}

func TestAContextThatIsTooLongIsSummarisedToo(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprint("w", i))
	}
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer, InputTokens: 256, Mode: summary.Off})
	_, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Context, s.Messages = strings.Join(words, " "), fixture.Tens("a", "b", "c", "d", "e")
		return nil
	}, nil)
	require.NoError(t, err)
	_, err = m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	var seen []string
	for _, r := range writer.Asked() {
		for _, text := range r.Messages {
			if !strings.HasPrefix(text, "user: ") {
				seen = append(seen, strings.Fields(strings.TrimPrefix(text, "… "))...)
			}
		}
	}
	assert.Equal(t, words, seen)
	assert.Empty(t, writer.Asked()[0].Previous)
}

func TestEveryKnownIdentifierSurvives(t *testing.T) {
	t.Parallel()
	for name, writer := range map[string]summary.Summarizer{"a model that names none": fixture.During(t, func() {}), "extracts": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages, known := soak.Times(500, 5000), soak.Times(100, 1000)
			window := 40 * messages
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Window: window, Context: &memory.ContextOptions{Capacity: known},
				Summaries: summary.Options{Summarizer: writer, Mode: summary.Off},
			})
			require.NoError(t, err)
			id := func(i int) string {
				return []string{fmt.Sprintf("W-%d", i), fmt.Sprintf("page of team %d", i), "slug_" + strings.Repeat("x", i%7) + fmt.Sprint(i), fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)}[i%4]
			}
			fixture.ChangeHead(t, m, func(s *session.Session) {
				for i := range known {
					assert.NoError(t, s.Entities.Add(memory.Entity{Type: "thing", ID: id(i)}))
				}
				for i := range messages {
					s.Messages = append(s.Messages, fixture.Says("", session.RoleUser, fmt.Sprintf("Say something about (%s), and wait: there is more to come, believe me, than this.", id(i%known))))
				}
			})
			outcome, err := m.Summarize(t.Context(), fixture.Anna)
			require.NoError(t, err)
			require.Greater(t, outcome.Messages, messages/5)
			assert.Zero(t, outcome.Lost)
			s := fixture.Load(t, m, fixture.Anna)
			for i := range known {
				assert.Contains(t, s.Context, id(i))
			}
			assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(s.Context), 2000+window/4+10)
		})
	}
}

// Whatever is said and however the model answers, each message is in the session or
// was in a summary, once, in the order in which it was appended.
func TestNoMessageIsEverLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		writer := &fixture.Model{}
		answers := rapid.SampledFrom([]string{"fine", "", "I'm sorry, but I can't help with that.", strings.Repeat("more ", 100)})
		writer.Answer = func(context.Context, summary.Request) (string, error) { return answers.Draw(t, "answer"), nil }
		var gone, leaving []string
		m, err := session.NewManager(memstore.New(nil), &session.Options{
			Counter: fixture.WordCounter{}, Window: rapid.IntRange(1, 60).Draw(t, "window"),
			Summaries: summary.Options{
				Summarizer: writer, InputTokens: 256, RetryAfter: 1,
				Before: func(_ context.Context, _ session.Key, messages []session.Message) error {
					leaving = fixture.IDs(messages)
					return nil
				},
				OnSummary: func(_ session.Key, o summary.Outcome) {
					if o.Status == summary.Done {
						gone = append(gone, leaving...)
					}
				},
			},
		})
		require.NoError(t, err)
		var sent []string
		for i := range rapid.IntRange(1, 8).Draw(t, "appends") {
			var messages []session.Message
			for j := range rapid.IntRange(1, 3).Draw(t, "messages") {
				messages = append(messages, fixture.Long(fmt.Sprintf("%d.%d", i, j), rapid.IntRange(1, 60).Draw(t, "size")))
			}
			sent = append(sent, fixture.IDs(messages)...)
			_, err := m.Append(context.Background(), fixture.Anna, messages, nil)
			require.NoError(t, err)
			s, err := m.Load(context.Background(), fixture.Anna, nil)
			require.NoError(t, err)
			require.Equal(t, sent, slices.Concat(gone, fixture.IDs(s.Messages)))
		}
	})
}

func BenchmarkSummary(b *testing.B) {
	const messages = 5000
	var all []session.Message
	for i := range messages {
		all = append(all, fixture.Says("", session.RoleUser, fmt.Sprintf("Where is order W-%d? It should have come on Monday, with the others.", i)))
	}
	for _, tc := range []struct {
		name   string
		writer summary.Summarizer
	}{{"extracts", nil}, {"model", &fixture.Model{}}} {
		b.Run(tc.name, func(b *testing.B) {
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Window: 20_000, Summaries: summary.Options{Mode: summary.Off, Summarizer: tc.writer},
			})
			require.NoError(b, err)
			for b.Loop() {
				b.StopTimer()
				require.NoError(b, m.Delete(b.Context(), fixture.Anna))
				fixture.Send(b, m, all...)
				b.StartTimer()
				outcome, err := m.Summarize(b.Context(), fixture.Anna)
				require.NoError(b, err)
				require.Greater(b, outcome.Messages, messages/2)
			}
		})
	}
}

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
