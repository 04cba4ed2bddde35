package items_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestRememberCriteria(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorize(t, s, items.ItemInput{ID: "1", AgentID: "a", Tags: []string{"x", "y"}, Type: items.TypeFact, StepIndex: new(1), Importance: new(0.1)})
	memorize(t, s, items.ItemInput{ID: "2", AgentID: "b", Tags: []string{"y"}, Type: items.TypeGoal, StepIndex: new(2), Importance: new(0.2)})
	memorize(t, s, items.ItemInput{ID: "3", AgentID: "a", StepIndex: new(3), Importance: new(0.3)})
	memorize(t, s, items.ItemInput{ID: "forgotten", AgentID: "a", Tags: []string{"x", "y"}, StepIndex: new(2)})
	forget(t, s, "position:3", items.ForgetSoft)
	for _, test := range []struct {
		criteria items.Criteria
		want     []string
	}{
		{items.Criteria{}, []string{"3", "2", "1"}},
		{items.Criteria{AgentID: "a"}, []string{"3", "1"}},
		{items.Criteria{AnyTag: []string{"x", "y", "z"}}, []string{"2", "1"}},
		{items.Criteria{AllTags: []string{"x", "y"}}, []string{"1"}},
		{items.Criteria{Type: items.TypeGoal}, []string{"2"}},
		{items.Criteria{MinStep: new(2)}, []string{"3", "2"}},
		{items.Criteria{MaxStep: new(2)}, []string{"2", "1"}},
		{items.Criteria{MinImportance: 0.2}, []string{"3", "2"}},
		{items.Criteria{AgentID: "b", Type: items.TypeGoal, AnyTag: []string{"y"}, MaxStep: new(2)}, []string{"2"}},
	} {
		require.Equal(t, test.want, remember(t, s, "", test.criteria), "%+v", test.criteria)
		require.Equal(t, test.want, remember(t, s, "text", test.criteria), "%+v", test.criteria)
	}
}

// TestRelevance asks the questions of testdata/relevance.txt, in many languages.
func TestRelevance(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/relevance.txt")
	require.NoError(t, err)
	_, sections, _ := strings.Cut(string(data), "== ")
	for section := range strings.SplitSeq(sections, "== ") {
		title, lines, _ := strings.Cut(section, "\n")
		s, asked := newStore(t, items.Options{}), 0
		for line := range strings.Lines(lines) {
			line = strings.TrimSuffix(line, "\n")
			prompt, ok := strings.CutPrefix(line, "? ")
			if !ok {
				if line != "" {
					memorize(t, s, items.ItemInput{Text: line})
				}
				continue
			}
			prompt, ids, ok := strings.Cut(prompt, " =>")
			require.True(t, ok, line)
			want := []string{}
			for _, id := range strings.Fields(ids) {
				want = append(want, "i"+id)
			}
			require.ElementsMatch(t, want, remember(t, s, prompt, items.Criteria{}), "%s: %s", title, prompt)
			asked++
		}
		require.Positive(t, asked, title)
	}

	s := newStore(t, items.Options{})
	memorize(t, s, items.ItemInput{Tags: []string{"parcel", "tag-1"}})
	require.Len(t, remember(t, s, "parcels", items.Criteria{}), 1, "tags count")
	require.Len(t, remember(t, s, "tag-1", items.Criteria{}), 1)
}

func TestCommonWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ with, without, found int }{
		{3, 0, 3}, {2, 2, 2}, {3, 1, 0}, {4, 0, 0}, {4, 4, 4}, {5, 4, 0},
	} {
		s := newStore(t, items.Options{})
		for range test.with {
			memorize(t, s, items.ItemInput{Text: "my order, an order", Tags: []string{"order"}})
		}
		for range test.without {
			memorize(t, s, items.ItemInput{Text: "another text"})
		}
		require.Len(t, remember(t, s, "order of zebras", items.Criteria{}), test.found, "%+v", test)
	}
}

func TestScorer(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	var (
		s       *items.Store
		scores  []float64
		failure error
		calls   int
	)
	s = newStore(t, items.Options{Scorer: scorerFunc(func(ctx context.Context, prompt string, list []items.Item) ([]float64, error) {
		calls++
		require.Equal(t, []any{"value", " prompt "}, []any{ctx.Value(key{}), prompt})
		require.Equal(t, numbered(1, 4), itemIDs(list))
		for i := range list {
			require.Equal(t, i, list[i].Position)
			list[i].Tags[0] = "spoilt"
		}
		require.NoError(t, s.SetImportance(ctx, "i1", 0.1), "the store is not locked")
		return scores, failure
	})})
	require.Empty(t, remember(t, s, "prompt", items.Criteria{}), "there is nothing to score")
	for range 4 {
		memorize(t, s, items.ItemInput{Tags: []string{"tag"}})
	}
	scores = []float64{0.1, 0, math.NaN(), 99}
	found, err := s.Remember(ctx, " prompt ", items.Criteria{AnyTag: []string{"tag"}}, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"i4", "i1"}, itemIDs(found))
	require.Equal(t, "tag", found[0].Tags[0])

	scores = scores[:3]
	_, err = s.Remember(ctx, " prompt ", items.Criteria{}, 0)
	require.EqualError(t, err, "items: scorer failed: 3 scores for 4 items")
	failure = fmt.Errorf("wrapped: %w", errTest)
	found, err = s.Remember(ctx, " prompt ", items.Criteria{}, 0)
	require.ErrorIs(t, err, errTest)
	require.Empty(t, found)
	require.Len(t, remember(t, s, " ", items.Criteria{}), 4)
	require.Equal(t, 3, calls, "a blank prompt is not scored")
}
