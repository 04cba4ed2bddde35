package recall_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/recall"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

func TestScore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, ranking, answers string
		recall, reciprocal     float64
	}{
		{"first", "a b c", "a", 1, 1},
		{"fifth", "b c d e a", "a", 1, 0.2},
		{"sixth", "b c d e f a", "a", 0, 0},
		{"nothing found", "", "a", 0, 0},
		{"one of three, behind the end", "x y z u a b c", "a b c", 1.0 / 3, 0.2},
		{"one twice", "a a", "a b", 0.5, 1},
	} {
		found, reciprocal := recall.Score(strings.Fields(tc.ranking), strings.Fields(tc.answers))
		assert.InDelta(t, tc.recall, found, 1e-12, tc.name)
		assert.InDelta(t, tc.reciprocal, reciprocal, 1e-12, tc.name)
	}
}

func measure(t *testing.T, set *recall.Set) map[string]recall.Report {
	t.Helper()
	reports, err := set.Measure(t.Context(), memindex.New(nil))
	require.NoError(t, err)
	byMode := map[string]recall.Report{}
	for _, report := range reports {
		byMode[report.Mode] = report
	}
	return byMode
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	set, err := recall.Read(strings.NewReader(memories), strings.NewReader(
		`{"form":"direct","namespace":"n","user":"anna","text":"window","answers":["seat"]}
		 {"form":"direct","namespace":"n","text":"window aisle","answers":["bens","seat"]}
		 {"form":"paraphrase","namespace":"n","user":"anna","text":"lounge","answers":["seat"]}`))
	require.NoError(t, err)
	reports := measure(t, set)
	require.Len(t, reports, len(recall.Modes))
	keyword := reports["keyword"]
	assert.Equal(t, recall.Figures{Questions: 3, Recall: 2.0 / 3, MRR: 2.0 / 3}, keyword.Figures)
	assert.Equal(t, map[string]recall.Figures{
		"direct": {Questions: 2, Recall: 1, MRR: 1}, "paraphrase": {Questions: 1},
	}, keyword.Forms)
	assert.Equal(t, []recall.Miss{{Text: "lounge", Form: "paraphrase", Answers: []string{"seat"}, Hits: []string{}}}, keyword.Misses)
	// Two memories of one user: seat2 is the newer one.
	assert.Equal(t, recall.Figures{Questions: 1, Recall: 1, MRR: 0.5}, reports["newest"].Forms["paraphrase"])
	assert.Equal(t, reports, measure(t, set), "the same figures every time")
}

// TestSearchIsAsGood holds what is measured, less a little: a change that makes search
// worse shows here. The figures themselves are in docs/evaluation.md.
func TestSearchIsAsGood(t *testing.T) {
	t.Parallel()
	set, err := recall.Load()
	require.NoError(t, err)
	reports := measure(t, set)
	for mode, least := range map[string]recall.Figures{
		"keyword": {Recall: 0.82, MRR: 0.80},
		"vector":  {Recall: 0.85, MRR: 0.80},
		"hybrid":  {Recall: 0.865, MRR: 0.82},
	} {
		assert.GreaterOrEqual(t, reports[mode].Recall, least.Recall, mode)
		assert.GreaterOrEqual(t, reports[mode].MRR, least.MRR, mode)
	}
	for _, form := range []string{"inflected", "order", "identifier"} {
		assert.GreaterOrEqual(t, reports["keyword"].Forms[form].Recall, 0.95, form)
		assert.GreaterOrEqual(t, reports["hybrid"].Forms[form].Recall, 0.95, form)
	}
	assert.GreaterOrEqual(t, reports["hybrid"].Forms["typo"].Recall, 0.9)
}

// TestScopeAndWordsBothMatter: the set would say nothing of scopes and filters if
// questions were answered without them, and nothing of words.
func TestScopeAndWordsBothMatter(t *testing.T) {
	t.Parallel()
	set, err := recall.Load()
	require.NoError(t, err)
	reports := measure(t, set)
	assert.Less(t, reports["newest"].Recall, 0.4)
	for i := range set.Queries {
		set.Queries[i].Scope, set.Queries[i].Filter = longterm.Everyone(), longterm.RecordFilter{}
	}
	anyone := measure(t, set)
	assert.Less(t, anyone["keyword"].MRR, reports["keyword"].MRR-0.05)
	assert.Less(t, anyone["hybrid"].Recall, reports["hybrid"].Recall-0.05)
}
