package providers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// spareDocuments is how many documents beyond a page are requested at first, since
	// some may be stale or of other owners.
	spareDocuments = 16
	// freshFactor is how many pages are examined if recency counts, which the vector
	// store does not know.
	freshFactor = 4
	// sameSimilarity is the largest difference of equal similarities due to rounding.
	sameSimilarity = 1e-6
	// minKeywords is the least number of records, the best by words, that are compared.
	minKeywords = 100
)

// Search implements driver.Index. Errors: the base's, and ErrStoreEmbeds.
func (x *VectorIndex) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	if err := s.Check(); err != nil {
		return driver.HitPage{}, err
	}
	if space, ok := x.searchable(&s); ok {
		page, full, err := x.nearest(ctx, &s, space)
		if err != nil || full {
			return page, err
		}
	}
	return x.base.Search(ctx, s)
}

// Nearest implements driver.Index. Errors: those of Search.
func (x *VectorIndex) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	if len(searches) > driver.MaxChanges {
		return nil, fmt.Errorf("providers: %d searches exceed the limit of %d", len(searches), driver.MaxChanges)
	}
	all := make([][]driver.Hit, len(searches))
	for i, s := range searches {
		page, err := x.Search(ctx, s)
		if err != nil {
			return nil, err
		}
		all[i] = page.Hits
	}
	return all, nil
}

// Neighbours implements driver.Index. Errors: the base's.
func (x *VectorIndex) Neighbours(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
	return x.base.Neighbours(ctx, keys)
}

// searchable reports whether the vector store can answer a search, and in which name
// space.
func (x *VectorIndex) searchable(s *driver.Search) (space string, ok bool) {
	semantic := s.Mode == driver.ModeSemantic || s.Mode == driver.ModeHybrid
	if !semantic || s.Limit == 0 || s.Limit > x.opts.MaxDocuments || s.Offset > x.opts.MaxDocuments-s.Limit {
		return "", false
	}
	if x.opts.NameSpace == nil {
		return "", true
	}
	namespace, userID, ok := s.Scope.Owner()
	if !ok {
		return "", false
	}
	return x.opts.NameSpace(namespace, userID), true
}

// nearest answers a search with the vector store, and reports whether the page is full.
func (x *VectorIndex) nearest(ctx context.Context, s *driver.Search, space string) (page driver.HitPage, full bool, err error) {
	need := s.Offset + s.Limit
	if s.Ranking.Recency != nil {
		need *= freshFactor
	}
	found := candidates{search: s, entries: make(map[driver.RecordKey]*driver.Entry), least: 1}
	for n := min(need+spareDocuments, x.opts.MaxDocuments); ; n = min(2*n, x.opts.MaxDocuments) {
		documents, err := x.searchStore(ctx, s, space, n)
		if err != nil || documents == nil {
			return driver.HitPage{}, false, err
		}
		if err := found.read(ctx, x, documents); err != nil {
			return driver.HitPage{}, false, err
		}
		all := len(documents) < n // the store has no more
		if found.enough(need, all) {
			break
		}
		if all || n == x.opts.MaxDocuments {
			return driver.HitPage{}, false, nil
		}
	}
	page, err = x.rank(ctx, s, &found)
	return page, err == nil, err
}

// searchStore requests n documents from the vector store. It logs a failure and returns
// no documents.
func (x *VectorIndex) searchStore(ctx context.Context, s *driver.Search, space string, n int) ([]schema.Document, error) {
	options := x.optionsOf(space)
	if x.opts.Filters != nil {
		if filters := x.opts.Filters(*s); filters != nil {
			options = append(options, vectorstores.WithFilters(filters))
		}
	}
	query := queryOf(s.Vector)
	known := &knownVectors{vectors: map[string][]float32{query: s.Vector}}
	var documents []schema.Document
	err := callee.Call(func() (err error) {
		documents, err = x.store.SimilaritySearch(context.WithValue(ctx, knownKey{}, known), query, n, options...)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("providers: searching the vector store: %w", ctx.Err())
	case err != nil:
		x.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "vector store failed; searching the index without it", slog.String("error", callee.Loggable(err)))
		return nil, nil
	case !known.asked.Load():
		return nil, ErrStoreEmbeds
	}
	return documents[:min(n, len(documents))], nil
}

// candidates are the records of the documents seen so far.
type candidates struct {
	search  *driver.Search
	entries map[driver.RecordKey]*driver.Entry // nil for records that do not match
	near    []float64                          // the similarities of the others
	least   float64                            // the smallest similarity seen
}

// enough reports whether there are as many candidates as needed. Records as near as the
// last one compete with it, so all of them must have been seen.
func (c *candidates) enough(need int, all bool) bool {
	if far := c.search.Ranking.MaxDistance; far != nil && 1-c.least > *far {
		return true // all further documents are too far
	}
	if len(c.near) < need {
		return false
	}
	slices.SortFunc(c.near, func(a, b float64) int { return cmp.Compare(b, a) })
	return all || c.least < c.near[need-1]-sameSimilarity
}

// read adds the records of documents.
func (c *candidates) read(ctx context.Context, x *VectorIndex, documents []schema.Document) error {
	digests := make(map[driver.RecordKey][]string)
	var keys []driver.RecordKey
	for i := range documents {
		key, ok := keyOf(&documents[i])
		if _, looked := c.entries[key]; looked || !ok || !c.search.Scope.Holds(key.Namespace, key.UserID) {
			continue
		}
		if digests[key] == nil {
			keys = append(keys, key)
		}
		digests[key] = append(digests[key], documents[i].PageContent)
	}
	found, err := x.lookup(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		e, ok := found[key]
		if !ok {
			c.entries[key] = nil // deleted
			continue
		}
		if slices.Contains(digests[key], digestOf(&e)) {
			c.add(key, &e)
		} // otherwise the record's current document may follow
	}
	return nil
}

// add adds an entry if it matches the search.
func (c *candidates) add(key driver.RecordKey, e *driver.Entry) {
	c.entries[key] = nil
	if e.Model != c.search.Model || len(e.Vector) != len(c.search.Vector) {
		return
	}
	similarity := driver.Similarity(e.Vector, c.search.Vector)
	c.least = min(c.least, similarity)
	if c.search.Filter.Matches(&e.Record) {
		c.entries[key] = e
		c.near = append(c.near, similarity)
	}
}

// rank returns the page of the candidates.
func (x *VectorIndex) rank(ctx context.Context, s *driver.Search, found *candidates) (driver.HitPage, error) {
	keywords, err := x.keywords(ctx, s, found)
	if err != nil {
		return driver.HitPage{}, err
	}
	var entries []*driver.Entry
	for _, e := range found.entries {
		if e != nil {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *driver.Entry) int { return driver.KeyOf(&a.Record).Compare(driver.KeyOf(&b.Record)) })
	ranked := make([]driver.Candidate[int], len(entries))
	for i, e := range entries {
		ranked[i] = driver.Candidate[int]{
			ID: i, BM25: keywords[driver.KeyOf(&e.Record)], CreatedAt: e.Record.CreatedAt, LastAccessed: e.Record.LastAccessed,
		}
		if e.Model == s.Model && len(e.Vector) == len(s.Vector) {
			ranked[i].Similarity, ranked[i].Compared = driver.Similarity(e.Vector, s.Vector), true
		}
	}
	ranked, total := driver.Rank(s, ranked)
	page := driver.HitPage{}
	for _, c := range ranked {
		page.Hits = append(page.Hits, driver.Hit{
			Record: entries[c.ID].Record, Version: entries[c.ID].Version,
			Score: c.Score, Similarity: c.Similarity, Keyword: c.Keyword, Compared: c.Compared,
		})
	}
	if page.Total = total; !s.NoTotal {
		page.Total, err = x.total(ctx, *s, total)
	}
	return page, err
}

// total returns driver.HitPage.Total for a search that found a number of records. Counting
// exactly makes the base compare all records, so it is done only if they are few.
func (x *VectorIndex) total(ctx context.Context, s driver.Search, found int) (int, error) {
	passing, err := x.base.Search(ctx, driver.Search{Scope: s.Scope, Filter: s.Filter})
	switch {
	case err != nil:
		return 0, err
	case passing.Total <= x.opts.MaxDocuments:
		s.Limit, s.Offset = 0, 0
		exact, err := x.base.Search(ctx, s)
		return exact.Total, err
	case s.Ranking.MaxDistance != nil:
		return found, nil
	}
	return max(found, passing.Total), nil
}

// keywords adds the best records by words to the candidates of a hybrid search, and
// returns their scores.
func (x *VectorIndex) keywords(ctx context.Context, s *driver.Search, found *candidates) (map[driver.RecordKey]float64, error) {
	if s.Mode != driver.ModeHybrid || len(s.Terms) == 0 {
		return nil, nil
	}
	page, err := x.base.Search(ctx, driver.Search{
		Scope: s.Scope, Filter: s.Filter, Mode: driver.ModeKeyword, Terms: s.Terms,
		Limit: min(max(freshFactor*(s.Offset+s.Limit), minKeywords), driver.MaxPage),
	})
	if err != nil {
		return nil, err
	}
	scores := make(map[driver.RecordKey]float64, len(page.Hits))
	var more []driver.RecordKey
	for i := range page.Hits {
		key := driver.KeyOf(&page.Hits[i].Record)
		scores[key] = page.Hits[i].Keyword
		if found.entries[key] == nil {
			more = append(more, key)
		}
	}
	entries, err := x.lookup(ctx, more)
	if err != nil {
		return nil, err
	}
	for key, e := range entries {
		if s.Filter.Matches(&e.Record) {
			found.entries[key] = &e
		}
	}
	return scores, nil
}
