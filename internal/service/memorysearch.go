package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Search describes what to find in long-term memory. What is nil has its default.
type Search struct {
	// Text is what is searched for; blank: what passes the Filter is listed.
	Text   string
	Filter longterm.RecordFilter
	// Mode is semantic, keyword or hybrid; nil: semantic.
	Mode *string
	// HybridAlpha is longterm.Query.Alpha. Distance is its MaxDistance, for semantic alone.
	HybridAlpha, Distance *float64
	// Limit is 1 to MaxPage, Offset at least 0.
	Limit, Offset *int64
	// NoRecency ranks by the match alone. The weights and half-lives, in days, are those of
	// longterm.DefaultRecency where they are nil.
	NoRecency                             bool
	Semantic, Recency, Freshness, Novelty *float64
	HalfAccess, HalfCreated               *float64
}

// Results are a page of what was found.
type Results struct {
	Memories []Found
	// Total is the number of all that were found, Next the Offset of the next page, -1 for none.
	Total, Next int
}

// Found is a memory that was found.
type Found struct {
	longterm.Record
	// By is what it was found by. Of a ModeList it has no Score and no Distance.
	By longterm.SearchMode
	// Score is how well it matches, from 0 to 1, without its freshness, by which it is ranked.
	Score float64
	// Distance is 1 - Score, and up to 2 in a ModeSemantic: opposites are farther than what
	// has nothing in common.
	Distance float64
}

// SearchMemories finds memories, the best first, and says by what they were found: without
// an embedder, or where it does not answer, by keywords. That a memory was found is a use
// of it, unless all were listed, as they are without a text. Errors: Bad, Invalid,
// Unavailable.
func (s *Service) SearchMemories(ctx context.Context, t Tenant, search *Search) (*Results, error) {
	var c checks
	c.search(search)
	if err := c.invalid(); err != nil {
		return nil, err
	}
	if s.opts.Memory == nil {
		return nil, disabled()
	}
	return s.search(ctx, t, search)
}

// search is SearchMemories for what was checked.
func (s *Service) search(ctx context.Context, t Tenant, search *Search) (*Results, error) {
	q, err := search.query()
	if err != nil {
		return nil, err
	}
	if err := q.Filter.Check(); err != nil { // of other tenants' too
		return nil, failed(err)
	}
	results := &Results{Memories: []Found{}, Next: -1}
	// Whose memories are asked for alone is the scope: their ranks are their own then.
	of, mine := scope(t, only(q.Filter.Namespace), only(q.Filter.UserID))
	if !mine {
		return results, nil
	}
	found, err := s.opts.Memory.Search(ctx, of, q)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	for i := range found.Hits {
		results.Memories = append(results.Memories, foundOf(&found.Hits[i], found.Mode, *q.Alpha))
	}
	results.Total, results.Next = found.Total, found.Next
	return results, nil
}

// only is the text that a condition asks for, nil if it lets several pass.
func only(t *longterm.TextCondition) *string {
	if t == nil {
		return nil
	}
	return t.Eq
}

// query returns what long-term memory is asked for. Errors: Bad.
func (search *Search) query() (longterm.Query, error) {
	q := longterm.Query{
		Text: search.Text, Filter: search.Filter, Mode: longterm.ModeSemantic,
		Alpha: new(longterm.DefaultAlpha), Recency: search.recency(),
	}
	switch orElse(search.Mode, "") {
	case "keyword":
		q.Mode = longterm.ModeKeyword
	case "hybrid":
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

// recency returns how much freshness counts: by default it does.
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

// shortestHalfLife is in days. What is less, or negative, counts as that.
const shortestHalfLife = 0.001

// foundOf returns a hit with the score of its match.
func foundOf(hit *longterm.Hit, mode longterm.SearchMode, alpha float64) Found {
	f := Found{Record: hit.Record, By: mode}
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
