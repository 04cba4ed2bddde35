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

func measure(t *testing.T, set *recall.Set) map[string]recall.Report {
	t.Helper()
	reports, err := set.Measure(t.Context(), memindex.New(nil))
	require.NoError(t, err)
	byMode := map[string]recall.Report{}
	for _, report := range reports {
		byMode[report.Search] = report
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
	require.Len(t, reports, 4)
	keyword := reports["keyword"]
	assert.InDelta(t, 2.0/3, keyword.Recall5, 1e-12)
	assert.InDelta(t, 2.0/3, keyword.MRR, 1e-12)
	assert.Equal(t, map[string]recall.Figures{
		"direct": {Questions: 2, Recall5: 1, Recall10: 1, Recall20: 1, MRR: 1}, "paraphrase": {Questions: 1},
	}, keyword.Categories)
	assert.Equal(t, []recall.Miss{{Text: "lounge", Category: "paraphrase", Answers: []string{"seat"}, Hits: []string{}}}, keyword.Misses)
	// Two memories of one user: seat2 is the newer one.
	assert.Equal(t, recall.Figures{Questions: 1, Recall5: 1, Recall10: 1, Recall20: 1, MRR: 0.5}, reports["newest"].Categories["paraphrase"])
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
		"keyword": {Recall5: 0.845, MRR: 0.82},
		"vector":  {Recall5: 0.87, MRR: 0.77},
		"hybrid":  {Recall5: 0.93, MRR: 0.87},
	} {
		assert.GreaterOrEqual(t, reports[mode].Recall5, least.Recall5, mode)
		assert.GreaterOrEqual(t, reports[mode].MRR, least.MRR, mode)
	}
	for _, form := range []string{"inflected", "order", "identifier"} {
		assert.GreaterOrEqual(t, reports["keyword"].Categories[form].Recall5, 0.95, form)
		assert.GreaterOrEqual(t, reports["hybrid"].Categories[form].Recall5, 0.95, form)
	}
	assert.GreaterOrEqual(t, reports["hybrid"].Categories["paraphrase"].Recall5, 0.8)
}

// TestScopeAndWordsBothMatter: the set would say nothing of scopes and filters if
// questions were answered without them, and nothing of words.
func TestScopeAndWordsBothMatter(t *testing.T) {
	t.Parallel()
	set, err := recall.Load()
	require.NoError(t, err)
	reports := measure(t, set)
	assert.Less(t, reports["newest"].Recall5, 0.4)
	for i := range set.Queries {
		set.Queries[i].Scope, set.Queries[i].Filter = longterm.Everyone(), longterm.RecordFilter{}
	}
	anyone := measure(t, set)
	assert.Less(t, anyone["keyword"].MRR, reports["keyword"].MRR-0.05)
	assert.Less(t, anyone["hybrid"].Recall5, reports["hybrid"].Recall5-0.05)
}
