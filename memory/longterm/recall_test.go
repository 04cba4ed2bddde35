package longterm_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t,
		longterm.Record{ID: "fact", Text: " Anna likes window seats. ", CreatedAt: noon.Add(-2 * time.Hour)},
		longterm.Record{ID: "copy", Text: "Anna likes window seats.", SessionID: "s", CreatedAt: noon.Add(-time.Hour)},
		longterm.Record{ID: "event", Text: "A window was broken.", Type: session.RecordEpisodic, EventDate: noon.Add(-9 * day)},
		longterm.Record{ID: "said", Text: "window?", Type: session.RecordMessage},
		longterm.Record{ID: "other", Text: "Bob eats meat."},
	)
	list, err := w.Recall(t.Context(), anna, "A seat at the window?", nil)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "Anna likes window seats.", list[0].Text)
	require.Equal(t, items.TypeFact, list[0].Type)
	require.Equal(t, 1, list[0].Position)
	require.InDelta(t, 1, list[0].Importance, 0.001)
	require.LessOrEqual(t, list[0].Importance, 1.0)
	require.Greater(t, list[0].Importance, list[1].Importance)
	require.Equal(t, "event", list[1].ID)
	require.Equal(t, items.TypeObservation, list[1].Type)
	require.Equal(t, noon.Add(-9*day), list[1].Timestamp)
	require.Zero(t, list[1].Position)
	require.Equal(t, 1, w.get(t, "event").AccessCount)
	require.Zero(t, w.get(t, "other").AccessCount)
	require.Equal(t, 1, w.get(t, "fact").AccessCount+w.get(t, "copy").AccessCount, "of equal texts one is used")

	block := prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: list})
	require.Contains(t, block, "- observation: \"A window was broken.\"\n  - fact: \"Anna likes window seats.\"")
}

func TestRecallOptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		said string
		opts longterm.RecallOptions
		want []string
	}{
		"nothing said": {" ", longterm.RecallOptions{}, nil},
		"limit":        {"tea", longterm.RecallOptions{Limit: 1}, []string{"new"}},
		"score":        {"tea", longterm.RecallOptions{MinScore: 0.9}, []string{"new"}},
		"filter":       {"tea", longterm.RecallOptions{Filter: longterm.RecordFilter{Topics: &longterm.TextCondition{Eq: new("old")}}}, []string{"old"}},
		"messages":     {"tea", longterm.RecallOptions{Filter: longterm.RecordFilter{Type: &longterm.TextCondition{Eq: new("message")}}}, []string{"said"}},
		"no recency":   {"tea", longterm.RecallOptions{MinScore: 0.99, Recency: &longterm.Recency{Match: 1, HalfAccess: 1, HalfAge: 1}}, []string{"new", "old"}},
		"no match":     {"coffee", longterm.RecallOptions{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			w.put(t, longterm.Record{ID: "old", Text: "tea old", Topics: []string{"old"}, CreatedAt: noon.Add(-365 * day), LastAccessed: noon.Add(-365 * day)},
				longterm.Record{ID: "new", Text: "tea new", Topics: []string{"new"}}, longterm.Record{ID: "said", Text: "tea said", Type: session.RecordMessage})
			test.opts.NoTouch = true
			items, err := w.Recall(t.Context(), anna, test.said, &test.opts)
			require.NoError(t, err)
			require.Equal(t, test.want, itemIDs(items))
			require.Zero(t, w.get(t, "new").AccessCount)
		})
	}
	w := setup(t, nil)
	for _, opts := range []longterm.RecallOptions{
		{Limit: -1}, {Limit: longterm.MaxPage + 1}, {MinScore: math.NaN()}, {MinWords: 1.1}, {MinWords: math.NaN()}, {MaxDistance: new(math.NaN())}, {MaxDistance: new(-0.1)},
	} {
		_, err := w.Recall(t.Context(), anna, "tea", &opts)
		require.ErrorIs(t, err, longterm.ErrFilter)
	}
	_, err := w.Recall(t.Context(), longterm.Scope{}, "", nil)
	require.ErrorIs(t, err, longterm.ErrScope)
}

// RecallFor recalls what belongs to the user of the session, from all sessions.
func TestRecallFor(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for _, user := range [][2]string{{"shop", "anna"}, {"shop", "bob"}, {"bank", "anna"}} {
		_, err := w.Put(t.Context(), longterm.Of(user[0], user[1]), []longterm.Record{{ID: user[0] + user[1], Text: "There is tea.", SessionID: "s-1"}}, nil)
		require.NoError(t, err)
	}
	items, err := w.RecallFor(t.Context(), session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-2"}, "Is there tea?")
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, "shopanna", items[0].ID)
	require.Equal(t, 1, w.get(t, "shopanna").AccessCount)
}

func TestRecallDistance(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "far", Text: "ale @-80"}, longterm.Record{ID: "near", Text: "wine @75"}, longterm.Record{ID: "word", Text: "tea @120"})
	for _, test := range []struct {
		distance *float64
		want     []string
	}{{nil, []string{"near", "word"}}, {new(2.0), []string{"far", "near", "word"}}, {new(0.5), []string{"word"}}} {
		items, err := w.Recall(t.Context(), anna, "tea @0", &longterm.RecallOptions{MaxDistance: test.distance, MinWords: -1})
		require.NoError(t, err)
		require.ElementsMatch(t, test.want, itemIDs(items))
	}
}

// A note needs more than a third of the words of what was said, in any of their forms.
func TestRecallWords(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t,
		longterm.Record{ID: "seat", Text: "Anna likes window seats."},
		longterm.Record{ID: "order", Text: "Order W-1234 was sent to Lisbon."},
		longterm.Record{ID: "sitz", Text: "Anna hat die Sitze am Fenster gern, und nicht die am Gang."},
	)
	for _, test := range []struct {
		said string
		min  float64
		want []string
	}{
		{"window", 0, []string{"seat"}},
		{"Which windows are open?", 0, []string{"seat"}},
		{"Did someone open the window this morning?", 0, nil},
		{"Did someone open the window this morning?", -1, []string{"seat"}},
		{"Did someone open the window this morning?", 0.2, []string{"seat"}},
		{"Which window seats does everyone like?", 0, []string{"seat"}},
		{"Which window seats does everyone like?", 0.9, nil},
		{"When will the parcel of W-1234 be delivered to us, and who carries it?", 0.9, []string{"order"}},
		{"Wo ist der Sitz am Fenster?", 0, []string{"sitz"}},
		{"Where is it?", 0, nil},
	} {
		items, err := w.Recall(t.Context(), anna, test.said, &longterm.RecallOptions{MinWords: test.min})
		require.NoError(t, err)
		require.ElementsMatch(t, test.want, itemIDs(items), "%s %v", test.said, test.min)
	}
}

func itemIDs(list []items.Item) (ids []string) {
	for _, item := range list {
		ids = append(ids, item.ID)
	}
	return ids
}

// Copies of one fact in many sessions leave room for others.
func TestRecallOfManySessions(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	for i := range 15 {
		w.put(t, longterm.Record{ID: strings.Repeat("x", i+1), Text: "Tea, tea.", SessionID: strings.Repeat("s", i)})
	}
	w.put(t, longterm.Record{ID: "other", Text: "She drinks tea at the window in the morning."})
	items, err := w.Recall(t.Context(), anna, "tea?", nil)
	require.NoError(t, err)
	require.Len(t, items, 2)
}
