package driver

import (
	"fmt"
	"math"
	"slices"
)

// SearchMode says how a search ranks.
type SearchMode int

const (
	// ModeList finds all that passes the filter, in an Order.
	ModeList SearchMode = iota
	// ModeKeyword finds what has one of the Terms at least, best BM25 first.
	ModeKeyword
	// ModeSemantic finds what has a vector of the Model, nearest first.
	ModeSemantic
	// ModeHybrid finds what either finds.
	ModeHybrid
)

// Order is that of a ModeList. Ties are by RecordKey, ascending.
type Order int

const (
	// OrderNewest is by CreatedAt, latest first, as other modes order what ranks the same.
	OrderNewest Order = iota
	// OrderLeastRecentlyUsed is by LastAccessed, or CreatedAt where that is later or
	// alone known, earliest first.
	OrderLeastRecentlyUsed
	// OrderKey is by RecordKey, ascending.
	OrderKey
)

// Search says what Index.Search finds.
type Search struct {
	Scope  Scope
	Filter RecordFilter
	Mode   SearchMode
	// Order and After are of a ModeList; After, of OrderKey, is the key behind which
	// the page begins: nil means the first.
	Order Order
	After *RecordKey
	// Terms are of ModeKeyword and ModeHybrid, each once.
	Terms []string
	// Vector and Model are of ModeSemantic and ModeHybrid. The vector has length 1.
	Vector []float32
	Model  string
	// Ranking says how scores are made of what was found, for all modes but ModeList.
	Ranking Ranking
	// Limit is the size of the page, from 0 to MaxPage, Offset where it begins.
	Limit, Offset int
}

// MaxPage is the largest page that an Index returns.
const MaxPage = 1000

// HitPage is a part of what a search found.
type HitPage struct {
	Hits []Hit
	// Total is the number of hits without Limit and Offset. With After it is of those
	// behind it.
	Total int
}

// Hit is a record that was found.
type Hit struct {
	Record  Record
	Version uint64
	// Score is what it was ranked by, see Ranking; 0 in a ModeList.
	Score float64
	// Similarity is the cosine of the vectors, from -1 to 1; 0 where none was compared.
	// Keyword is BM25 divided by that of the best hit of the search, from 0 to 1.
	Similarity, Keyword float64
	// Compared says that there were vectors to compare.
	Compared bool
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

func isFinite(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

func refused(why string) error { return fmt.Errorf("%w: %s", ErrFilter, why) }
