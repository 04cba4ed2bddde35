package driver

import (
	"fmt"
	"math"
	"slices"
)

// SearchMode determines how a search finds and ranks records.
type SearchMode int

const (
	// ModeList lists all records that pass the filter, in an Order.
	ModeList SearchMode = iota
	// ModeKeyword finds records with at least one of the Terms, best BM25 first.
	ModeKeyword
	// ModeSemantic finds records with a vector of the Model, nearest first.
	ModeSemantic
	// ModeHybrid combines ModeKeyword and ModeSemantic.
	ModeHybrid
)

// Order is the order of a ModeList. Ties are broken by RecordKey, ascending.
type Order int

const (
	// OrderNewest is by CreatedAt, latest first. Other modes break ties this way.
	OrderNewest Order = iota
	// OrderLeastRecentlyUsed is by LastAccessed, or CreatedAt if that is later or LastAccessed is
	// unset, earliest first.
	OrderLeastRecentlyUsed
	// OrderKey is by RecordKey, ascending.
	OrderKey
)

// Search holds the arguments of Index.Search.
type Search struct {
	Scope  Scope
	Filter RecordFilter
	Mode   SearchMode
	// Order and After apply to ModeList. After, with OrderKey, is the key before the page; nil
	// starts at the first record.
	Order Order
	After *RecordKey
	// Terms apply to ModeKeyword and ModeHybrid, without repetitions.
	Terms []string
	// Vector and Model apply to ModeSemantic and ModeHybrid. The vector has length 1.
	Vector []float32
	Model  string
	// Ranking determines the scores of all modes but ModeList.
	Ranking Ranking
	// Limit is the size of the page, from 0 to MaxPage, and Offset its start.
	Limit, Offset int
	// NoTotal allows any HitPage.Total from the number of Hits up, so that hits need not be
	// counted.
	NoTotal bool
}

// MaxPage is the largest page that an Index returns.
const MaxPage = 1000

// ExactVectors is the number of vectors of a model in a scope up to which all indexes compare
// every one. Of more, an Index may compare only those that a faster estimate finds near, as long
// as the first ten hits hold at least 99 % of those that comparing all would find.
const ExactVectors = 2000

// HitPage is a page of the results of a search.
type HitPage struct {
	Hits []Hit
	// Total is the number of hits regardless of Limit and Offset. With After, it counts those
	// behind it.
	Total int
}

// Hit is a record that was found.
type Hit struct {
	Record  Record
	Version uint64
	// Score is the value the hit was ranked by, see Ranking; 0 in a ModeList.
	Score float64
	// Similarity is the cosine of the vectors, from -1 to 1; 0 if none were compared. Keyword
	// is BM25 relative to the best hit of the search, from 0 to 1.
	Similarity, Keyword float64
	// Compared is true if there were vectors to compare.
	Compared bool
}

// Check returns ErrScope or ErrFilter, with the reason, for an invalid search.
func (s *Search) Check() error {
	if err := s.Scope.Check(); err != nil {
		return err
	}
	if err := s.Filter.Check(); err != nil {
		return err
	}
	return s.checkRanges()
}

// checkRanges validates everything but scope and filter.
func (s *Search) checkRanges() error {
	inRange := func(x float64) bool { return x >= 0 && x <= 1 }
	r := &s.Ranking
	semantic := s.Mode == ModeSemantic || s.Mode == ModeHybrid
	switch {
	case s.Mode < ModeList || s.Mode > ModeHybrid:
		return refused("unknown mode")
	case s.Limit < 0 || s.Limit > MaxPage || s.Offset < 0:
		return refused("page is out of bounds")
	case s.After != nil && (s.Mode != ModeList || s.Order != OrderKey || s.Offset != 0):
		return refused("after requires an order by key and no offset")
	case s.Order < OrderNewest || s.Order > OrderKey:
		return refused("unknown order")
	case semantic && (len(s.Vector) == 0 || s.Model == ""):
		return refused("no vector")
	case semantic && !isFinite(s.Vector):
		return refused("vector is not finite")
	case !inRange(r.Alpha):
		return refused("alpha is not from 0 to 1")
	case r.MaxDistance != nil && (s.Mode != ModeSemantic || !(*r.MaxDistance >= 0)):
		return refused("a distance threshold requires a semantic search and must not be negative")
	case r.Recency != nil && !r.Recency.valid():
		return refused("recency has a weight that is negative or too large, or a half-life that is not positive")
	}
	return nil
}

func isFinite(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

func refused(why string) error { return fmt.Errorf("%w: %s", ErrFilter, why) }
