package drivertest

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func listCases() []testCase {
	return []testCase{{
		Name:  "list the newest",
		About: "OrderNewest is by CreatedAt, latest first, ties by key; records without CreatedAt come last.",
		Run:   func(e *env) { e.listsInOrder(driver.OrderNewest) },
	}, {
		Name:  "list the least recently used",
		About: "OrderLeastRecentlyUsed is by LastAccessed, or CreatedAt if that is later or LastAccessed is unset, earliest first, ties by key.",
		Run:   func(e *env) { e.listsInOrder(driver.OrderLeastRecentlyUsed) },
	}, {
		Name:  "list by key",
		About: "OrderKey is the bytewise order of namespace, user and id, not that of a language or of joined texts.",
		Run:   func(e *env) { e.listsInOrder(driver.OrderKey) },
	}, {
		Name:  "list after a key",
		About: "After is the key before a page, whether it exists or not; Total counts the records behind it, and with NoTotal the hits are the same.",
		Run:   listAfter,
	}, {
		Name:  "list without scores",
		About: "Hits of a ModeList have no score, similarity or keyword, and the terms and vector of the search are ignored.",
		Run:   listWithoutScores,
	}, {
		Name:  "empty index",
		About: "An index without records finds nothing, in every mode.",
		Run: func(e *env) {
			for _, scope := range []driver.Scope{anna, longterm.Everyone(), longterm.OfNamespace(""), longterm.OfUser("")} {
				require.Zero(e, e.filters(e, model{}, scope, driver.RecordFilter{}))
			}
		},
	}}
}

// manyOrders returns records that each order arranges differently.
func manyOrders() []driver.Record {
	var records []driver.Record
	parts := []string{"", "a", "a b", "a-b", "ab", "B", "é", "\x00", "a\x00", "a\x01", "日", "\U0001f600", "\ufffd"}
	times := []time.Time{{}, made, made.Add(time.Hour), made.Add(time.Microsecond), made.Add(-time.Hour), made}
	for i, namespace := range parts {
		for j, user := range []string{"", "a", "a\x00", "b", "é"} {
			key := driver.RecordKey{Namespace: namespace, UserID: user, ID: parts[1+(i+j)%(len(parts)-1)]}
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

func (e *env) listsInOrder(order driver.Order) {
	m := e.addModel(manyOrders()...)
	for _, scope := range []driver.Scope{longterm.Everyone(), longterm.OfNamespace("a"), longterm.OfUser("a"), longterm.Of("é", "b"), longterm.OfUser("a\x00"), longterm.OfNamespace("")} {
		s := driver.Search{Scope: scope, Order: order, Limit: driver.MaxPage}
		page := e.search(s)
		require.NotZero(e, page.Total)
		requireLikeModel(e, m, s, page)
	}
}

func listAfter(e *env) {
	m := e.addModel(manyOrders()...)
	s := driver.Search{Scope: longterm.Everyone(), Order: driver.OrderKey, Limit: 7}
	var got []driver.RecordKey
	for {
		page := e.search(s)
		requireLikeModel(e, m, s, page)
		requireSameWithoutTotal(e, e, s, page)
		for _, hit := range page.Hits {
			got = append(got, driver.KeyOf(&hit.Record))
		}
		if len(page.Hits) == 0 {
			break
		}
		s.After = &got[len(got)-1]
	}
	require.Len(e, got, len(m))
	require.True(e, slices.IsSortedFunc(got, driver.RecordKey.Compare))
	for _, after := range []driver.RecordKey{{}, {ID: "a"}, {Namespace: "a"}, {Namespace: "a", UserID: "a\x00"}, {Namespace: "a", UserID: "zzz", ID: "z"}, {Namespace: "a\x00"}, {Namespace: "\U0010ffff"}} {
		for _, scope := range []driver.Scope{longterm.Everyone(), longterm.OfNamespace("a"), longterm.OfUser("a")} {
			s := driver.Search{Scope: scope, Order: driver.OrderKey, After: &after, Limit: 5, Filter: driver.RecordFilter{ID: &driver.TextCondition{Ne: new("a2")}}}
			page := e.search(s)
			requireLikeModel(e, m, s, page)
			requireSameWithoutTotal(e, e, s, page)
		}
	}
}

// requireSameWithoutTotal requires that a list has the same hits if its total is not needed.
func requireSameWithoutTotal(t require.TestingT, e *env, s driver.Search, page driver.HitPage) {
	s.NoTotal = true
	got, err := e.index.Search(e.ctx, s)
	require.NoError(t, err)
	require.Equal(t, page.Hits, got.Hits)
	require.GreaterOrEqual(t, got.Total, len(got.Hits))
}

func listWithoutScores(e *env) {
	e.add(embedded(record("a", "window"), 1, 0), embedded(record("b", "table"), 0, 1))
	s := listing()
	s.Terms, s.Vector, s.Model, s.Ranking = []string{"window"}, unit(1, 0), "model", driver.Ranking{Alpha: 1, Recency: new(longterm.DefaultRecency()), Now: made}
	for _, hit := range e.finds(s, "a", "b").Hits {
		require.Equal(e, driver.Hit{Record: hit.Record, Version: hit.Version}, hit)
	}
}
