package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Search describes a search of long-term memory. Nil fields have their defaults.
type Search struct {
	// Text is the text to search for. If blank, the memories that pass the Filter are listed.
	Text   string
	Filter longterm.RecordFilter
	// Mode is semantic, keyword or hybrid. If nil, it is semantic.
	Mode *string
	// HybridAlpha is longterm.Query.Alpha. Distance is longterm.Query.MaxDistance, and only
	// allowed in semantic mode.
	HybridAlpha, Distance *float64
	// Limit is 1 to MaxPage, Offset at least 0.
	Limit, Offset *int64
	// NoTouch does not count the search as a use of what it finds.
	NoTouch bool
	// NoRecency ranks by the match alone. Weights and half-lives, in days, default to those of
	// longterm.DefaultRecency.
	NoRecency                             bool
	Semantic, Recency, Freshness, Novelty *float64
	HalfAccess, HalfCreated               *float64
}

// Results is a page of search results.
type Results struct {
	Memories []Found
	// Total is the number of all results. Next is the Offset of the next page, or -1 if this is
	// the last.
	Total, Next int
}

// Found is a search result.
type Found struct {
	longterm.Record
	// By is the mode of the search that was made. In ModeList, Score and Distance are 0.
	By longterm.SearchMode
	// Score is how well the memory matches, from 0 to 1. It leaves out recency, which also
	// counts for the ranking.
	Score float64
	// Distance is 1 - Score, and up to 2 in ModeSemantic, where opposites are farther apart
	// than unrelated texts.
	Distance float64
	// Scores are the parts of the ranking.
	Scores Scores
}

// Scores are the parts of the rank of a search result.
type Scores struct {
	// Words is BM25 relative to the best result of the search, from 0 to 1, and Meaning the cosine
	// of the vectors, from -1 to 1. Each is 0 if it was not compared.
	Words, Meaning float64
	// Freshness is longterm.Recency.Freshness, 0 with NoRecency.
	Freshness float64
	// Rank is the value that results are ordered by.
	Rank float64
}

// SearchMemories returns memories, best first. Without an embedder, or if it does not answer,
// the search is by keywords. Finding a memory by a text counts as a use of it. Errors: Bad,
// Invalid, Unavailable.
func (s *Service) SearchMemories(ctx context.Context, t Tenant, search *Search) (*Results, error) {
	var c checks
	c.search(search)
	if err := c.invalid(); err != nil {
		return nil, err
	}
	if s.opts.Memory == nil {
		return nil, memoryDisabled()
	}
	return s.search(ctx, t, search)
}

// search is SearchMemories for a checked search.
func (s *Service) search(ctx context.Context, t Tenant, search *Search) (*Results, error) {
	q, err := search.query(s.opts.Memory.Tuning())
	if err != nil {
		return nil, err
	}
	if err := q.Filter.Check(); err != nil { // also if the filter names another tenant
		return nil, toError(err)
	}
	results := &Results{Memories: []Found{}, Next: -1}
	// An owner that the filter names is the scope, so that only its memories affect the ranks.
	scope, allowed := scopeOf(t, exactText(q.Filter.Namespace), exactText(q.Filter.UserID))
	if !allowed {
		return results, nil
	}
	found, err := s.opts.Memory.Search(ctx, scope, q)
	if err != nil {
		return nil, s.reportError(ctx, err)
	}
	for i := range found.Hits {
		hit := foundOf(&found.Hits[i], found.Mode, *q.Alpha)
		if found.Mode != longterm.ModeList && q.Recency != nil {
			hit.Scores.Freshness = q.Recency.Freshness(s.sessions.Now(), hit.CreatedAt, hit.LastAccessed)
		}
		results.Memories = append(results.Memories, hit)
	}
	results.Total, results.Next = found.Total, found.Next
	return results, nil
}

// exactText returns the only text that passes a condition, or nil if several may.
func exactText(t *longterm.TextCondition) *string {
	if t == nil {
		return nil
	}
	return t.Eq
}

// query converts the search. Vectors that should weigh less than words are not searched alone
// unless the search has a distance threshold. Errors: Bad.
func (search *Search) query(tuning longterm.Tuning) (longterm.Query, error) {
	q := longterm.Query{
		Text: search.Text, Filter: search.Filter, Mode: longterm.ModeSemantic,
		Alpha: &tuning.Alpha, Recency: search.recency(), NoTouch: search.NoTouch,
	}
	switch mode := orElse(search.Mode, ""); {
	case mode == "keyword":
		q.Mode = longterm.ModeKeyword
	case mode == "hybrid", tuning.Alpha < 0.5 && search.Distance == nil:
		q.Mode = longterm.ModeHybrid
	}
	if search.HybridAlpha != nil {
		q.Alpha = search.HybridAlpha
	}
	if search.Distance != nil {
		if q.Mode != longterm.ModeSemantic {
			return q, &Error{Kind: Bad, Detail: "distance_threshold is only supported for semantic search mode"}
		}
		q.MaxDistance = search.Distance
	}
	if search.Limit != nil {
		q.Limit = int(*search.Limit)
	}
	if search.Offset != nil {
		q.Offset = int(*search.Offset)
	}
	return q, nil
}

// recency returns the weights of recency, or nil if it does not count.
func (search *Search) recency() *longterm.Recency {
	if search.NoRecency {
		return nil
	}
	r := longterm.DefaultRecency()
	for _, w := range []struct {
		weight *float64
		given  *float64
	}{{&r.Match, search.Semantic}, {&r.Fresh, search.Recency}, {&r.Access, search.Freshness}, {&r.Age, search.Novelty}} {
		if w.given != nil {
			*w.weight = *w.given
		}
	}
	for _, h := range []struct {
		half  *time.Duration
		given *float64
	}{{&r.HalfAccess, search.HalfAccess}, {&r.HalfAge, search.HalfCreated}} {
		if h.given != nil {
			*h.half = days(max(*h.given, shortestHalfLife))
		}
	}
	return &r
}

// shortestHalfLife is the minimum half-life in days, which also replaces negative ones.
const shortestHalfLife = 0.001

// foundOf converts a hit.
func foundOf(hit *longterm.Hit, mode longterm.SearchMode, alpha float64) Found {
	f := Found{Record: hit.Record, By: mode, Scores: Scores{Words: hit.Keyword, Meaning: hit.Similarity, Rank: hit.Score}}
	var score float64
	switch mode {
	case longterm.ModeList:
		return f
	case longterm.ModeKeyword:
		score = hit.Keyword
	case longterm.ModeSemantic:
		score = hit.Similarity
	default:
		score = alpha*hit.Similarity + (1-alpha)*hit.Keyword
	}
	f.Score = min(max(score, 0), 1)
	f.Distance = 1 - f.Score
	if mode == longterm.ModeSemantic {
		f.Distance = min(max(1-score, 0), 2)
	}
	return f
}
