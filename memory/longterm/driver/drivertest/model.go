package drivertest

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// model holds what an index should hold, and searches in the simplest way: it looks at
// everything.
type model map[driver.RecordKey]driver.Entry

func modelOf(entries ...driver.Entry) model {
	m := model{}
	for _, e := range entries {
		m[driver.KeyOf(&e.Record)] = e
	}
	return m
}

// search returns all hits, in order, without pages.
func (m model) search(s driver.Search) []*driver.Hit {
	var inScope, found []*driver.Entry
	for key, e := range m {
		if s.Scope.Holds(key.Namespace, key.UserID) {
			inScope = append(inScope, &e)
			if s.Filter.Matches(&e.Record) {
				found = append(found, &e)
			}
		}
	}
	var hits []*driver.Hit
	best, keyword := 0.0, bm25(s.Terms, inScope)
	for _, e := range found {
		hit := &driver.Hit{Record: e.Record, Version: e.Version}
		if s.Mode == driver.ModeKeyword || s.Mode == driver.ModeHybrid {
			hit.Keyword = keyword(e)
			best = max(best, hit.Keyword)
		}
		if s.Mode == driver.ModeSemantic || s.Mode == driver.ModeHybrid {
			hit.Compared = e.Model == s.Model && len(e.Vector) == len(s.Vector)
			hit.Similarity = dot(s.Vector, e.Vector, hit.Compared)
		}
		if isHit(&s, hit) {
			hits = append(hits, hit)
		}
	}
	for _, hit := range hits {
		hit.Keyword /= cmp.Or(best, 1)
		hit.Score = score(&s, hit)
	}
	slices.SortFunc(hits, func(a, b *driver.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), order(&s, &a.Record, &b.Record))
	})
	return hits
}

func isHit(s *driver.Search, hit *driver.Hit) bool {
	switch s.Mode {
	case driver.ModeKeyword:
		return hit.Keyword > 0
	case driver.ModeSemantic:
		return hit.Compared && (s.Ranking.MaxDistance == nil || 1-hit.Similarity <= *s.Ranking.MaxDistance)
	case driver.ModeHybrid:
		return hit.Keyword > 0 || hit.Compared
	}
	key := driver.KeyOf(&hit.Record)
	return s.After == nil || key.Compare(*s.After) > 0
}

// bm25 returns a function that computes the BM25 of entries among others.
func bm25(terms []string, among []*driver.Entry) func(e *driver.Entry) float64 {
	const k1, b = driver.BM25K1, driver.BM25B
	length, n, with := 0, float64(len(among)), map[string]float64{}
	for _, e := range among {
		length += len(e.Terms)
		for _, term := range terms {
			if slices.Contains(e.Terms, term) {
				with[term]++
			}
		}
	}
	average := float64(length) / n
	return func(e *driver.Entry) (sum float64) {
		counts := map[string]float64{}
		for _, term := range e.Terms {
			counts[term]++
		}
		for _, term := range terms {
			count := counts[term]
			sum += math.Log(1+(n-with[term]+0.5)/(with[term]+0.5)) * count * (k1 + 1) / (count + k1*(1-b+b*float64(len(e.Terms))/cmp.Or(average, 1)))
		}
		return sum
	}
}

func dot(a, b []float32, compared bool) (sum float64) {
	if !compared {
		return 0
	}
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// score is the formula of driver.Ranking.
func score(s *driver.Search, hit *driver.Hit) float64 {
	var match float64
	switch s.Mode {
	case driver.ModeKeyword:
		match = hit.Keyword
	case driver.ModeSemantic:
		match = hit.Similarity
	case driver.ModeHybrid:
		match = s.Ranking.Alpha*hit.Similarity + (1-s.Ranking.Alpha)*hit.Keyword
	default:
		return 0
	}
	r := s.Ranking.Recency
	if r == nil {
		return match
	}
	power := func(at time.Time, half time.Duration) float64 {
		if at.IsZero() {
			return 0
		}
		return math.Pow(2, -max(0, s.Ranking.Now.Sub(at)).Hours()/half.Hours())
	}
	accessed := lastUsed(&hit.Record)
	return r.Match*match + r.Fresh*(r.Access*power(accessed, r.HalfAccess)+r.Age*power(hit.Record.CreatedAt, r.HalfAge))
}

func lastUsed(r *driver.Record) time.Time {
	if r.LastAccessed.After(r.CreatedAt) {
		return r.LastAccessed
	}
	return r.CreatedAt
}

// order compares records in the order of a list, and of hits with equal scores.
func order(s *driver.Search, a, b *driver.Record) int {
	micro := func(t time.Time) time.Time { return t.Truncate(time.Microsecond) }
	by := 0
	switch {
	case s.Mode != driver.ModeList || s.Order == driver.OrderNewest:
		by = micro(b.CreatedAt).Compare(micro(a.CreatedAt))
	case s.Order == driver.OrderLeastRecentlyUsed:
		by = micro(lastUsed(a)).Compare(micro(lastUsed(b)))
	}
	return cmp.Or(by, driver.KeyOf(a).Compare(driver.KeyOf(b)))
}

// tolerance is the accepted difference of scores: indexes may compute with 32-bit floats.
const tolerance = 1e-5

// requireLikeModel requires that an index finds the same as the model. Except in a list, hits
// whose scores are equal within the tolerance may come in any order.
func requireLikeModel(t require.TestingT, m model, s driver.Search, got driver.HitPage) {
	want := m.search(s)
	require.Equal(t, len(want), got.Total, "total")
	begin := min(s.Offset, len(want))
	page := want[begin:min(begin+s.Limit, len(want))]
	require.Equal(t, len(page), len(got.Hits), "hits")
	byKey := make(map[driver.RecordKey]*driver.Hit, len(want))
	for _, hit := range want {
		byKey[driver.KeyOf(&hit.Record)] = hit
	}
	for i := range got.Hits {
		hit := &got.Hits[i]
		key := driver.KeyOf(&hit.Record)
		wanted, found := byKey[key]
		require.True(t, found, "%q is not a hit", key)
		delete(byKey, key)
		requireSameHit(t, wanted, hit)
		require.InDelta(t, page[i].Score, hit.Score, tolerance, "score of hit %d", i)
		if s.Mode == driver.ModeList {
			require.Equal(t, driver.KeyOf(&page[i].Record), key, "hit %d", i)
		}
	}
}

func requireSameHit(t require.TestingT, want, got *driver.Hit) {
	requireSameRecord(t, &want.Record, &got.Record)
	if want.Version != 0 {
		require.Equal(t, want.Version, got.Version, "version")
	}
	require.InDelta(t, want.Score, got.Score, tolerance, "score")
	require.InDelta(t, want.Similarity, got.Similarity, tolerance, "similarity")
	require.InDelta(t, want.Keyword, got.Keyword, tolerance, "keyword")
	require.Equal(t, want.Compared, got.Compared, "compared")
}
