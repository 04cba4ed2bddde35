package postgresstore_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// odd are texts of which columns, literals and patterns could make something else.
var odd = []string{"", "a", "b", "ab", "a\x00", "\x00", "\x01", "'", `\`, `\\x61`, "%", "_", "ä", "A", "a,b", "{}", "NULL", `"`, "🙂"}

var moments = []time.Time{
	{}, time.Date(2024, 2, 29, 23, 59, 59, 999_999_000, time.UTC), time.Date(2025, 1, 1, 0, 0, 0, 1_000, time.UTC),
	time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
}

// generator makes records, filters and searches of a few values, so that many are the same.
type generator struct{ *rand.Rand }

func (g generator) text() string      { return odd[g.IntN(len(odd))] }
func (g generator) moment() time.Time { return moments[g.IntN(len(moments))] }

func (g generator) texts(most int) []string {
	texts := make([]string, g.IntN(most+1))
	for i := range texts {
		texts[i] = g.text()
	}
	return texts
}

func (g generator) vector(dimension int) []float32 {
	vector, sum := make([]float32, dimension), 0.0
	for i := range vector {
		vector[i] = float32(g.NormFloat64())
		sum += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(sum))
	}
	return vector
}

func (g generator) entry(n int) *driver.Entry {
	types := []session.RecordType{"", session.RecordSemantic, session.RecordEpisodic, session.RecordMessage}
	e := &driver.Entry{
		Record: longterm.Record{
			ID: fmt.Sprint(n, g.text()), Namespace: odd[g.IntN(3)], UserID: odd[3+g.IntN(3)], SessionID: g.text(),
			Hash: fmt.Sprint("hash", n), Text: g.text() + g.text(), Type: types[g.IntN(len(types))],
			Topics: g.texts(3), Entities: g.texts(3), ExtractedFrom: g.texts(2), ExtractionStrategy: g.text(),
			EventDate: g.moment(), CreatedAt: g.moment(), UpdatedAt: g.moment(), LastAccessed: g.moment(), PersistedAt: g.moment(),
			AccessCount: g.IntN(5), Pinned: g.IntN(2) == 0,
		},
	}
	if g.IntN(2) == 0 {
		e.Record.Metadata = map[string]any{g.text(): []any{g.text(), 12345678901234567, 1.5, nil, map[string]any{}}}
	}
	for range g.IntN(8) {
		e.Terms = append(e.Terms, odd[g.IntN(12)])
	}
	if dimension := g.IntN(4); dimension > 0 {
		e.Vector, e.Model = g.vector(dimension*9), fmt.Sprint("model", g.IntN(2))
	}
	return e
}

func maybe[T any](g generator, of int, make func() T) *T {
	if g.IntN(of) > 0 {
		return nil
	}
	return new(make())
}

func (g generator) condition() *longterm.TextCondition {
	return maybe(g, 6, func() longterm.TextCondition {
		t := longterm.TextCondition{StartsWith: maybe(g, 4, g.text)}
		t.Eq, t.Ne = maybe(g, 4, g.text), maybe(g, 3, g.text)
		if g.IntN(4) == 0 {
			t.Any = g.texts(4)
		}
		if g.IntN(4) == 0 {
			t.All = g.texts(2)
		}
		if g.IntN(4) == 0 {
			t.None = g.texts(3)
		}
		return t
	})
}

func (g generator) period() *longterm.TimeCondition {
	return maybe(g, 6, func() longterm.TimeCondition {
		return longterm.TimeCondition{
			Eq: maybe(g, 4, g.moment), Ne: maybe(g, 3, g.moment), Gt: maybe(g, 4, g.moment), Lt: maybe(g, 4, g.moment),
			Gte: maybe(g, 4, g.moment), Lte: maybe(g, 4, g.moment),
			Between: maybe(g, 4, func() [2]time.Time { return [2]time.Time{g.moment(), g.moment()} }),
		}
	})
}

func (g generator) search() driver.Search {
	scopes := []longterm.Scope{longterm.Of(odd[g.IntN(3)], odd[3+g.IntN(3)]), longterm.OfNamespace(odd[g.IntN(3)]), longterm.OfUser(odd[3+g.IntN(3)]), longterm.Everyone()}
	s := driver.Search{
		Scope: scopes[g.IntN(len(scopes))], Mode: longterm.SearchMode(g.IntN(4)), Order: longterm.Order(g.IntN(3)),
		Limit: g.IntN(30), Offset: g.IntN(3) * 4,
		Filter: longterm.RecordFilter{
			ID: g.condition(), Namespace: g.condition(), UserID: g.condition(), SessionID: g.condition(), Type: g.condition(),
			Strategy: g.condition(), Topics: g.condition(), Entities: g.condition(),
			CreatedAt: g.period(), UpdatedAt: g.period(), LastAccessed: g.period(), EventDate: g.period(),
			Pinned: maybe(g, 8, func() bool { return g.IntN(2) == 0 }),
		},
		Vector: g.vector(9 + 9*g.IntN(2)), Model: fmt.Sprint("model", g.IntN(3)),
		Ranking: driver.Ranking{Alpha: float64(g.IntN(5)) / 4, Now: moments[3].AddDate(0, 0, g.IntN(40)-5)},
	}
	for i := range 4 {
		if term := odd[g.IntN(14)]; !slices.Contains(s.Terms, term) && i < 3 {
			s.Terms = append(s.Terms, term)
		}
	}
	if s.Mode == longterm.ModeList && s.Order == longterm.OrderKey && g.IntN(2) == 0 {
		s.Offset, s.After = 0, &driver.RecordKey{Namespace: odd[g.IntN(3)], UserID: odd[3+g.IntN(3)], ID: fmt.Sprint(g.IntN(200))}
	}
	if s.Mode == longterm.ModeSemantic {
		s.Ranking.MaxDistance = maybe(g, 2, g.Float64)
	}
	if g.IntN(2) == 0 {
		s.Ranking.Recency = new(longterm.DefaultRecency())
	}
	return s
}

// TestSearchesLikeTheIndexInTheProcess: whatever the records and the search are.
func TestSearchesLikeTheIndexInTheProcess(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			searchesLike(t, open(t, newSchema(t)).Index(), generator{rand.New(rand.NewPCG(seed, 1))})
		})
	}
}

func searchesLike(t *testing.T, x driver.Index, g generator) {
	model := memindex.New(nil)
	var changes []driver.RecordChange
	for n := range 200 {
		e := g.entry(n)
		changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&e.Record), Entry: e})
	}
	require.NoError(t, model.Write(t.Context(), changes))
	require.NoError(t, x.Write(t.Context(), changes))
	found := 0
	for range 500 {
		s := g.search()
		want, failure := model.Search(t.Context(), s)
		got, err := x.Search(t.Context(), s)
		if failure != nil {
			require.ErrorIs(t, err, longterm.ErrFilter)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.Total, got.Total, "%+v", s)
		require.Len(t, got.Hits, len(want.Hits))
		for i := range want.Hits {
			w, h := want.Hits[i], got.Hits[i]
			require.Equal(t, driver.KeyOf(&w.Record), driver.KeyOf(&h.Record), "hit %d of %+v: %v %v", i, s, w, h)
			require.Equal(t, w.Record, h.Record)
			require.Equal(t, w.Compared, h.Compared)
			require.InDelta(t, w.Score, h.Score, 1e-6)
			require.InDelta(t, w.Similarity, h.Similarity, 1e-6)
			require.InDelta(t, w.Keyword, h.Keyword, 1e-6)
			found++
		}
	}
	require.Greater(t, found, 500)
}
