package memindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/page"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Search implements driver.Index.
func (x *Index) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	hits, err := x.search(ctx, &s)
	if err != nil {
		return driver.HitPage{}, fmt.Errorf("longterm: search: %w", err)
	}
	return hits, nil
}

// search answers a search of a locked index.
func (x *Index) search(ctx context.Context, s *driver.Search) (driver.HitPage, error) {
	if err := s.Check(); err != nil {
		return driver.HitPage{}, err
	}
	if err := x.checkOpen(ctx); err != nil {
		return driver.HitPage{}, err
	}
	work := &search{Search: s, ctx: ctx, index: x, owners: x.inScope(s.Scope)}
	if s.Mode == driver.ModeList {
		return work.list()
	}
	return work.ranked()
}

func (x *Index) inScope(scope driver.Scope) []*owner {
	if namespace, userID, ok := scope.Owner(); ok {
		if o := x.owners[ownerKey{namespace, userID}]; o != nil {
			return []*owner{o}
		}
		return nil
	}
	var owners []*owner
	for key, owner := range x.owners {
		if scope.Holds(key.namespace, key.userID) {
			owners = append(owners, owner)
		}
	}
	return owners
}

// search is the state of a search.
type search struct {
	*driver.Search
	ctx    context.Context
	index  *Index
	owners []*owner
	seen   int // entries, for checking the context now and then
	found  []driver.Candidate[string]
}

// passes reports whether an entry passes the filter. Every 1024 entries, it checks the
// context.
func (w *search) passes(e *entry) (bool, error) {
	if w.seen++; w.seen%1024 == 0 && w.ctx.Err() != nil {
		return false, w.ctx.Err()
	}
	return w.Filter.Matches(&e.record), nil
}

func (w *search) list() (driver.HitPage, error) {
	var found []*entry
	after := ""
	if w.After != nil {
		after = sortKey(*w.After)
	}
	for _, owner := range w.owners {
		for _, e := range owner.entries {
			if e == nil || e.key <= after {
				continue
			}
			ok, err := w.passes(e)
			if err != nil {
				return driver.HitPage{}, err
			}
			if ok {
				found = append(found, e)
			}
		}
	}
	hits := driver.HitPage{Total: len(found)}
	for _, e := range page.Select(found, w.Offset, w.Limit, compareEntries(w.Order)) {
		hits.Hits = append(hits.Hits, driver.Hit{Record: record.Clone(&e.record), Version: e.version})
	}
	return hits, nil
}

// compareEntries returns the comparison of an order.
func compareEntries(o driver.Order) func(a, b **entry) int {
	return func(a, b **entry) int {
		by := 0
		switch o {
		case driver.OrderNewest:
			by = (*b).record.CreatedAt.Compare((*a).record.CreatedAt)
		case driver.OrderLeastRecentlyUsed:
			by = record.LastUsed(&(*a).record).Compare(record.LastUsed(&(*b).record))
		}
		if by != 0 {
			return by
		}
		return cmp.Compare((*a).key, (*b).key)
	}
}

// ranked finds the entries of the other modes.
func (w *search) ranked() (driver.HitPage, error) {
	terms := w.weighTerms()
	for _, owner := range w.owners {
		if err := w.findIn(owner, terms); err != nil {
			return driver.HitPage{}, err
		}
	}
	ranked, total := driver.Rank(w.Search, w.found)
	hits := driver.HitPage{Total: total}
	for _, c := range ranked {
		e := w.index.entries[c.ID]
		hits.Hits = append(hits.Hits, driver.Hit{
			Record: record.Clone(&e.record), Version: e.version,
			Score: c.Score, Similarity: c.Similarity, Keyword: c.Keyword, Compared: c.Compared,
		})
	}
	return hits, nil
}

// findIn adds the entries of an owner that match.
func (w *search) findIn(owner *owner, terms *weighedTerms) error {
	scores := w.index.borrowScores(len(owner.entries))
	defer w.index.returnScores(scores)
	if err := terms.score(w.ctx, owner, scores); err != nil {
		return err
	}
	var compared *vectors
	if w.Mode != driver.ModeKeyword {
		compared = owner.vectors[spaceKey{w.Model, len(w.Vector)}]
	}
	w.found = slices.Grow(w.found, len(scores.slots))
	if compared != nil {
		w.found = slices.Grow(w.found, len(compared.entries))
		for row, e := range compared.entries {
			ok, err := w.passes(e)
			if err != nil {
				return err
			}
			if ok {
				w.add(e, scores.of[e.slot], driver.Similarity(w.Vector, compared.at(row)), true)
			}
		}
	}
	for _, slot := range scores.slots {
		e := owner.entries[slot]
		if compared != nil && e.space == compared {
			continue
		}
		ok, err := w.passes(e)
		if err != nil {
			return err
		}
		if ok {
			w.add(e, scores.of[slot], 0, false)
		}
	}
	return nil
}

func (w *search) add(e *entry, bm25, similarity float64, compared bool) {
	w.found = append(w.found, driver.Candidate[string]{
		ID: e.key, BM25: bm25, Similarity: similarity, Compared: compared,
		CreatedAt: e.record.CreatedAt, LastAccessed: e.record.LastAccessed,
	})
}
