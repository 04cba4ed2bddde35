package longterm_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func found(results *longterm.Results) []string {
	ids := []string{}
	for _, hit := range results.Hits {
		ids = append(ids, hit.Record.ID)
	}
	return ids
}

func TestSearchModes(t *testing.T) {
	t.Parallel()
	records := []longterm.Record{
		{ID: "a", Text: "window seat @0", CreatedAt: noon.Add(-3 * time.Hour)},
		{ID: "b", Text: "window frame @60", CreatedAt: noon.Add(-2 * time.Hour)},
		{ID: "c", Text: "chair @20", CreatedAt: noon.Add(-time.Hour)},
	}
	near := 0.2
	for name, test := range map[string]struct {
		query   longterm.Query
		without bool // an embedder
		broken  bool
		want    []string
		mode    longterm.SearchMode
	}{
		"no question":                     {query: longterm.Query{}, want: []string{"c", "b", "a"}, mode: longterm.ModeList},
		"blank":                           {query: longterm.Query{Text: " \n", Mode: longterm.ModeSemantic, MaxDistance: &near}, want: []string{"c", "b", "a"}, mode: longterm.ModeList},
		"ordered list":                    {query: longterm.Query{Order: longterm.OrderKey}, want: []string{"a", "b", "c"}, mode: longterm.ModeList},
		"default":                         {query: longterm.Query{Text: "seat @0"}, want: []string{"a", "c", "b"}, mode: longterm.ModeHybrid},
		"keywords":                        {query: longterm.Query{Text: "window", Mode: longterm.ModeKeyword}, want: []string{"b", "a"}, mode: longterm.ModeKeyword},
		"semantic":                        {query: longterm.Query{Text: "window @15", Mode: longterm.ModeSemantic}, want: []string{"c", "a", "b"}, mode: longterm.ModeSemantic},
		"semantic and near":               {query: longterm.Query{Text: "window @15", Mode: longterm.ModeSemantic, MaxDistance: &near}, want: []string{"c", "a"}, mode: longterm.ModeSemantic},
		"hybrid by keywords":              {query: longterm.Query{Text: "frame", Mode: longterm.ModeHybrid, Alpha: new(0.0)}, want: []string{"b", "c", "a"}, mode: longterm.ModeHybrid},
		"without an embedder":             {query: longterm.Query{Text: "window"}, without: true, want: []string{"b", "a"}, mode: longterm.ModeKeyword},
		"semantic without an embedder":    {query: longterm.Query{Text: "window", Mode: longterm.ModeSemantic, MaxDistance: &near}, without: true, want: []string{"b", "a"}, mode: longterm.ModeKeyword},
		"broken embedder":                 {query: longterm.Query{Text: "window"}, broken: true, want: []string{"b", "a"}, mode: longterm.ModeKeyword},
		"semantic with a broken embedder": {query: longterm.Query{Text: "window", Mode: longterm.ModeSemantic}, broken: true, want: []string{"b", "a"}, mode: longterm.ModeKeyword},
		"filtered":                        {query: longterm.Query{Text: "window", Filter: longterm.RecordFilter{ID: &longterm.TextCondition{Ne: new("a")}}}, want: []string{"b", "c"}, mode: longterm.ModeHybrid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			w := setup(t, func(o *longterm.Options, w *world) {
				if !test.without {
					embedded(o, w)
				}
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			w.put(t, records...)
			if test.broken {
				w.embed.broken = func(texts []string) ([][]float32, error) {
					return nil, fmt.Errorf("%w: cannot embed %q", errBroken, texts)
				}
			}
			results, err := w.Search(t.Context(), anna, test.query)
			require.NoError(t, err)
			require.Equal(t, test.want, found(results))
			require.Equal(t, test.mode, results.Mode)
			require.Equal(t, len(test.want), results.Total)
			require.Equal(t, -1, results.Next)
			require.Equal(t, test.broken, strings.Contains(log.String(), "embedder failed"))
			require.NotContains(t, log.String(), errBroken.Error(), "it may quote contents")
			require.NotContains(t, log.String(), "window")
		})
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	bad := longterm.DefaultRecency()
	bad.HalfAge = 0
	for name, query := range map[string]longterm.Query{
		"distance of keywords": {Text: "x", Mode: longterm.ModeKeyword, MaxDistance: new(0.5)},
		"distance of a list":   {MaxDistance: new(0.5)},
		"negative distance":    {Text: "x", Mode: longterm.ModeSemantic, MaxDistance: new(-0.5)},
		"distance is NaN":      {Text: "x", Mode: longterm.ModeSemantic, MaxDistance: &nan},
		"alpha":                {Text: "x", Alpha: new(1.1)},
		"mode":                 {Mode: 9},
		"order":                {Order: 9},
		"negative limit":       {Limit: -1},
		"limit":                {Limit: longterm.MaxPage + 1},
		"offset":               {Offset: -1},
		"recency":              {Text: "x", Recency: &bad},
		"filter":               {Filter: longterm.RecordFilter{ID: &longterm.TextCondition{Any: []string{}}}},
	} {
		for _, change := range []func(*longterm.Options, *world){nil, embedded} {
			w := setup(t, change)
			_, err := w.Search(t.Context(), anna, query)
			require.ErrorIs(t, err, longterm.ErrFilter, name)
			require.Zero(t, w.embed.calls, "nothing is embedded")
		}
	}
	_, err := setup(t, nil).Search(t.Context(), longterm.Scope{}, longterm.Query{})
	require.ErrorIs(t, err, longterm.ErrScope)
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	var records []longterm.Record
	for i := range 25 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprintf("window %d @%d", i, i), SessionID: fmt.Sprint(i), CreatedAt: noon.Add(-time.Duration(i*7%25) * 12 * time.Hour)})
	}
	w.put(t, records...)
	_, err := w.Put(t.Context(), longterm.Of("shop", "bob"), records, nil)
	require.NoError(t, err)
	for _, query := range []longterm.Query{
		{}, {Text: "window", Recency: new(longterm.DefaultRecency())}, {Text: "window", Mode: longterm.ModeKeyword}, {Text: "@3", Mode: longterm.ModeSemantic},
	} {
		seen := map[string]bool{}
		for pages := 0; query.Offset >= 0; pages++ {
			results := search(t, w.Memory, query) // uses of one page move no record to a later one
			require.Equal(t, 25, results.Total)
			require.Len(t, results.Hits, min(10, 25-10*pages))
			for _, hit := range results.Hits {
				require.Equal(t, "anna", hit.Record.UserID)
				seen[hit.Record.ID] = true
			}
			query.Offset = results.Next
			w.clock.Sleep(time.Minute)
		}
		require.Len(t, seen, 25)
	}
	require.Equal(t, 3, w.get(t, "7").AccessCount)
	results := search(t, w.Memory, longterm.Query{Offset: 99})
	require.Equal(t, &longterm.Results{Hits: results.Hits, Total: 25, Next: -1}, results)
	require.Empty(t, results.Hits)
	// An index that reports more records than it returns does not keep callers asking.
	w.index.Index = &staleIndex{w.index.Index, driver.HitPage{Total: 5}}
	require.Equal(t, -1, search(t, w.Memory, longterm.Query{Text: "tea", Offset: 2}).Next)
}

// The formula itself is tested by package drivertest.
func TestDefaultRecency(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t,
		longterm.Record{ID: "old", Text: "a @0", CreatedAt: noon.Add(-60 * day), LastAccessed: noon.Add(-14 * day)},
		longterm.Record{ID: "month", Text: "c @90", CreatedAt: noon.Add(-30 * day), LastAccessed: noon.Add(-7 * day)},
	)
	results := search(t, w.Memory, longterm.Query{Text: "@0", Mode: longterm.ModeSemantic, Recency: new(longterm.DefaultRecency())})
	require.Equal(t, []string{"old", "month"}, found(results))
	require.InDelta(t, 0.8*1+0.2*(0.6*0.25+0.4*0.25), results.Hits[0].Score, 1e-6)
	require.InDelta(t, 0.8*0+0.2*(0.6*0.5+0.4*0.5), results.Hits[1].Score, 1e-6)
}

func TestSearchForALongQuestion(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "beginning @0"}, longterm.Record{ID: "2", Text: "end @90"})
	w.embed.takeTexts()
	var asked driver.Search
	w.index.search = func(s driver.Search) error {
		asked = s
		return nil
	}
	var question strings.Builder
	question.WriteString("beginning " + strings.Repeat("€ ", 200_000))
	for i := range 5000 {
		fmt.Fprintf(&question, "w%d ", i)
	}
	question.WriteString("end @90")
	results := search(t, w.Memory, longterm.Query{Text: question.String()})
	require.Equal(t, "2", results.Hits[0].Record.ID)
	require.Zero(t, results.Hits[1].Keyword)
	require.LessOrEqual(t, len(asked.Terms), 256)
	require.Contains(t, asked.Terms, "end")
	texts := w.embed.takeTexts()
	require.Len(t, texts, 1)
	require.LessOrEqual(t, len(texts[0]), 4<<10)
	search(t, w.Memory, longterm.Query{Text: strings.Repeat("€", 5000) + "end"})
	require.True(t, utf8.ValidString(w.embed.takeTexts()[0]))
}

func TestSearchAfterCancellation(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	ctx, cancel := context.WithCancel(t.Context())
	w.embed.broken = func([]string) ([][]float32, error) {
		cancel()
		return nil, ctx.Err()
	}
	_, err := w.Search(ctx, anna, longterm.Query{Text: "tea"})
	require.ErrorIs(t, err, context.Canceled)
}
