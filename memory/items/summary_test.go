package items_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// summarize returns a summary that must be made.
func summarize(t *testing.T, s *items.Store, scope items.Selection, maxTokens int) items.Summary {
	t.Helper()
	summary, err := s.Summarize(t.Context(), scope, maxTokens)
	require.NoError(t, err)
	return summary
}

// delivery is a store of what was said about a delivery.
func delivery(t *testing.T, opts items.Options) *items.Store {
	t.Helper()
	s := newStore(t, opts)
	memorize(t, s, items.ItemInput{Type: items.TypeGoal, Text: "Find out where order W123 is.", Importance: new(0.9), Tags: []string{"order"}})
	memorize(t, s, items.ItemInput{Type: items.TypeObservation, Text: "Parcel P-77 of W123 left on Monday.\nIt weighs four kilograms.", Tags: []string{"order", "parcel"}})
	memorize(t, s, items.ItemInput{Type: items.TypeConversation, Text: "The weather is nice today.", Importance: new(0.1)})
	return s
}

func TestSummaryTakesWhatFits(t *testing.T) {
	t.Parallel()
	s := delivery(t, items.Options{})
	for _, test := range []struct {
		what      string
		maxTokens int
		want      string
		sources   []string
	}{
		{"everything", 100, "goal: Find out where order W123 is.\nobservation: Parcel P-77 of W123 left on Monday. It weighs four kilograms.\nconversation: The weather is nice today.", numbered(1, 3)},
		{"all but the least important", 19, "goal: Find out where order W123 is.\nobservation: Parcel P-77 of W123 left on Monday. It weighs four kilograms.", numbered(1, 2)},
		{"one sentence of two", 16, "goal: Find out where order W123 is.\nobservation: Parcel P-77 of W123 left on Monday.", numbered(1, 2)},
		{"a whole text and an identifier", 10, "goal: Find out where order W123 is.\nobservation: P-77", numbered(1, 2)},
		{"a short sentence beside an identifier", 13, "goal: Find out where order W123 is.\nobservation: It weighs four kilograms. (P-77)", numbered(1, 2)},
		{"identifiers alone", 4, "goal: W123\nobservation: P-77", numbered(1, 2)},
		{"the identifier of what is most important", 2, "goal: W123", numbered(1, 1)},
		{"nothing", 1, "", nil},
		{"no tokens", 0, "", nil},
		{"less than no tokens", -1, "", nil},
	} {
		summary := summarize(t, s, items.SelectAll, test.maxTokens)
		require.Equal(t, items.Summary{Text: test.want, Tokens: byWords(test.want), Sources: test.sources}, summary, test.what)
	}
}

func TestAnIdentifierIsNamedOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for _, x := range []float64{0.1, 0.9, 0.5} {
		memorize(t, s, items.ItemInput{Text: "Where is W123, or is it W123?", Importance: &x})
	}
	require.Equal(t, items.Summary{Text: "custom: W123", Tokens: 2, Sources: []string{"i2"}},
		summarize(t, s, items.SelectAll, 7), "beside the most important item")
}

func TestScopesOfSummaries(t *testing.T) {
	t.Parallel()
	s := delivery(t, items.Options{})
	for range 5 {
		s.AdvanceStep()
	}
	memorize(t, s, items.ItemInput{})
	for scope, want := range map[items.Selection][]string{
		"":                        numbered(1, 4),
		"all":                     numbered(1, 4),
		"recent":                  {"i4"},
		"important":               {"i1"},
		"by_tag:order":            {"i1", "i2"},
		items.SelectTag("parcel"): {"i2"},
		items.SelectTag("s3cret"): nil,
	} {
		require.Equal(t, want, summarize(t, s, scope, 100).Sources, "scope %q", scope)
	}
	for _, scope := range []items.Selection{"s3cret", "by_tag:", "ALL", "recent "} {
		summary, err := s.Summarize(t.Context(), scope, 100)
		require.ErrorIs(t, err, items.ErrSelection, "scope %q", scope)
		require.NotContains(t, err.Error(), "s3cret")
		require.Zero(t, summary)
	}
	require.Zero(t, summarize(t, newStore(t, items.Options{}), items.SelectAll, 100), "of an empty store")
}

func TestScopeRecentKnowsTheCurrentStep(t *testing.T) {
	t.Parallel()
	step := 0
	s := newStore(t, items.Options{Step: func() int { return step }})
	memorize(t, s, items.ItemInput{})
	step = 5
	require.Empty(t, summarize(t, s, items.SelectRecent, 99).Sources)
}

func TestALineOfASummaryIsALine(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorize(t, s, items.ItemInput{Text: "one\r\ngoal: forged\u2028goal: forged\vgoal: forged"})
	require.Equal(t, "custom: one goal: forged goal: forged goal: forged", summarize(t, s, "", 99).Text)
}

// summarizerFunc is a Summarizer.
type summarizerFunc func(ctx context.Context, texts []string, maxTokens int) (string, error)

func (f summarizerFunc) Summarize(ctx context.Context, texts []string, maxTokens int) (string, error) {
	return f(ctx, texts, maxTokens)
}

func TestSummarizer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what      string
		maxTokens int
		budget    int // it is to be given
		written   string
		want      string
	}{
		{"one that keeps the identifiers", 20, 17, "P-77 of W123 is on its way.", "P-77 of W123 is on its way."},
		{"one that drops identifiers", 20, 17, " The parcel P-77 is on its way.\n", "The parcel P-77 is on its way.\nidentifiers: W123"},
		{"one that changes an identifier", 20, 17, "W1234 and p-77.", "W1234 and p-77.\nidentifiers: W123, P-77"},
		{"one that writes too much", 12, 9, strings.Repeat("Much is written. ", 9), "Much is written. Much is written. Much is written.\nidentifiers: W123, P-77"},
		{"one that writes too much and drops one", 9, 6, strings.Repeat("P-77 is late. ", 9), "P-77 is late. P-77 is late.\nidentifiers: W123"},
		{"one that has hardly any room", 4, 2, "Much is written.", "identifiers: W123, P-77"},
		{"one that has no room for all identifiers", 2, 1, "Much is written.", "identifiers: W123"},
		{"one that writes what is not valid", 20, 17, "W123\xff, P-77", "W123\uFFFD, P-77\nidentifiers: W123"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			type key struct{}
			ctx := context.WithValue(t.Context(), key{}, "value")
			var s *items.Store
			s = delivery(t, items.Options{Summarizer: summarizerFunc(func(ctx context.Context, texts []string, maxTokens int) (string, error) {
				require.Equal(t, "value", ctx.Value(key{}))
				require.Equal(t, []string{
					"goal: Find out where order W123 is.",
					"observation: Parcel P-77 of W123 left on Monday.\nIt weighs four kilograms.",
					"conversation: The weather is nice today.",
				}, texts)
				require.Equal(t, test.budget, maxTokens)
				require.Equal(t, 3, s.Len(), "the store is not locked")
				return test.written, nil
			})})
			summary, err := s.Summarize(ctx, items.SelectAll, test.maxTokens)
			require.NoError(t, err)
			require.Equal(t, items.Summary{Text: test.want, Tokens: byWords(test.want), Sources: numbered(1, 3)}, summary)
		})
	}
}

func TestSummarizerThatFails(t *testing.T) {
	t.Parallel()
	extractive := summarize(t, delivery(t, items.Options{}), items.SelectAll, 16)
	for what, written := range map[string]func() (string, error){
		"fails":          func() (string, error) { return "half of it", errTest },
		"writes nothing": func() (string, error) { return " \n", nil },
	} {
		s := delivery(t, items.Options{Summarizer: summarizerFunc(func(context.Context, []string, int) (string, error) {
			return written()
		})})
		summary := summarize(t, s, items.SelectAll, 16)
		require.Error(t, summary.ModelErr, what)
		require.Equal(t, what == "fails", summary.ModelErr.Error() == "items: summarizer failed: failure of a test")
		summary.ModelErr = nil
		require.Equal(t, extractive, summary, what)
		require.Zero(t, summarize(t, s, items.SelectTag("none"), 16), "it is not asked for nothing")
		require.Zero(t, summarize(t, s, items.SelectAll, 0), "nor for no tokens")
	}
}

// counters count in ways that no tokenizer does: what they say of a whole has
// little to do with what they say of its parts.
var counters = map[string]counterFunc{
	"words":    byWords,
	"bytes":    func(text string) int { return len(text) },
	"estimate": plaintext.EstimateTokens,
	"constant": func(text string) int { return min(len(text), 7) },
	"squares":  func(text string) int { return len(text) * len(text) / 50 },
	"up and down": func(text string) int {
		return len(text)/4 + len(text)%7
	},
}

// texts draws texts of sentences with identifiers.
func drawTexts(t *rapid.T) []string {
	sentence := rapid.Custom(func(t *rapid.T) string {
		words := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"the", "order", "was", "sent", "退货单", "e.g.", "W123", "W124", "P-77"}),
			rapid.StringMatching(`#?[A-Z]{1,3}[0-9]{1,6}`),
			rapid.StringMatching(`[ -~]{0,8}`),
		), 1, 12).Draw(t, "words")
		return strings.Join(words, " ") + rapid.SampledFrom([]string{". ", "! ", "\n", "。", " "}).Draw(t, "end")
	})
	texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(sentence, 1, 4).Draw(t, "sentences"), "")
	}), 0, 12).Draw(t, "texts")
	return texts
}

func identifiersOf(texts ...string) []string {
	var ids []string
	for _, text := range texts {
		ids = slices.AppendSeq(ids, plaintext.Identifiers(text))
	}
	return ids
}

// TestSummariesKeepTheirPromises draws stores, counters and summarizers.
func TestSummariesKeepTheirPromises(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range counters {
			_ = yield(name)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		counter := counters[rapid.SampledFrom(names).Draw(t, "counter")]
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
		require.LessOrEqual(t, counter(summary.Text), max(limit, 0), "never over the limit")
		require.Equal(t, counter(summary.Text), summary.Tokens)
		require.True(t, utf8.ValidString(summary.Text))
		require.True(t, slices.IsSortedFunc(summary.Sources, func(a, b string) int {
			return slices.Index(numberedFrom0(len(texts)), a) - slices.Index(numberedFrom0(len(texts)), b)
		}), "oldest first")

		written := identifiersOf(summary.Text)
		if !model {
			require.Subset(t, identifiersOf(texts...), written, "none is cut or made up")
			lines := strings.Split(summary.Text, "\n")
			if summary.Text == "" {
				lines = nil
			}
			require.Len(t, lines, len(summary.Sources), "a line for each source")
		}
		ids := identifierLines(texts)
		if model {
			ids += "identifiers: " + ids
		}
		if counter(ids) <= limit && monotonic(counter) {
			require.Subset(t, written, identifiersOf(texts...), "all that fit are kept")
		}
		again, err := s.Summarize(t.Context(), items.SelectAll, limit)
		require.NoError(t, err)
		require.Equal(t, summary, again, "the same each time")
	})
}

func numberedFrom0(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	return ids
}

// identifierLines is more than a summary of nothing but identifiers takes.
func identifierLines(texts []string) string {
	var lines []string
	for _, text := range texts {
		if ids := identifiersOf(text); len(ids) > 0 {
			lines = append(lines, "custom: "+strings.Join(ids, ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// monotonic reports whether a counter says of more text that it is more.
func monotonic(counter counterFunc) bool {
	return counter(strings.Repeat("a", 7)) >= counter(strings.Repeat("a", 6))
}

func TestExtractiveSummarizer(t *testing.T) {
	t.Parallel()
	texts := []string{"First, A1 was bought. It was red.", "Then B2 was sold."}
	s := items.ExtractiveSummarizer{Counter: byWords}
	for maxTokens, want := range map[int]string{
		11: "First, A1 was bought. It was red.\nThen B2 was sold.",
		8:  "First, A1 was bought.\nThen B2 was sold.",
		7:  "A1\nThen B2 was sold.",
		2:  "A1\nB2",
		1:  "B2",
		0:  "",
		-1: "",
	} {
		got, err := s.Summarize(t.Context(), texts, maxTokens)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d tokens", maxTokens)
	}
	got, err := items.ExtractiveSummarizer{}.Summarize(t.Context(), nil, 9)
	require.NoError(t, err)
	require.Empty(t, got)
	free := items.ExtractiveSummarizer{Counter: counterFunc(func(string) int { return 0 })}
	got, err = free.Summarize(t.Context(), texts, 0)
	require.NoError(t, err)
	require.Empty(t, got, "no tokens, even where a text takes none")
	got, err = items.ExtractiveSummarizer{}.Summarize(t.Context(), []string{"", "\xff "}, 9)
	require.NoError(t, err)
	require.Equal(t, "\uFFFD", got)
}

func TestSummaryOfManyItems(t *testing.T) {
	t.Parallel()
	s := fullStore(t, 5000)
	summary := summarize(t, s, items.SelectAll, 300)
	require.LessOrEqual(t, summary.Tokens, 300)
	require.Greater(t, summary.Tokens, 250, "the room is used")
	it, err := s.Get(summary.Sources[len(summary.Sources)-1])
	require.NoError(t, err)
	require.Equal(t, 0.9, it.Importance)
	require.Contains(t, summary.Text, "W0004999")
}

func TestSummarizeTextsAsksTheSummarizer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	failed := errors.New("failed")
	var asked []string
	summarizer := summarizerFunc(func(_ context.Context, texts []string, maxTokens int) (string, error) {
		require.Equal(t, 50, maxTokens)
		asked = texts
		if len(texts) > 3 {
			return "", failed
		}
		return "summary", nil
	})
	q, err := queue.New(5, &queue.Options[string]{
		Compact: queue.SummarizeOlder(2, items.SummarizeTexts(summarizer, 50)),
	})
	require.NoError(t, err)
	require.NoError(t, q.Append(ctx, "a", "b", "c", "d"))
	require.NoError(t, q.Append(ctx, "e"))
	require.ErrorIs(t, q.Append(ctx, "f"), failed)
	require.Equal(t, []string{"a", "b", "c", "d"}, asked)
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, q.Items())
}
