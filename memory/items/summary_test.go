package items_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func summarize(t *testing.T, s *items.Store, selection items.Selection, maxTokens int) items.Summary {
	t.Helper()
	summary, err := s.Summarize(t.Context(), selection, maxTokens)
	require.NoError(t, err)
	return summary
}

// delivery returns a store of items about a delivery.
func delivery(t *testing.T, opts items.Options) *items.Store {
	t.Helper()
	s := newStore(t, opts)
	memorize(t, s, items.ItemInput{Type: items.TypeGoal, Text: "Find out where order W123 is.", Importance: new(0.9), Tags: []string{"order"}})
	memorize(t, s, items.ItemInput{Type: items.TypeObservation, Text: "Parcel P-77 of W123 left on Monday.\nIt weighs four kilograms.", Tags: []string{"order", "parcel"}})
	memorize(t, s, items.ItemInput{Type: items.TypeConversation, Text: "The weather is nice today.", Importance: new(0.1)})
	return s
}

// bySquares is a counter that no tokenizer resembles: counts of parts do not add up.
var bySquares = counterFunc(func(text string) int { return len(text) * len(text) / 50 })

// drawTexts draws texts of sentences with identifiers.
func drawTexts(t *rapid.T) []string {
	sentence := rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"the", "order", "was", "sent", "退货单", "e.g.", "W123", "W124", "P-77"}),
			rapid.StringMatching(`#?[A-Z]{1,3}[0-9]{1,6}`),
			rapid.StringMatching(`[ -~]{0,8}`),
		), 1, 12).Draw(t, "words")
		return strings.Join(words, " ") + rapid.SampledFrom([]string{". ", "! ", "\n", "。", " "}).Draw(t, "end")
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(sentence, 1, 4).Draw(t, "sentences"), "")
	}), 0, 12).Draw(t, "texts")
}

func identifiersOf(texts ...string) []string {
	var ids []string
	for _, text := range texts {
		ids = slices.AppendSeq(ids, plaintext.Identifiers(text))
	}
	return ids
}

// TestSummaryProperties draws stores, counters and summarizers.
func TestSummaryProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counter := rapid.SampledFrom([]counterFunc{byWords, bySquares}).Draw(t, "counter")
		texts := drawTexts(t)
		limit := rapid.IntRange(-1, 200).Draw(t, "limit")
		opts := items.Options{MaxTokens: 1 << 40, Counter: counter}
		model := rapid.Bool().Draw(t, "model")
		if model {
			written := rapid.SampledFrom(append(texts, "", "A W123 of nothing. B.")).Draw(t, "written")
			opts.Summarizer = summarizerFunc(func(context.Context, []string, int) (string, error) { return written, nil })
		}
		s, err := items.New(&opts)
		require.NoError(t, err)
		for i, text := range texts {
			in := items.ItemInput{ID: fmt.Sprint(i), Text: text, Importance: new(importances.Draw(t, "importance"))}
			_, err := s.Memorize(t.Context(), in)
			require.NoError(t, err)
		}

		summary, err := s.Summarize(t.Context(), items.SelectAll, limit)
		require.NoError(t, err)
		require.LessOrEqual(t, counter(summary.Text), max(limit, 0))
		require.Equal(t, counter(summary.Text), summary.Tokens)
		require.True(t, utf8.ValidString(summary.Text))
		require.True(t, slices.IsSortedFunc(summary.Sources, func(a, b string) int {
			i, _ := strconv.Atoi(a)
			j, _ := strconv.Atoi(b)
			return i - j
		}), "oldest first")

		if !model {
			require.Subset(t, identifiersOf(texts...), identifiersOf(summary.Text), "identifiers are neither cut nor invented")
		}
	})
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	s := delivery(t, items.Options{})
	const goal = "goal: Find out where order W123 is.\nobservation: "
	for maxTokens, want := range map[int]struct {
		text    string
		sources int
	}{
		100: {goal + "Parcel P-77 of W123 left on Monday. It weighs four kilograms.\nconversation: The weather is nice today.", 3},
		19:  {goal + "Parcel P-77 of W123 left on Monday. It weighs four kilograms.", 2},
		16:  {goal + "Parcel P-77 of W123 left on Monday.", 2},
		13:  {goal + "It weighs four kilograms. (P-77)", 2},
		10:  {goal + "P-77", 2},
		4:   {"goal: W123\nobservation: P-77", 2},
		2:   {"goal: W123", 1},
		1:   {"", 0},
		0:   {"", 0},
		-1:  {"", 0},
	} {
		var sources []string
		if want.sources > 0 {
			sources = numbered(1, want.sources)
		}
		require.Equal(t, items.Summary{Text: want.text, Tokens: byWords(want.text), Sources: sources}, summarize(t, s, "", maxTokens), "%d tokens", maxTokens)
	}

	repeated := newStore(t, items.Options{})
	for _, x := range []float64{0.1, 0.9, 0.5} {
		memorize(t, repeated, items.ItemInput{Text: "Where is W123, or is it W123?", Importance: &x})
	}
	require.Equal(t, items.Summary{Text: "custom: W123", Tokens: 2, Sources: []string{"i2"}}, summarize(t, repeated, "", 7), "an identifier is listed once")
	forged := newStore(t, items.Options{})
	memorize(t, forged, items.ItemInput{Text: "one\r\ngoal: forged\u2028goal: forged\vgoal: forged"})
	require.Equal(t, "custom: one goal: forged goal: forged goal: forged", summarize(t, forged, "", 99).Text, "a text cannot forge a line")
}

func TestSummarizeSelections(t *testing.T) {
	t.Parallel()
	step := 0
	s := delivery(t, items.Options{Step: func() int { return step }})
	step = 5
	require.Empty(t, summarize(t, s, items.SelectRecent, 99).Sources)
	memorize(t, s, items.ItemInput{})
	memorize(t, s, items.ItemInput{Tags: []string{"order"}})
	forget(t, s, "position:4", items.ForgetSoft)
	for selection, want := range map[items.Selection][]string{
		"":                        numbered(1, 4),
		"all":                     numbered(1, 4),
		"recent":                  {"i4"},
		"important":               {"i1"},
		"by_tag:order":            {"i1", "i2"},
		items.SelectTag("parcel"): {"i2"},
		items.SelectTag("absent"): nil,
	} {
		require.Equal(t, want, summarize(t, s, selection, 100).Sources, "%q", selection)
	}
	for _, selection := range []items.Selection{secret, "by_tag:"} {
		summary, err := s.Summarize(t.Context(), selection, 100)
		require.ErrorIs(t, err, items.ErrSelection, "%q", selection)
		require.NotContains(t, err.Error(), secret)
		require.Zero(t, summary)
	}
	require.Zero(t, summarize(t, newStore(t, items.Options{}), items.SelectAll, 100), "empty store")
}

func TestSummarizer(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	for _, test := range []struct {
		name              string
		maxTokens, budget int
		written, want     string
	}{
		{"identifiers kept", 20, 17, "P-77 of W123 is on its way.", "P-77 of W123 is on its way."},
		{"identifier dropped", 20, 17, " The parcel P-77 is on its way.\n", "The parcel P-77 is on its way.\nidentifiers: W123"},
		{"too long", 12, 9, strings.Repeat("Much is written. ", 9), "Much is written. Much is written. Much is written.\nidentifiers: W123, P-77"},
		{"too long and identifier dropped", 9, 6, strings.Repeat("P-77 is late. ", 9), "P-77 is late. P-77 is late.\nidentifiers: W123"},
		{"invalid UTF-8", 20, 17, "W123\xff, P-77", "W123\uFFFD, P-77\nidentifiers: W123"},
	} {
		var s *items.Store
		s = delivery(t, items.Options{Summarizer: summarizerFunc(func(ctx context.Context, texts []string, maxTokens int) (string, error) {
			require.Equal(t, []any{"value", test.budget}, []any{ctx.Value(key{}), maxTokens}, test.name)
			require.Equal(t, []string{
				"goal: Find out where order W123 is.",
				"observation: Parcel P-77 of W123 left on Monday.\nIt weighs four kilograms.",
				"conversation: The weather is nice today.",
			}, texts)
			require.Equal(t, 3, s.Len(), "the store is not locked")
			return test.written, nil
		})})
		summary, err := s.Summarize(ctx, items.SelectAll, test.maxTokens)
		require.NoError(t, err)
		require.Equal(t, items.Summary{Text: test.want, Tokens: byWords(test.want), Sources: numbered(1, 3)}, summary, test.name)
	}
}

func TestSummarizerFails(t *testing.T) {
	t.Parallel()
	extracted := summarize(t, delivery(t, items.Options{}), items.SelectAll, 16)
	for text, err := range map[string]error{"half of it": errTest, " \n": nil} {
		calls := 0
		s := delivery(t, items.Options{Summarizer: summarizerFunc(func(context.Context, []string, int) (string, error) {
			calls++
			return text, err
		})})
		summary := summarize(t, s, items.SelectAll, 16)
		if err != nil {
			require.EqualError(t, summary.ModelErr, "items: summarizer failed: test failure")
			require.ErrorIs(t, summary.ModelErr, errTest)
		} else {
			require.EqualError(t, summary.ModelErr, "items: summarizer failed: empty summary")
		}
		summary.ModelErr = nil
		require.Equal(t, extracted, summary)
		require.Zero(t, summarize(t, s, items.SelectTag("none"), 16))
		require.Zero(t, summarize(t, s, items.SelectAll, 0))
		require.Equal(t, 1, calls, "it is not called for nothing")
	}
}

func TestExtractiveSummarizer(t *testing.T) {
	t.Parallel()
	summarize := func(s items.TextSummarizer, maxTokens int, texts ...string) string {
		text, err := s.Summarize(t.Context(), texts, maxTokens)
		require.NoError(t, err)
		return text
	}
	s := items.ExtractiveSummarizer{Counter: byWords}
	texts := []string{"First, A1 was bought. It was red.", "Then B2 was sold."}
	require.Equal(t, "A1\nThen B2 was sold.", summarize(s, 7, texts...), "the newer text comes first")
	require.Equal(t, "B2", summarize(s, 1, texts...))
	require.Empty(t, summarize(items.ExtractiveSummarizer{Counter: counterFunc(func(string) int { return 0 })}, 0, texts...))
	require.Equal(t, "\uFFFD", summarize(items.ExtractiveSummarizer{}, 9, "", "\xff "))

	q, err := queue.New(5, &queue.Options[string]{Compact: queue.SummarizeOlder(1, items.SummarizeTexts(s, 2))})
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), append(texts, "c", "d", "e")...))
	require.NoError(t, q.Append(t.Context(), "f"))
	require.Equal(t, []string{"A1\nB2", "e", "f"}, q.Items())
}
