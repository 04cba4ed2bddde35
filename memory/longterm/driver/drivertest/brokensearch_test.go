package drivertest

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// onTexts is a fault in all conditions on texts.
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
	return []fault{{
		"Ne is left out",
		onTexts(func(t *longterm.TextCondition) { t.Ne = nil }),
		[]string{"filters on texts", "several conditions", "filters at random"},
	}, {
		"None is left out",
		onTexts(func(t *longterm.TextCondition) { t.None = nil }),
		[]string{"filters on texts", "several conditions", "filters at random", "many values in a filter"},
	}, {
		"All is Any",
		onTexts(func(t *longterm.TextCondition) { t.Any, t.All = append(t.Any, t.All...), nil }),
		[]string{"filters on texts", "several conditions", "filters at random"},
	}, {
		"one operator applies",
		onTexts(func(t *longterm.TextCondition) {
			if t.Eq != nil || t.Ne != nil || t.Any != nil || t.All != nil {
				t.StartsWith = nil
			}
		}),
		[]string{"several conditions", "filters at random"},
	}, {
		"a prefix is a pattern",
		onTexts(func(t *longterm.TextCondition) {
			if t.StartsWith != nil {
				before, _, _ := strings.Cut(*t.StartsWith, "%")
				t.StartsWith = &before
			}
		}),
		[]string{"odd values in filters"},
	}, {
		"an equal text is one in any case",
		onTexts(func(t *longterm.TextCondition) {
			if t.Eq != nil {
				t.Any, t.Eq = append(t.Any, *t.Eq, strings.ToLower(*t.Eq), strings.ToUpper(*t.Eq)), nil
			}
		}),
		[]string{"odd values in filters", "filters on texts"},
	}, {
		"conditions have 100 values",
		onTexts(func(t *longterm.TextCondition) { t.All = t.All[:min(len(t.All), 100)] }),
		[]string{"many values in a filter"},
	}, {
		"times are compared in milliseconds",
		onSearch(func(s *driver.Search) {
			if c := s.Filter.UpdatedAt; c != nil && c.Gt != nil {
				s.Filter.UpdatedAt = &longterm.TimeCondition{Gt: new(c.Gt.Truncate(1000 * 1000))}
			}
		}),
		[]string{"filters on times"},
	}, {
		"a filter that nothing passes is left out",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
				page, err := x.Search(ctx, s)
				if err == nil && page.Total == 0 {
					s.Filter = longterm.RecordFilter{}
					return x.Search(ctx, s)
				}
				return page, err
			}}
		},
		[]string{"a filter without matches", "filters at random", "invalid keys", "a filter does not widen a scope"},
	}, {
		"a bad filter finds nothing",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
				if s.Filter.Check() != nil {
					return driver.HitPage{}, nil
				}
				return x.Search(ctx, s)
			}}
		},
		[]string{"an invalid search"},
	}}
}

func listFaults() []fault {
	return []fault{{
		"every order is by key",
		onSearch(func(s *driver.Search) {
			if s.Mode == longterm.ModeList {
				s.Order = longterm.OrderKey
			}
		}),
		[]string{"list the newest", "list the least recently used", "pages fit together"},
	}, {
		"keys are ordered as one text",
		onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Order == longterm.OrderKey {
				slices.SortStableFunc(page.Hits, func(a, b longterm.Hit) int {
					join := func(r *longterm.Record) string { return r.Namespace + "/" + r.UserID + "/" + r.ID }
					return strings.Compare(join(&a.Record), join(&b.Record))
				})
			}
		}),
		[]string{"list by key"},
	}, {
		"After counts for the first page alone",
		onPage(func(s driver.Search, page *driver.HitPage) {
			if s.After != nil && len(page.Hits) > 1 {
				page.Hits = page.Hits[1:]
			}
		}),
		[]string{"list after a key"},
	}, {
		"a list has scores",
		onPage(func(s driver.Search, page *driver.HitPage) {
			for i := range page.Hits {
				page.Hits[i].Score = max(page.Hits[i].Score, 0.1)
			}
		}),
		[]string{"list without scores"},
	}, {
		"a list of nothing is not found",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
				page, err := x.Search(ctx, s)
				if err == nil && page.Total == 0 {
					err = longterm.ErrNotFound
				}
				return page, err
			}}
		},
		[]string{"empty index"},
	}}
}

func rankFaults() []fault {
	return slices.Concat(keywordFaults(), []fault{{
		"the farthest come first",
		onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode == longterm.ModeSemantic {
				slices.Reverse(page.Hits)
			}
		}),
		[]string{"nearest first"},
	}, {
		"a filter applies to the nearest 100",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
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
			}}
		},
		[]string{"search by vectors is exact"},
	}, {
		"the threshold is left out",
		onSearch(func(s *driver.Search) { s.Ranking.MaxDistance = nil }),
		[]string{"distance threshold"},
	}, {
		"models are mixed",
		func(x *memindex.Index) *broken {
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
		},
		[]string{"models are not mixed", "agrees with the model"},
	}, {
		"a hybrid search finds what both find",
		onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode == longterm.ModeHybrid {
				page.Hits = slices.DeleteFunc(page.Hits, func(h longterm.Hit) bool { return !h.Compared || h.Keyword == 0 })
				page.Total = len(page.Hits)
			}
		}),
		[]string{"hybrid finds both"},
	}, {
		"alpha is 0.7",
		onSearch(func(s *driver.Search) { s.Ranking.Alpha = 0.7 }),
		[]string{"alpha"},
	}, {
		"recency is left out",
		onSearch(func(s *driver.Search) { s.Ranking.Recency = nil }),
		[]string{"recency"},
	}, {
		"ties are by key",
		onPage(func(s driver.Search, page *driver.HitPage) {
			if s.Mode != longterm.ModeList {
				slices.SortStableFunc(page.Hits, func(a, b longterm.Hit) int {
					return cmp.Or(cmp.Compare(b.Score, a.Score), driver.KeyOf(&a.Record).Compare(driver.KeyOf(&b.Record)))
				})
			}
		}),
		[]string{"ties"},
	}})
}

func keywordFaults() []fault {
	return []fault{{
		"all terms must be there",
		func(x *memindex.Index) *broken {
			var terms notes[[]string]
			b := onEntry(func(_ *memindex.Index, e *driver.Entry) { terms.set(driver.KeyOf(&e.Record), e.Terms) })(x)
			b.search = onPage(func(s driver.Search, page *driver.HitPage) {
				page.Hits = slices.DeleteFunc(page.Hits, func(h longterm.Hit) bool {
					has := terms.get(driver.KeyOf(&h.Record))
					return s.Mode == longterm.ModeKeyword && slices.ContainsFunc(s.Terms, func(term string) bool { return !slices.Contains(has, term) })
				})
			})(x).search
			return b
		},
		[]string{"keywords by BM25", "rare terms count more"},
	}, {
		"texts have three terms",
		onEntry(func(_ *memindex.Index, e *driver.Entry) { e.Terms = e.Terms[:min(len(e.Terms), 3)] }),
		[]string{"long texts count less", "many terms", "keywords by BM25"},
	}, {
		"repeats are of no account",
		onEntry(func(_ *memindex.Index, e *driver.Entry) {
			e.Terms = withoutRepeats(e.Terms)
		}),
		[]string{"repeats count more"},
	}, {
		"statistics are of everyone",
		onSearch(func(s *driver.Search) {
			if namespace, userID, ok := s.Scope.Owner(); ok {
				s.Scope, s.Filter.Namespace, s.Filter.UserID = longterm.Everyone(), &longterm.TextCondition{Eq: &namespace}, &longterm.TextCondition{Eq: &userID}
			}
		}),
		[]string{"statistics cover the scope", "ranking does not depend on others"},
	}, {
		"terms are of any case",
		func(x *memindex.Index) *broken {
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
		},
		[]string{"odd terms"},
	}, {
		"no terms find all",
		onSearch(func(s *driver.Search) {
			if s.Mode == longterm.ModeKeyword && len(s.Terms) == 0 {
				s.Mode = longterm.ModeList
			}
		}),
		[]string{"keywords without terms"},
	}}
}

// withoutRepeats puts other terms where one is repeated.
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
	return []fault{{
		"the total is that of the page",
		onPage(func(_ driver.Search, page *driver.HitPage) { page.Total = len(page.Hits) }),
		[]string{"pages fit together", "pages at the edges", "list after a key"},
	}, {
		"pages overlap",
		onSearch(func(s *driver.Search) { s.Offset = max(0, s.Offset-1) }),
		[]string{"pages fit together"},
	}, {
		"a search ranks 1,000",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
				if s.Mode == longterm.ModeList {
					return x.Search(ctx, s)
				}
				all := s
				all.Limit, all.Offset = longterm.MaxPage, 0
				page, err := x.Search(ctx, all)
				begin := min(s.Offset, len(page.Hits))
				page.Hits = page.Hits[begin : begin+min(s.Limit, len(page.Hits)-begin)]
				return page, err
			}}
		},
		[]string{"thousands of hits"},
	}, {
		"a limit of 0 is 10",
		onSearch(func(s *driver.Search) { s.Limit = cmp.Or(s.Limit, 10) }),
		[]string{"pages at the edges"},
	}}
}

func tenantFaults() []fault {
	return []fault{{
		"no scope is everyone's",
		onSearch(func(s *driver.Search) {
			if s.Scope.Check() != nil {
				s.Scope = longterm.Everyone()
			}
		}),
		[]string{"a search without a scope"},
	}, {
		"an empty user is all users",
		onSearch(func(s *driver.Search) {
			if namespace, userID, ok := s.Scope.Owner(); ok && userID == "" {
				s.Scope = longterm.OfNamespace(namespace)
			}
		}),
		[]string{"scopes"},
	}, {
		"a condition on the user widens the scope",
		onSearch(func(s *driver.Search) {
			if namespace, _, ok := s.Scope.Owner(); ok && s.Filter.UserID != nil {
				s.Scope = longterm.OfNamespace(namespace)
			}
		}),
		[]string{"a filter does not widen a scope", "owners are isolated"},
	}, {
		"hashes are looked up in all namespaces",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, lookup: func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
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
			}}
		},
		[]string{"hashes of owners", "agrees with the model"},
	}}
}

func concurrencyFaults() []fault {
	return []fault{{
		"a handle reads what it has read before",
		func(x *memindex.Index) *broken {
			return &broken{Index: x, another: func() *broken {
				before := map[longterm.SearchMode]driver.HitPage{}
				return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
					if page, ok := before[s.Mode]; ok {
						return page, nil
					}
					page, err := x.Search(ctx, s)
					before[s.Mode] = page
					return page, err
				}}
			}}
		},
		[]string{"acknowledged writes are visible"},
	}}
}
