package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/recall"
)

// dataset has two conversations: one of turns, one of notes about turns.
const dataset = `{"name": "small", "conversations": [
	{"id": "turns", "records": [
		{"id": "t1", "text": "Anna: Where did you put the violin?", "session": "s1", "date": "2024-03-02T10:00:00Z"},
		{"id": "t2", "text": "Ben: In the cupboard under the stairs.", "session": "s1", "date": "2024-03-02T10:01:00Z", "covers": ["t2"], "plain": "x", "speaker": "Ben"},
		{"id": "t3", "text": "Anna: The piano was sold.", "session": "s2", "date": "2024-05-01T10:00:00Z"}
	], "questions": [
		{"text": "What was sold?", "category": "single", "evidence": ["t3"], "answer": "the piano"},
		{"text": "Which violin is in the cupboard?", "category": "several", "evidence": ["t1", "t2"]},
		{"text": "What did they talk about in March 2024?", "category": "time", "evidence": ["t1", "t2"]},
		{"text": "Who plays the drums?", "category": "adversarial", "evidence": ["t1"]},
		{"text": "Who knows?", "category": "single", "evidence": []}
	]},
	{"id": "notes", "records": [
		{"id": "n1", "text": "Carla planted two apple trees.", "session": "s1", "date": "2024-03-02T10:00:00Z", "covers": ["t1", "t5"]},
		{"id": "n2", "text": "Carla has a garden.", "session": "s1", "date": "2024-03-02T10:00:00Z", "covers": ["t9"]}
	], "questions": [
		{"text": "How many apple trees did Carla plant?", "category": "single", "evidence": ["t5", "t7"]}
	]}
]}`

func TestDataset(t *testing.T) {
	t.Parallel()
	set, err := recall.ReadDataset(strings.NewReader(dataset))
	require.NoError(t, err)
	reports, err := set.Measure(t.Context())
	require.NoError(t, err)
	names := map[string]recall.Report{}
	for _, r := range reports {
		names[r.Search] = r
		assert.Equal(t, 4, r.Questions, r.Search)
		assert.Equal(t, 2, r.Categories["single"].Questions, r.Search)
	}
	require.Len(t, names, 6)
	for _, search := range []string{"keyword", "hybrid", "BM25", "FTS5"} {
		r := names[search]
		assert.Equal(t, recall.Figures{Questions: 2, Recall5: 0.75, Recall10: 0.75, Recall20: 0.75, MRR: 1}, r.Categories["single"], "%s: half of the evidence is nowhere", search)
		assert.Equal(t, 1.0, r.Categories["several"].Recall5, search)
	}
	assert.Equal(t, 1.0, names["keyword"].Categories["time"].Recall5, "dates are words")
	assert.Zero(t, names["BM25"].Categories["time"].Recall5)
	assert.Less(t, names["newest"].MRR, 1.0)
	again, err := set.Measure(t.Context())
	require.NoError(t, err)
	require.Equal(t, reports, again, "the same figures every time")

	notes, err := set.MeasureNotes(t.Context())
	require.NoError(t, err)
	byRule := map[string]recall.Notes{}
	for _, n := range notes {
		byRule[n.Rule] = n
		assert.Equal(t, 3, n.Unanswerable, "every third of 5 and of 1: %s", n.Rule)
	}
	assert.Zero(t, byRule["more than a third of the words"].Misled)
	assert.Greater(t, byRule["default"].Recall, 0.5)
}

func TestDatasetRefused(t *testing.T) {
	t.Parallel()
	const record = `{"id": "1", "text": "tea", "date": "2024-03-02T10:00:00Z"}`
	for want, text := range map[string]string{
		"EOF":                       "",
		"no conversations":          `{"name": "x"}`,
		"unknown field":             `{"name": "x", "sessions": []}`,
		"no date":                   fmt.Sprintf(`{"conversations": [{"records": [%s]}]}`, `{"id": "1", "text": "tea"}`),
		"empty or repeated":         fmt.Sprintf(`{"conversations": [{"records": [%s, %s]}]}`, record, record),
		"no text or no category":    fmt.Sprintf(`{"conversations": [{"records": [%s], "questions": [{"text": "tea?", "evidence": ["1"]}]}]}`, record),
		`conversation "": record 1`: `{"conversations": [{"records": [{"text": "tea", "date": "2024-03-02T10:00:00Z"}]}]}`,
	} {
		_, err := recall.ReadDataset(strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
}
