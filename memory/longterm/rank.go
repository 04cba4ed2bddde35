package longterm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
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
func Rank[T cmp.Ordered](s *Search, found []Candidate[T]) (page []Candidate[T], total int) {
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
	return pageOf(s, found, compareCandidates), len(found)
}

func compareCandidates[T cmp.Ordered](a, b *Candidate[T]) int {
	if by := cmp.Compare(b.Score, a.Score); by != 0 { // nearly always
		return by
	}
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// score is the formula of Ranking.
func (r *Ranking) score(mode Mode, similarity, keyword float64, created, accessed time.Time) float64 {
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

// Check returns why a search is refused: ErrScope, or ErrFilter with what is wrong.
func (s *Search) Check() error {
	if err := s.Scope.Check(); err != nil {
		return err
	}
	if err := s.Filter.Check(); err != nil {
		return err
	}
	return s.check()
}

// check is of what is neither scope nor filter.
func (s *Search) check() error {
	inRange := func(x float64) bool { return x >= 0 && x <= 1 }
	r := &s.Ranking
	semantic := s.Mode == ModeSemantic || s.Mode == ModeHybrid
	switch {
	case s.Mode < ModeList || s.Mode > ModeHybrid:
		return refused("no such mode")
	case s.Limit < 0 || s.Limit > MaxPage || s.Offset < 0:
		return refused("page out of bounds")
	case s.After != nil && (s.Mode != ModeList || s.Order != OrderKey || s.Offset != 0):
		return refused("after without an order by key, or with an offset")
	case s.Order < OrderNewest || s.Order > OrderKey:
		return refused("no such order")
	case semantic && (len(s.Vector) == 0 || s.Model == ""):
		return refused("no vector")
	case semantic && !isFinite(s.Vector):
		return refused("a vector that is not of numbers")
	case !inRange(r.Alpha):
		return refused("alpha is not from 0 to 1")
	case r.MaxDistance != nil && (s.Mode != ModeSemantic || !(*r.MaxDistance >= 0)):
		return refused("a distance threshold is for semantic searches, and not negative")
	case r.Recency != nil && !r.Recency.valid():
		return refused("recency has a weight that is negative or too large, or a half-life that is not positive")
	}
	return nil
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

func isFinite(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

func refused(why string) error { return fmt.Errorf("%w: %s", ErrFilter, why) }
