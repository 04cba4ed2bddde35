package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// SearchMemories finds memories, the best first, and says by what they were found: without
// an embedder, or where it does not answer, by keywords. That a memory was found is a use
// of it, unless all were listed, as they are without a text. Errors: Bad, Invalid,
// Unavailable.
func (s *Service) SearchMemories(ctx context.Context, t Tenant, search *wire.Search) (*wire.Results, error) {
	if err := invalidIf(search.Check()); err != nil {
		return nil, err
	}
	if s.opts.Memory == nil {
		return nil, disabled()
	}
	return s.search(ctx, t, search)
}

// search is SearchMemories for what was checked.
func (s *Service) search(ctx context.Context, t Tenant, search *wire.Search) (*wire.Results, error) {
	q, err := queryOf(search)
	if err != nil {
		return nil, err
	}
	if err := q.Filter.Check(); err != nil { // of other tenants' too
		return nil, failed(err)
	}
	results := &wire.Results{Memories: []wire.Found{}}
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
	if results.Total = found.Total; found.Next >= 0 {
		results.NextOffset = &found.Next
	}
	return results, nil
}

// only is the text that a condition asks for, nil if it lets several pass.
func only(t *longterm.Text) *string {
	if t == nil {
		return nil
	}
	return t.Eq
}

// queryOf is a search of the wire. Errors: Bad.
func queryOf(search *wire.Search) (longterm.Query, error) {
	q := longterm.Query{
		Text: orElse(search.Text, ""), Filter: filterOf(search), Mode: longterm.ModeSemantic,
		Alpha: new(longterm.DefaultAlpha), Recency: recencyOf(search),
	}
	switch orElse(search.Mode, "") {
	case "keyword":
		q.Mode = longterm.ModeKeyword
	case "hybrid":
		q.Mode = longterm.ModeHybrid
	}
	if search.HybridAlpha != nil {
		q.Alpha = new(float64(*search.HybridAlpha))
	}
	if search.Distance != nil {
		if q.Mode != longterm.ModeSemantic {
			return q, &Error{Kind: Bad, Detail: "distance_threshold is only supported for semantic search mode"}
		}
		q.MaxDistance = new(float64(*search.Distance))
	}
	if search.Limit != nil {
		q.Limit = int(*search.Limit)
	}
	if search.Offset != nil {
		q.Offset = int(*search.Offset)
	}
	return q, nil
}

// recencyOf says how much freshness counts: by default it does.
func recencyOf(search *wire.Search) *longterm.Recency {
	if search.RecencyBoost != nil && !bool(*search.RecencyBoost) {
		return nil
	}
	r := longterm.DefaultRecency()
	for _, w := range []struct {
		weight *float64
		given  *wire.Float
	}{{&r.Match, search.Semantic}, {&r.Fresh, search.Recency}, {&r.Access, search.Freshness}, {&r.Age, search.Novelty}} {
		if w.given != nil {
			*w.weight = float64(*w.given)
		}
	}
	for _, h := range []struct {
		half  *time.Duration
		given *wire.Float
	}{{&r.HalfAccess, search.HalfAccess}, {&r.HalfAge, search.HalfCreated}} {
		if h.given != nil {
			*h.half = days(max(float64(*h.given), shortestHalfLife))
		}
	}
	return &r
}

// shortestHalfLife is in days. What is less, or negative, counts as that.
const shortestHalfLife = 0.001

// foundOf is a hit. Its score is of how it matches, without its freshness, by which it was
// ranked.
func foundOf(hit *longterm.Hit, mode longterm.Mode, alpha float64) wire.Found {
	f := wire.Found{Memory: wireMemory(&hit.Record)}
	if mode == longterm.ModeList {
		return f
	}
	var score float64
	var by string
	switch mode {
	case longterm.ModeKeyword:
		score, by = hit.Keyword, "keyword"
	case longterm.ModeSemantic:
		score, by = hit.Similarity, "semantic"
	default:
		score, by = alpha*hit.Similarity+(1-alpha)*hit.Keyword, "hybrid"
	}
	shown := min(max(score, 0), 1)
	f.Dist = 1 - shown
	if mode == longterm.ModeSemantic {
		f.Dist = min(max(1-score, 0), 2) // opposites are farther than what has nothing in common
	}
	f.Score, f.ScoreType = &shown, &by
	return f
}
