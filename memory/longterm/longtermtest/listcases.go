package longtermtest

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

func listCases() []testCase {
	return []testCase{{
		Name:  "list the newest",
		About: "OrderNewest is by CreatedAt, latest first, ties by key; what has no CreatedAt comes last.",
		Run:   func(e *env) { e.listsInOrder(longterm.OrderNewest) },
	}, {
		Name:  "list the least recently used",
		About: "OrderLeastRecentlyUsed is by LastAccessed, or CreatedAt where that is later or alone known, earliest first, ties by key.",
		Run:   func(e *env) { e.listsInOrder(longterm.OrderLeastRecentlyUsed) },
	}, {
		Name:  "list by key",
		About: "OrderKey is the bytewise order of namespace, user and id, in this order, not that of a language or of joined texts.",
		Run:   func(e *env) { e.listsInOrder(longterm.OrderKey) },
	}, {
		Name:  "list behind a key",
		About: "After is the key behind which a page begins, whether it is there or not; Total is of what is behind it.",
		Run:   listAfter,
	}, {
		Name:  "list without scores",
		About: "Hits of a ModeList have no score, similarity or keyword, and terms and vectors of the search do not count.",
		Run:   listWithoutScores,
	}, {
		Name:  "list of nothing",
		About: "An index without records finds nothing, in every mode.",
		Run: func(e *env) {
			for _, scope := range []longterm.Scope{anna, longterm.Everyone(), longterm.OfNamespace(""), longterm.OfUser("")} {
				require.Zero(e, e.filters(e, model{}, scope, longterm.Filter{}))
			}
		},
	}}
}

// manyOrders are records that each order puts in another one.
func manyOrders() []longterm.Record {
	var records []longterm.Record
	parts := []string{"", "a", "a b", "a-b", "ab", "B", "é", "\x00", "a\x00", "a\x01", "日", "\U0001f600", "\ufffd"}
	times := []time.Time{{}, made, made.Add(time.Hour), made.Add(time.Microsecond), made.Add(-time.Hour), made}
	for i, namespace := range parts {
		for j, user := range []string{"", "a", "a\x00", "b", "é"} {
			key := longterm.Key{Namespace: namespace, UserID: user, ID: parts[1+(i+j)%(len(parts)-1)]}
			r := recordOf(key, "text")
			r.CreatedAt, r.LastAccessed = times[(i+j)%len(times)], times[(i*j+j)%len(times)]
			records = append(records, r)
			r.ID += "2"
			r.Hash = hash(r.ID)
			records = append(records, r)
		}
	}
	return records
}

func (e *env) listsInOrder(order longterm.Order) {
	m := e.addModel(manyOrders()...)
	for _, scope := range []longterm.Scope{longterm.Everyone(), longterm.OfNamespace("a"), longterm.OfUser("a"), longterm.Of("é", "b"), longterm.OfUser("a\x00"), longterm.OfNamespace("")} {
		s := longterm.Search{Scope: scope, Order: order, Limit: longterm.MaxPage}
		page := e.search(s)
		require.NotZero(e, page.Total)
		requireLikeModel(e, m, s, page)
	}
}

func listAfter(e *env) {
	m := e.addModel(manyOrders()...)
	s := longterm.Search{Scope: longterm.Everyone(), Order: longterm.OrderKey, Limit: 7}
	var got []longterm.Key
	for {
		page := e.search(s)
		requireLikeModel(e, m, s, page)
		for _, hit := range page.Hits {
			got = append(got, longterm.KeyOf(&hit.Record))
		}
		if len(page.Hits) == 0 {
			break
		}
		s.After = &got[len(got)-1]
	}
	require.Len(e, got, len(m))
	require.True(e, slices.IsSortedFunc(got, longterm.Key.Compare))
	for _, after := range []longterm.Key{{}, {ID: "a"}, {Namespace: "a"}, {Namespace: "a", UserID: "a\x00"}, {Namespace: "a", UserID: "zzz", ID: "z"}, {Namespace: "a\x00"}, {Namespace: "\U0010ffff"}} {
		for _, scope := range []longterm.Scope{longterm.Everyone(), longterm.OfNamespace("a"), longterm.OfUser("a")} {
			s := longterm.Search{Scope: scope, Order: longterm.OrderKey, After: &after, Limit: 5, Filter: longterm.Filter{ID: &longterm.Text{Ne: new("a2")}}}
			requireLikeModel(e, m, s, e.search(s))
		}
	}
}

func listWithoutScores(e *env) {
	e.add(embedded(record("a", "window"), 1, 0), embedded(record("b", "table"), 0, 1))
	s := listing()
	s.Terms, s.Vector, s.Model, s.Ranking = []string{"window"}, unit(1, 0), "model", longterm.Ranking{Alpha: 1, Recency: new(longterm.DefaultRecency()), Now: made}
	for _, hit := range e.finds(s, "a", "b").Hits {
		require.Equal(e, longterm.Hit{Record: hit.Record, Version: hit.Version}, hit)
	}
}
