package drivertest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// onTexts changes all conditions on texts.
func onTexts(change func(t *longterm.TextCondition)) func(*memindex.Index) *broken {
	return onSearch(func(s *driver.Search) {
		for _, field := range textFields() {
			if condition := field.of(&s.Filter); *condition != nil {
				copied := **condition
				change(&copied)
				*condition = &copied
			}
		}
	})
}

func filterFaults() []fault {
	return []fault{
		{"None is ignored", []string{"filters on texts", "several conditions", "filters at random", "many values in a filter"}, onTexts(func(t *longterm.TextCondition) { t.None = nil })},
		{"a prefix is a pattern", []string{"odd values in filters"}, onTexts(func(t *longterm.TextCondition) {
			if t.StartsWith != nil {
				before, _, _ := strings.Cut(*t.StartsWith, "%")
				t.StartsWith = &before
			}
		})},
		{"a filter without matches is ignored", []string{"a filter without matches", "filters at random", "invalid keys", "a filter does not widen a scope"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			page, err := x.Search(ctx, s)
			if err == nil && page.Total == 0 {
				s.Filter = longterm.RecordFilter{}
				return x.Search(ctx, s)
			}
			return page, err
		})},
		{"a bad filter finds nothing", []string{"an invalid search"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			if s.Filter.Check() != nil {
				return driver.HitPage{}, nil
			}
			return x.Search(ctx, s)
		})},
	}
}

func listFaults() []fault {
	return []fault{
		{"every order is by key", []string{"list the newest", "list the least recently used", "pages fit together"}, onSearch(func(s *driver.Search) {
			if s.Mode == longterm.ModeList {
				s.Order = longterm.OrderKey
			}
		})},
		{"keys are ordered as one text", []string{"list by key"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Order == longterm.OrderKey {
				slices.SortStableFunc(page.Hits, func(a, b longterm.Hit) int {
					join := func(r *longterm.Record) string { return r.Namespace + "/" + r.UserID + "/" + r.ID }
					return strings.Compare(join(&a.Record), join(&b.Record))
				})
			}
		})},
		{"a list has scores", []string{"list without scores"}, onPage(func(s driver.Search, page *driver.HitPage) {
			for i := range page.Hits {
				page.Hits[i].Score = max(page.Hits[i].Score, 0.1)
			}
		})},
		{"an empty list is an error", []string{"empty index"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			page, err := x.Search(ctx, s)
			if err == nil && page.Total == 0 {
				err = longterm.ErrNotFound
			}
			return page, err
		})},
	}
}

func rankFaults() []fault {
	return slices.Concat(keywordFaults(), []fault{
		{"the farthest is first", []string{"nearest first"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode == longterm.ModeSemantic {
				slices.Reverse(page.Hits)
			}
		})},
		{"a filter applies to the nearest 100", []string{"search by vectors is exact"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			if s.Mode != longterm.ModeSemantic {
				return x.Search(ctx, s)
			}
			all := s
			all.Filter, all.Limit, all.Offset = longterm.RecordFilter{}, 100, 0
			page, err := x.Search(ctx, all)
			page.Hits = slices.DeleteFunc(page.Hits, func(h longterm.Hit) bool { return !s.Filter.Matches(&h.Record) })
			page.Total = len(page.Hits)
			page.Hits = page.Hits[min(s.Offset, page.Total):min(s.Offset+s.Limit, page.Total)]
			return page, err
		})},
		{"the threshold is ignored", []string{"distance threshold"}, onSearch(func(s *driver.Search) { s.Ranking.MaxDistance = nil })},
		{"models are mixed", []string{"models are not mixed", "agrees with the model"}, func(x *memindex.Index) *broken {
			b := onEntry(func(_ *memindex.Index, e *driver.Entry) {
				if e.Vector != nil {
					e.Model = "model"
				}
			})(x)
			b.search = onSearch(func(s *driver.Search) {
				if s.Vector != nil {
					s.Model = "model"
				}
			})(x).search
			return b
		}},
		{"a hybrid search requires both", []string{"hybrid finds both"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode == longterm.ModeHybrid {
				page.Hits = slices.DeleteFunc(page.Hits, func(h longterm.Hit) bool { return !h.Compared || h.Keyword == 0 })
				page.Total = len(page.Hits)
			}
		})},
		{"alpha is 0.7", []string{"alpha"}, onSearch(func(s *driver.Search) { s.Ranking.Alpha = 0.7 })},
		{"recency is ignored", []string{"recency"}, onSearch(func(s *driver.Search) { s.Ranking.Recency = nil })},
		{"ties ignore CreatedAt", []string{"ties"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode != longterm.ModeList {
				slices.SortStableFunc(page.Hits, func(a, b longterm.Hit) int {
					return cmp.Or(cmp.Compare(b.Score, a.Score), driver.KeyOf(&a.Record).Compare(driver.KeyOf(&b.Record)))
				})
			}
		})},
	})
}

func keywordFaults() []fault {
	return []fault{
		{"all terms are required", []string{"keywords by BM25", "rare terms count more"}, func(x *memindex.Index) *broken {
			var terms notes[[]string]
			b := onEntry(func(_ *memindex.Index, e *driver.Entry) { terms.set(driver.KeyOf(&e.Record), e.Terms) })(x)
			b.search = onPage(func(s driver.Search, page *driver.HitPage) {
				page.Hits = slices.DeleteFunc(page.Hits, func(h longterm.Hit) bool {
					has := terms.get(driver.KeyOf(&h.Record))
					return s.Mode == longterm.ModeKeyword && slices.ContainsFunc(s.Terms, func(term string) bool { return !slices.Contains(has, term) })
				})
			})(x).search
			return b
		}},
		{"texts have three terms", []string{"long texts count less", "many terms", "keywords by BM25"}, onEntry(func(_ *memindex.Index, e *driver.Entry) { e.Terms = e.Terms[:min(len(e.Terms), 3)] })},
		{"repeats are ignored", []string{"repeats count more"}, onEntry(func(_ *memindex.Index, e *driver.Entry) {
			e.Terms = withoutRepeats(e.Terms)
		})},
		{"statistics cover everyone", []string{"statistics cover the scope", "ranking does not depend on others"}, onSearch(func(s *driver.Search) {
			if namespace, userID, ok := s.Scope.Owner(); ok {
				s.Scope, s.Filter.Namespace, s.Filter.UserID = longterm.Everyone(), &longterm.TextCondition{Eq: &namespace}, &longterm.TextCondition{Eq: &userID}
			}
		})},
		{"terms ignore case", []string{"odd terms"}, func(x *memindex.Index) *broken {
			lower := func(terms []string) []string {
				var all []string
				for _, term := range terms {
					all = append(all, strings.ToLower(term))
				}
				return all
			}
			b := onEntry(func(_ *memindex.Index, e *driver.Entry) { e.Terms = lower(e.Terms) })(x)
			b.search = onSearch(func(s *driver.Search) { s.Terms = lower(s.Terms) })(x).search
			return b
		}},
		{"a search without terms finds everything", []string{"keywords without terms"}, onSearch(func(s *driver.Search) {
			if s.Mode == longterm.ModeKeyword && len(s.Terms) == 0 {
				s.Mode = longterm.ModeList
			}
		})},
	}
}

// withoutRepeats replaces repeated terms.
func withoutRepeats(terms []string) []string {
	terms = slices.Clone(terms)
	for i, term := range terms {
		if slices.Contains(terms[:i], term) {
			terms[i] = term + "#" + strconv.Itoa(i)
		}
	}
	return terms
}

func pageFaults() []fault {
	return []fault{
		{"the total counts the page", []string{"pages fit together", "pages at the edges", "list after a key"}, onPage(func(_ driver.Search, page *driver.HitPage) { page.Total = len(page.Hits) })},
		{"a search ranks 1,000", []string{"thousands of hits"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			if s.Mode == longterm.ModeList {
				return x.Search(ctx, s)
			}
			all := s
			all.Limit, all.Offset = longterm.MaxPage, 0
			page, err := x.Search(ctx, all)
			begin := min(s.Offset, len(page.Hits))
			page.Hits = page.Hits[begin : begin+min(s.Limit, len(page.Hits)-begin)]
			return page, err
		})},
	}
}

func tenantFaults() []fault {
	return []fault{
		{"no scope means everyone", []string{"a search without a scope"}, onSearch(func(s *driver.Search) {
			if s.Scope.Check() != nil {
				s.Scope = longterm.Everyone()
			}
		})},
		{"an empty user means all users", []string{"scopes"}, onSearch(func(s *driver.Search) {
			if namespace, userID, ok := s.Scope.Owner(); ok && userID == "" {
				s.Scope = longterm.OfNamespace(namespace)
			}
		})},
		{"a condition on the user widens the scope", []string{"a filter does not widen a scope", "owners are isolated"}, onSearch(func(s *driver.Search) {
			if namespace, _, ok := s.Scope.Owner(); ok && s.Filter.UserID != nil {
				s.Scope = longterm.OfNamespace(namespace)
			}
		})},
		{"hashes are looked up in all namespaces", []string{"hashes of owners", "agrees with the model"}, onLookupCall(func(ctx context.Context, x *memindex.Index, l driver.Lookup) ([]driver.Entry, error) {
			page, err := x.Search(ctx, driver.Search{Scope: longterm.OfUser(l.UserID), Limit: longterm.MaxPage})
			for _, hit := range page.Hits {
				if slices.Contains(l.Hashes, hit.Record.Hash) {
					l.Keys = append(l.Keys, driver.KeyOf(&hit.Record))
				}
			}
			if err != nil {
				return nil, err
			}
			return x.Lookup(ctx, l)
		})},
	}
}

// reserving is a fault in how an index asks for memory. The index of the suite does not ask.
func reserving(ask func(reserve sessiondriver.Reserve, texts int64) error) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := newBroken(x)
		asked := func(ctx context.Context, texts int64) error {
			if reserve := sessiondriver.ReserveFrom(ctx); reserve != nil {
				return ask(reserve, texts)
			}
			return nil
		}
		b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
			found, err := x.Lookup(ctx, l)
			texts := 0
			for _, e := range found {
				texts += len(e.Record.Text)
			}
			return found, errors.Join(err, asked(ctx, int64(texts)))
		}
		b.search = func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
			page, err := x.Search(ctx, s)
			texts := 0
			for _, h := range page.Hits {
				texts += len(h.Record.Text)
			}
			return page, errors.Join(err, asked(ctx, int64(texts)))
		}
		return b
	}
}

func reserveFaults() []fault {
	return []fault{
		{"it asks for half of the memory", []string{"asks for enough memory"}, reserving(func(reserve sessiondriver.Reserve, texts int64) error { return reserve("index", texts) })},
		{"it ignores a refusal", []string{"asks for enough memory"}, reserving(func(reserve sessiondriver.Reserve, texts int64) error {
			_ = reserve("index", 2*texts)
			return nil
		})},
	}
}

func concurrencyFaults() []fault {
	return []fault{
		{"a handle caches pages", []string{"acknowledged writes are visible"}, func(x *memindex.Index) *broken {
			b := newBroken(x)
			b.another = func() *broken {
				handle, before := newBroken(x), map[longterm.SearchMode]driver.HitPage{}
				handle.search = func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
					if page, ok := before[s.Mode]; ok {
						return page, nil
					}
					page, err := x.Search(ctx, s)
					before[s.Mode] = page
					return page, err
				}
				return handle
			}
			return b
		}},
	}
}
