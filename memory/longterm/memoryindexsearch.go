package longterm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Search implements Index.
func (x *MemoryIndex) Search(ctx context.Context, s Search) (Page, error) {
	if err := s.Check(); err != nil {
		return Page{}, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if err := x.open(ctx); err != nil {
		return Page{}, fmt.Errorf("longterm: search: %w", err)
	}
	work := &memorySearch{Search: &s, ctx: ctx, index: x, owners: x.inScope(s.Scope)}
	find := work.ranked
	if s.Mode == ModeList {
		find = work.list
	}
	page, err := find()
	if err != nil {
		return Page{}, fmt.Errorf("longterm: search: %w", err)
	}
	return page, nil
}

func (x *MemoryIndex) inScope(scope Scope) []*memoryOwner {
	if namespace, userID, ok := scope.Owner(); ok {
		if owner := x.owners[memoryOwnerKey{namespace, userID}]; owner != nil {
			return []*memoryOwner{owner}
		}
		return nil
	}
	var owners []*memoryOwner
	for key, owner := range x.owners {
		if scope.Holds(key.namespace, key.userID) {
			owners = append(owners, owner)
		}
	}
	return owners
}

// memorySearch is a search while it runs.
type memorySearch struct {
	*Search
	ctx    context.Context
	index  *MemoryIndex
	owners []*memoryOwner
	looked int
	found  []Candidate[string]
}

// passes reports whether an entry passes the filter. Now and then it looks whether
// somebody still waits.
func (w *memorySearch) passes(e *memoryEntry) (bool, error) {
	if w.looked++; w.looked%1024 == 0 && w.ctx.Err() != nil {
		return false, w.ctx.Err()
	}
	return w.Filter.Matches(&e.record), nil
}

func (w *memorySearch) list() (Page, error) {
	var found []*memoryEntry
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
				return Page{}, err
			}
			if ok {
				found = append(found, e)
			}
		}
	}
	page := Page{Total: len(found)}
	for _, e := range pageOf(w.Search, found, w.Order.compare) {
		page.Hits = append(page.Hits, Hit{Record: copyRecord(&e.record), Version: e.version})
	}
	return page, nil
}

func (o Order) compare(a, b **memoryEntry) int {
	by := 0
	switch o {
	case OrderNewest:
		by = (*b).record.CreatedAt.Compare((*a).record.CreatedAt)
	case OrderLeastRecentlyUsed:
		by = lastUsed(*a).Compare(lastUsed(*b))
	}
	if by != 0 {
		return by
	}
	return cmp.Compare((*a).key, (*b).key)
}

func lastUsed(e *memoryEntry) time.Time {
	if e.record.LastAccessed.Before(e.record.CreatedAt) {
		return e.record.CreatedAt
	}
	return e.record.LastAccessed
}

// ranked finds what the other modes find.
func (w *memorySearch) ranked() (Page, error) {
	terms := w.weighed()
	for _, owner := range w.owners {
		if err := w.findIn(owner, terms); err != nil {
			return Page{}, err
		}
	}
	ranked, total := Rank(w.Search, w.found)
	page := Page{Total: total}
	for _, c := range ranked {
		e := w.index.entries[c.ID]
		page.Hits = append(page.Hits, Hit{
			Record: copyRecord(&e.record), Version: e.version,
			Score: c.Score, Similarity: c.Similarity, Keyword: c.Keyword, Compared: c.Compared,
		})
	}
	return page, nil
}

// findIn adds what is found of an owner.
func (w *memorySearch) findIn(owner *memoryOwner, terms *weighedTerms) error {
	scores := w.index.borrowScores(len(owner.entries))
	defer w.index.returnScores(scores)
	if err := terms.score(w.ctx, owner, scores); err != nil {
		return err
	}
	var compared *memoryVectors
	if w.Mode != ModeKeyword {
		compared = owner.vectors[memorySpace{w.Model, len(w.Vector)}]
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
				w.add(e, scores.of[e.slot], similarity(w.Vector, compared.at(row)), true)
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

func (w *memorySearch) add(e *memoryEntry, bm25, similarity float64, compared bool) {
	w.found = append(w.found, Candidate[string]{
		ID: e.key, BM25: bm25, Similarity: similarity, Compared: compared,
		CreatedAt: e.record.CreatedAt, LastAccessed: e.record.LastAccessed,
	})
}

// The parameters of BM25, as they are by custom.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// weighedTerms are the terms of a search, with what they count in its scope.
type weighedTerms struct {
	terms   []string
	weights []float64 // the inverse document frequencies
	average float64   // length of a text
}

// weighed counts over all records in the scope, whether they pass the filter or not.
func (w *memorySearch) weighed() *weighedTerms {
	t := &weighedTerms{}
	if w.Mode != ModeKeyword && w.Mode != ModeHybrid {
		return t
	}
	records, length := 0, 0
	for _, owner := range w.owners {
		records += len(owner.hashes)
		length += owner.length
	}
	t.average = float64(length) / float64(max(records, 1))
	// Scores are sums of floats: the same terms in another order are to give the same.
	for _, term := range slices.Compact(slices.Sorted(slices.Values(w.Terms))) {
		with := 0
		for _, owner := range w.owners {
			if list := owner.terms[term]; list != nil {
				with += list.live
			}
		}
		if with > 0 {
			t.terms = append(t.terms, term)
			t.weights = append(t.weights, math.Log(1+(float64(records-with)+0.5)/(float64(with)+0.5)))
		}
	}
	return t
}

// score adds up the BM25 of the entries of an owner.
func (t *weighedTerms) score(ctx context.Context, owner *memoryOwner, scores *slotScores) error {
	for i, term := range t.terms {
		list := owner.terms[term]
		if list == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range list.slots {
			e := owner.entries[p.slot]
			if e == nil {
				continue
			}
			if scores.of[p.slot] == 0 {
				scores.slots = append(scores.slots, p.slot)
			}
			count := float64(p.count)
			length := 1 - bm25B + bm25B*float64(e.length)/t.average
			scores.of[p.slot] += t.weights[i] * count * (bm25K1 + 1) / (count + bm25K1*length)
		}
	}
	return nil
}

// slotScores are scores by slots. All are 0 but those of the slots that are listed.
type slotScores struct {
	of    []float64
	slots []uint32
}

func (x *MemoryIndex) borrowScores(n int) *slotScores {
	scores, ok := x.scores.Get().(*slotScores)
	if !ok {
		scores = &slotScores{}
	}
	if len(scores.of) < n {
		scores.of = make([]float64, n)
	}
	return scores
}

func (x *MemoryIndex) returnScores(scores *slotScores) {
	for _, slot := range scores.slots {
		scores.of[slot] = 0
	}
	scores.slots = scores.slots[:0]
	x.scores.Put(scores)
}
