package drivertest

import (
	"math"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func pageCases() []testCase {
	return []testCase{{
		Name:  "pages fit together",
		About: "The pages of a search contain every hit once, in the order of one large page; Total always counts all hits.",
		Run:   pagesFit,
	}, {
		Name:  "pages at the edges",
		About: "A page of Limit 0, or beyond the end, is empty and has the Total; the largest page is MaxPage.",
		Run:   pagesAtEdges,
	}, {
		Name:  "thousands of hits",
		About: "A search with thousands of hits counts all of them and returns its last page.",
		Run:   thousandsOfHits,
	}}
}

// everyRank returns searches of Anna's in all modes and orders.
func everyRank() []driver.Search {
	list, least, newest := listing(), listing(), listing()
	least.Order, newest.Order = driver.OrderLeastRecentlyUsed, driver.OrderNewest
	recent := both(0.5, "window", 1, 2)
	recent.Ranking.Recency, recent.Ranking.Now = new(longterm.DefaultRecency()), made.Add(24*time.Hour)
	return []driver.Search{list, least, newest, asking("window"), asking("window", "seat"), near(2, 1), both(0.5, "seat", 1, 1), both(0, "seat", 1, 0), recent}
}

// pageEntries returns entries with many equal or nearly equal scores.
func pageEntries(n int) []driver.Entry {
	var entries []driver.Entry
	for i, id := range numbered("p", n) {
		text := strings.Repeat("window ", i%3) + strings.Repeat("seat ", i%4) + "table"
		of := embedded(record(id, text), float64(i%7), 3)
		of.Record.CreatedAt, of.Record.LastAccessed = made.Add(time.Duration(i%5)*time.Hour), made.Add(time.Duration(i%6)*time.Hour)
		of.Record.Pinned = i%10 != 9
		if i%11 == 0 {
			of.Vector = nil
		}
		entries = append(entries, of)
	}
	return entries
}

func pagesFit(e *env) {
	entries := pageEntries(97)
	e.add(entries...)
	m := modelOf(entries...)
	for _, s := range everyRank() {
		s.Filter.Pinned = new(true)
		s.Limit = 100
		whole := e.search(s)
		requireLikeModel(e, m, s, whole)
		if e.harness.Approximate && (s.Mode == driver.ModeHybrid || s.Ranking.Recency != nil) {
			continue
		}
		for _, limit := range []int{soak.Times(9, 1), 30} {
			var got []driver.Hit
			for s.Limit, s.Offset = limit, 0; s.Offset < whole.Total; s.Offset += limit {
				page := e.search(s)
				require.Equal(e, whole.Total, page.Total)
				require.Len(e, page.Hits, min(limit, whole.Total-s.Offset))
				got = append(got, page.Hits...)
			}
			require.Equal(e, whole.Hits, got, "pages of %d", limit)
		}
	}
}

func pagesAtEdges(e *env) {
	entries := pageEntries(30)
	e.add(entries...)
	m := modelOf(entries...)
	for _, s := range everyRank() {
		for _, limit := range []int{0, 1, driver.MaxPage} {
			for _, offset := range []int{0, 1, 29, 30, 31, math.MaxInt32, math.MaxInt - driver.MaxPage, math.MaxInt} {
				s.Limit, s.Offset = limit, offset
				requireLikeModel(e, m, s, e.search(s))
			}
		}
	}
}

func thousandsOfHits(e *env) {
	n := soak.Times(1100, 3000)
	var entries []driver.Entry
	for i, id := range numbered("p", n) {
		of := driver.Entry{Record: record(id, "text"), Terms: append(numbered("filler", i%50), "window"), Vector: unit(1, float64(i)/float64(n)), Model: "model"}
		of.Record.CreatedAt = made.Add(-time.Duration(i) * time.Second)
		entries = append(entries, of)
	}
	e.add(entries...)
	m := modelOf(entries...)
	recent := asking("window")
	recent.Ranking.Recency, recent.Ranking.Now = new(longterm.DefaultRecency()), made
	for _, s := range []driver.Search{listing(), asking("window"), near(1, 0), both(0.5, "window", 1, 0), recent} {
		s.Limit = 20
		for _, offset := range []int{0, n / 2, n - 10} {
			s.Offset = offset
			e.likeModel(m, s)
		}
	}
}
