package drivertest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func addSeeds(f *testing.F) {
	for i := range byte(soak.Times(50, 200)) {
		seed := make([]byte, 4000) // enough for all that is drawn
		_, _ = rand.NewChaCha8([32]byte{i}).Read(seed)
		f.Add(seed)
	}
}

// FuzzRank checks that for any valid search the scores of Rank are finite, the order is the
// documented one, and pages fit together.
func FuzzRank(f *testing.F) {
	addSeeds(f)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		s := drawRanked(t)
		found := drawCandidates(t)
		s.Limit = longterm.MaxPage
		whole, total := driver.Rank(&s, slices.Clone(found))
		require.Len(t, whole, total)
		for i, c := range whole {
			require.False(t, math.IsNaN(c.Score) || math.IsInf(c.Score, 0), "score %v of %+v", c.Score, c)
			require.True(t, c.Keyword >= 0 && c.Keyword <= 1, "keyword %v", c.Keyword)
			if i > 0 {
				require.Negative(t, inOrder(whole[i-1], c), "%+v, %+v", whole[i-1], c)
			}
		}
		var pages []driver.Candidate[int]
		s.Limit = rapid.IntRange(1, 5).Draw(t, "limit")
		for s.Offset = 0; s.Offset < total+2; s.Offset += s.Limit {
			page, n := driver.Rank(&s, slices.Clone(rapid.Permutation(found).Draw(t, "found in another order")))
			require.Equal(t, total, n)
			pages = append(pages, page...)
		}
		require.Equal(t, len(whole), len(pages))
		for i := range pages {
			require.Equal(t, whole[i], pages[i])
		}
	}))
}

func inOrder(a, b driver.Candidate[int]) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// drawRanked draws a search that Check accepts.
func drawRanked(t *rapid.T) driver.Search {
	weight := rapid.OneOf(rapid.Float64Min(0), rapid.SampledFrom([]float64{0, 0, 1, 0.5, 1e-300, 1e154, 1e308, math.MaxFloat64}))
	half := rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64Min(1).Draw(t, "half")) })
	s := driver.Search{
		Scope: longterm.Everyone(), Mode: longterm.SearchMode(rapid.IntRange(1, 3).Draw(t, "mode")), Vector: []float32{1}, Model: "model",
		Ranking: driver.Ranking{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Now: drawTime(t, "now")},
	}
	if s.Mode == longterm.ModeSemantic && rapid.Bool().Draw(t, "threshold") {
		s.Ranking.MaxDistance = new(rapid.Float64Range(0, 2).Draw(t, "distance"))
	}
	r := longterm.Recency{
		Match: weight.Draw(t, "match"), Fresh: weight.Draw(t, "fresh"), Access: weight.Draw(t, "access"), Age: weight.Draw(t, "age"),
		HalfAccess: half.Draw(t, "half of access"), HalfAge: half.Draw(t, "half of age"),
	}
	s.Ranking.Recency = &r
	if rapid.Bool().Draw(t, "no recency") || s.Check() != nil {
		s.Ranking.Recency = nil
	}
	require.NoError(t, s.Check())
	return s
}

func drawCandidates(t *rapid.T) []driver.Candidate[int] {
	bm25 := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 1, 2, math.SmallestNonzeroFloat64, math.MaxFloat64}), rapid.Float64Range(0, 30))
	similarity := rapid.OneOf(rapid.SampledFrom([]float64{-1, 0, 0.5, 1}), rapid.Float64Range(-1, 1))
	at := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) time.Time { return drawTime(t, "time") }),
		rapid.SampledFrom(edgeTimes()),
	)
	found := make([]driver.Candidate[int], rapid.IntRange(0, 12).Draw(t, "candidates"))
	for i := range found {
		found[i] = driver.Candidate[int]{
			ID: i, Similarity: similarity.Draw(t, "similarity"), BM25: bm25.Draw(t, "BM25"), Compared: rapid.Bool().Draw(t, "compared"),
			CreatedAt: at.Draw(t, "created"), LastAccessed: at.Draw(t, "accessed"),
		}
	}
	return found
}
