package driver

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/page"
)

// Candidate is a match of a search, as input of Rank.
type Candidate[T cmp.Ordered] struct {
	// ID identifies the record in the index. It breaks ties, so that pages are consistent.
	ID T
	// Similarity is the cosine of the vectors if Compared is true. BM25 is 0 if no term occurs.
	Similarity, BM25 float64
	Compared         bool
	// CreatedAt and LastAccessed are those of the record.
	CreatedAt, LastAccessed time.Time
	// Rank sets Score and Keyword; see Hit.
	Score, Keyword float64
}

// Rank scores the matches of a search, for indexes that do not rank themselves. It returns the
// requested page and the total: all candidates, except those beyond the MaxDistance of a
// ModeSemantic. The order is by score, highest first, then by CreatedAt, latest first, then by
// ID. Rank modifies the slice.
func Rank[T cmp.Ordered](s *Search, found []Candidate[T]) (hits []Candidate[T], total int) {
	best := 0.0
	for i := range found {
		best = max(best, found[i].BM25)
	}
	if s.Mode == ModeSemantic && s.Ranking.MaxDistance != nil {
		found = slices.DeleteFunc(found, func(c Candidate[T]) bool { return 1-c.Similarity > *s.Ranking.MaxDistance })
	}
	for i := range found {
		c := &found[i]
		if best > 0 {
			c.Keyword = c.BM25 / best
		}
		c.Score = s.Ranking.Score(s.Mode, c.Similarity, c.Keyword, c.CreatedAt, c.LastAccessed)
	}
	return page.Select(found, s.Offset, s.Limit, compareCandidates), len(found)
}

func compareCandidates[T cmp.Ordered](a, b *Candidate[T]) int {
	if by := cmp.Compare(b.Score, a.Score); by != 0 { // the common case
		return by
	}
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// Ranking computes a score from how well a record matches and how fresh it is. The zero value
// ranks by the match alone.
//
// The match is Keyword in a ModeKeyword, Similarity in a ModeSemantic, and
// Alpha·Similarity + (1−Alpha)·Keyword in a ModeHybrid, where a missing vector or term counts
// as 0. With Recency, the score is
//
//	Recency.Match·match + Recency.Fresh·(Recency.Access·2^(−a/HalfAccess) + Recency.Age·2^(−c/HalfAge))
//
// where a is the time from LastAccessed, or CreatedAt if that is later, to Now, and c the time
// from CreatedAt to Now. Neither is less than 0, and the power of an unknown time is 0.
// that from CreatedAt; neither is less than 0, and of what is not known the power is 0.
type Ranking struct {
	// Alpha is from 0 to 1.
	Alpha float64
	// MaxDistance, if not nil, is the largest distance, 1 − Similarity, of a record found by a
	// ModeSemantic.
	MaxDistance *float64
	// Recency, if not nil, ranks fresh records higher.
	Recency *Recency
	// Now is the time at which ages are computed.
	Now time.Time
}

// Recency is the weight of freshness. The zero value is refused, because half-lives must be
// positive: start from longterm.DefaultRecency.
type Recency struct {
	// Match and Fresh weigh match and freshness, Access and Age the two parts of freshness.
	// None is negative, nor so large that a score could be infinite.
	Match, Fresh, Access, Age float64
	// HalfAccess and HalfAge are the half-lives of the parts, greater than 0.
	HalfAccess, HalfAge time.Duration
}

// Score computes the formula of Ranking, also of similarities and keywords that are estimates.
func (r *Ranking) Score(mode SearchMode, similarity, keyword float64, created, accessed time.Time) float64 {
	match := similarity
	switch mode {
	case ModeKeyword:
		match = keyword
	case ModeHybrid:
		match = r.Alpha*similarity + (1-r.Alpha)*keyword
	}
	if r.Recency == nil {
		return match
	}
	return r.Recency.Match*match + r.Recency.Fresh*r.Recency.Freshness(r.Now, created, accessed)
}

// Freshness returns how fresh a record is, as it counts in the formula of Ranking.
func (r *Recency) Freshness(now, created, accessed time.Time) float64 {
	if accessed.Before(created) {
		accessed = created
	}
	return r.Access*decay(now, accessed, r.HalfAccess) + r.Age*decay(now, created, r.HalfAge)
}

// decay returns 2^(−age/half).
func decay(now, at time.Time, half time.Duration) float64 {
	if at.IsZero() {
		return 0
	}
	age := max(0, now.Sub(at))
	return math.Exp2(-float64(age) / float64(half))
}

func (r *Recency) valid() bool {
	for _, weight := range []float64{r.Match, r.Fresh, r.Access, r.Age} {
		if !(weight >= 0) || math.IsInf(weight, 0) {
			return false
		}
	}
	// The highest possible score must be finite.
	return r.Match+r.Fresh*(r.Access+r.Age) <= math.MaxFloat64 && r.HalfAccess > 0 && r.HalfAge > 0
}
