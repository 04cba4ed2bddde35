package driver

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/page"
)

// Candidate is what a search found, for Rank.
type Candidate[T cmp.Ordered] struct {
	// ID is what the index calls it: it decides ties, so that pages fit together.
	ID T
	// Similarity, if Compared, is the cosine of the vectors; BM25 is 0 without a term.
	Similarity, BM25 float64
	Compared         bool
	// CreatedAt and LastAccessed are the record's.
	CreatedAt, LastAccessed time.Time
	// Score and Keyword are what Rank makes: see Hit.
	Score, Keyword float64
}

// Rank scores what a search found, for indexes that do not do it themselves, and
// returns the page that was asked for and the total: all candidates but those of a
// ModeSemantic that are too far. The order is by score, highest first, then by
// CreatedAt, latest first, then by ID. It changes the slice.
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
		c.Score = s.Ranking.score(s.Mode, c.Similarity, c.Keyword, c.CreatedAt, c.LastAccessed)
	}
	return page.Select(found, s.Offset, s.Limit, compareCandidates), len(found)
}

func compareCandidates[T cmp.Ordered](a, b *Candidate[T]) int {
	if by := cmp.Compare(b.Score, a.Score); by != 0 { // nearly always
		return by
	}
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// Ranking makes one score of how well a record matches and how fresh it is. The zero
// value ranks by the match alone.
//
// The match is Keyword in a ModeKeyword, Similarity in a ModeSemantic, and in a
// ModeHybrid Alpha·Similarity + (1−Alpha)·Keyword, where what was not compared, or
// has no term, counts 0. With Recency the score is
//
//	Recency.Match·match + Recency.Fresh·(Recency.Access·2^(−a/HalfAccess) + Recency.Age·2^(−c/HalfAge))
//
// where a is the time from LastAccessed, or CreatedAt if that is later, to Now, and c
// that from CreatedAt; neither is less than 0, and of what is not known the power is 0.
type Ranking struct {
	// Alpha is from 0 to 1.
	Alpha float64
	// MaxDistance, if not nil, is how far a vector may be, as 1 − Similarity, in a
	// ModeSemantic: what is farther is not found.
	MaxDistance *float64
	// Recency, if not nil, lets fresh records rank higher.
	Recency *Recency
	// Now is the time that ages are counted to.
	Now time.Time
}

// Recency says how much freshness counts. The zero value is refused, since its half-lives
// are 0: begin with longterm.DefaultRecency.
type Recency struct {
	// Match and Fresh weigh the match and the freshness, Access and Age what
	// freshness is made of. None is negative, nor so large that a score is infinite.
	Match, Fresh, Access, Age float64
	// HalfAccess and HalfAge are the times in which each halves, more than 0.
	HalfAccess, HalfAge time.Duration
}

// score is the formula of Ranking.
func (r *Ranking) score(mode SearchMode, similarity, keyword float64, created, accessed time.Time) float64 {
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
	if accessed.Before(created) {
		accessed = created
	}
	fresh := r.Recency.Access*r.decay(accessed, r.Recency.HalfAccess) + r.Recency.Age*r.decay(created, r.Recency.HalfAge)
	return r.Recency.Match*match + r.Recency.Fresh*fresh
}

// decay is 2^(−age/half).
func (r *Ranking) decay(at time.Time, half time.Duration) float64 {
	if at.IsZero() {
		return 0
	}
	age := max(0, r.Now.Sub(at))
	return math.Exp2(-float64(age) / float64(half))
}

func (r *Recency) valid() bool {
	for _, weight := range []float64{r.Match, r.Fresh, r.Access, r.Age} {
		if !(weight >= 0) || math.IsInf(weight, 0) {
			return false
		}
	}
	// The highest score is a number: no sum on the way to one is infinite.
	return r.Match+r.Fresh*(r.Access+r.Age) <= math.MaxFloat64 && r.HalfAccess > 0 && r.HalfAge > 0
}
