package drivertest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func keywordCases() []testCase {
	return []testCase{{
		Name:  "keywords by BM25",
		About: "A keyword search finds records with at least one of the terms, ranked by BM25 with k1 0.9 and b 0.4; the best has Keyword 1.",
		Run:   keywordsByBM25,
	}, {
		Name:  "rare terms count more",
		About: "Of records with one of the terms each, the one with the rarer term ranks higher.",
		Run:   rareTermsCountMore,
	}, {
		Name:  "long texts count less",
		About: "Of records with a term once each, the shorter one ranks higher.",
		Run:   longTextsCountLess,
	}, {
		Name:  "repeats count more",
		About: "Of records of the same length, the one with more occurrences of a term ranks higher.",
		Run:   repeatsCountMore,
	}, {
		Name:  "statistics cover the scope",
		About: "The frequency of a term is computed over the records in the scope, not over those that pass the filter, and not over others.",
		Run:   statisticsOfScope,
	}, {
		Name:  "statistics follow changes",
		About: "Removed and replaced records no longer count, and touched records count once.",
		Run:   statisticsFollow,
	}, {
		Name:  "odd terms",
		About: "Terms match byte for byte: operators, quotes, spaces, NUL, any script, distinct cases.",
		Run:   termsOfAllSorts,
	}, {
		Name:  "keywords without terms",
		About: "A keyword search without terms finds nothing; a record without terms is never found.",
		Run:   withoutTerms,
	}, {
		Name:  "many terms",
		About: "A record and a search may have thousands of terms.",
		Run:   manyTerms,
	}}
}

// likeModel requires that searches find the same as the model.
func (e *env) likeModel(m model, searches ...driver.Search) {
	e.Helper()
	for _, s := range searches {
		requireLikeModel(e, m, s, e.search(s))
	}
}

func texts(idsAndTexts ...string) []driver.Entry {
	var entries []driver.Entry
	for i := 0; i < len(idsAndTexts); i += 2 {
		entries = append(entries, driver.Entry{Record: record(idsAndTexts[i], idsAndTexts[i+1]), Terms: strings.Fields(idsAndTexts[i+1])})
	}
	return entries
}

func seats() []driver.Entry {
	return texts(
		"a", "anna likes window seats", "b", "bob likes aisle seats and window tables", "c", "window window window", "d", "the weather is fine",
		"e", "seats", "f", "anna anna lives in lisbon near the river with a window on the water", "g", "likes", "h", "",
	)
}

func keywordsByBM25(e *env) {
	entries := seats()
	e.add(entries...)
	m := modelOf(entries...)
	e.likeModel(m, asking("window"), asking("seats"), asking("window", "seats"), asking("anna", "likes", "window", "seats"), asking("lisbon", "none"), asking("none"))
	page := e.finds(asking("lisbon", "weather"), "d", "f")
	require.Equal(e, 1.0, page.Hits[0].Keyword)
	require.Equal(e, page.Hits[0].Keyword, page.Hits[0].Score)
	require.False(e, page.Hits[0].Compared)
	require.Zero(e, page.Hits[0].Similarity)
	e.finds(asking("none"))
	// The best is the best of the hits, not of all records.
	s := asking("window")
	s.Filter.ID = &driver.TextCondition{Ne: new("c")}
	require.Equal(e, 1.0, e.search(s).Hits[0].Keyword)
	e.likeModel(m, s)
}

func rareTermsCountMore(e *env) {
	e.add(texts("a", "common one", "b", "common two", "c", "common three", "d", "rare four")...)
	e.finds(asking("common", "rare"), "d", "a", "b", "c")
}

func longTextsCountLess(e *env) {
	e.add(texts("long", "seat "+strings.Repeat("word ", 20), "middle", "seat word word", "short", "seat")...)
	e.finds(asking("seat"), "short", "middle", "long")
}

func repeatsCountMore(e *env) {
	e.add(texts("a", "seat x y z", "b", "seat seat seat seat", "c", "seat seat x y")...)
	page := e.finds(asking("seat"), "b", "c", "a")
	require.Greater(e, page.Hits[2].Score, 0.3, "four times a term count less than four times as much")
}

func statisticsOfScope(e *env) {
	entries := texts("a", "common", "b", "common", "c", "common", "d", "rare")
	others := texts("a", "rare", "b", "rare", "c", "rare", "d", "rare rare rare common", "e", strings.Repeat("word ", 100))
	for i := range others {
		others[i].Record.UserID = "bob"
	}
	e.add(entries...)
	e.add(others...)
	m := modelOf(append(entries, others...)...)
	s := asking("common", "rare")
	e.finds(s, "d", "a", "b", "c")
	filtered := s
	filtered.Filter.ID = &driver.TextCondition{Any: []string{"a", "d"}}
	e.finds(filtered, "d", "a")
	for _, scope := range []driver.Scope{anna, longterm.Of("shop", "bob"), longterm.OfNamespace("shop"), longterm.OfUser("bob"), longterm.Everyone()} {
		s.Scope, filtered.Scope = scope, scope
		e.likeModel(m, s, filtered)
	}
}

func statisticsFollow(e *env) {
	entries := seats()
	e.add(entries...)
	m := modelOf(entries...)
	change := texts("a", "seats seats", "c", "now about the weather in lisbon")
	for _, by := range change {
		e.write(e.replacing(by))
		m[driver.KeyOf(&by.Record)] = by
	}
	e.write(e.removing("b"))
	delete(m, keyOf("b"))
	e.touch(made, "a", "c", "d", "e")
	for key, of := range m {
		got := e.get(key)
		of.Record, of.Version = got.Record, got.Version
		m[key] = of
	}
	for range 3 {
		e.likeModel(m, asking("window"), asking("seats"), asking("lisbon", "window"), asking("aisle"), asking("anna", "likes", "seats", "weather"))
		// A record that is added and removed leaves no trace.
		for range soak.Times(10, 100) {
			e.add(texts("x", "window seats lisbon weather")...)
			e.write(e.removing("x"))
		}
	}
}

func termsOfAllSorts(e *env) {
	var entries []driver.Entry
	for i, term := range oddTexts() {
		entries = append(entries, driver.Entry{Record: record(numbered("t", 200)[i], "text"), Terms: []string{term, "every"}})
	}
	e.add(entries...)
	for i, term := range oddTexts() {
		e.finds(asking(term), entries[i].Record.ID)
		e.finds(asking(term, "none"), entries[i].Record.ID)
	}
	require.Equal(e, len(entries), e.search(asking("every")).Total)
	e.likeModel(modelOf(entries...), asking(oddTexts()...))
	e.finds(asking("AND every"))
	e.finds(asking("ever"))
	e.finds(asking("every "))
	e.finds(asking("EVERY"))
	for i, text := range []string{"東京タワー", "größer Straße", "привет мир", "naïve café", "C++ и Go 1.26", "ORD-2024-0042"} {
		of := entry(record(numbered("script", 10)[i], text))
		e.add(of)
		for _, term := range of.Terms {
			require.Contains(e, ids(e.search(asking(term))), of.Record.ID, "%q", term)
		}
	}
}

func withoutTerms(e *env) {
	e.add(driver.Entry{Record: record("a", "window")}, entry(record("b", "seat")))
	e.finds(asking())
	e.finds(asking("window"))
	e.finds(asking("seat"), "b")
	e.finds(listing(), "a", "b")
}

func manyTerms(e *env) {
	long := driver.Entry{Record: record("long", "text"), Terms: numbered("term", 20_000)}
	e.add(long, driver.Entry{Record: record("short", "text"), Terms: numbered("term", 10)})
	e.likeModel(modelOf(long, driver.Entry{Record: record("short", "text"), Terms: numbered("term", 10)}),
		asking("term19999"), asking("term00005"), asking(numbered("term", 50)...))
	s := asking(numbered("term", 3000)...)
	e.finds(s, "long", "short")
	s = asking(append(numbered("none", 3000), "term00001")...)
	e.finds(s, "short", "long")
}
