package drivertest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func hybridCases() []testCase {
	return []testCase{{
		Name:  "hybrid finds both",
		About: "A hybrid search finds records with one of the terms or a comparable vector, each once; what is missing counts as 0.",
		Run:   hybridUnion,
	}, {
		Name:  "alpha",
		About: "The match is Alpha·Similarity + (1−Alpha)·Keyword: with 1 the order is that of vectors, with 0 that of terms.",
		Run:   alphaWeighs,
	}, {
		Name:  "recency",
		About: "With Recency, the score follows the formula in each mode and determines the order.",
		Run:   recency,
	}, {
		Name:  "ties",
		About: "Hits with equal scores are ordered by CreatedAt, latest first, then by key.",
		Run:   ties,
	}}
}

func hybridEntries() []driver.Entry {
	both := embedded(record("both", "window seat"), 1, 1)
	far := embedded(record("far", "table"), -1, 0.1)
	return []driver.Entry{both, far, entry(record("word", "window window")), embedded(record("vector", "chair"), 1, 0.1), entry(record("neither", "chair"))}
}

func hybridUnion(e *env) {
	entries := hybridEntries()
	e.add(entries...)
	page := e.finds(both(0.5, "window", 1, 0), "both", "word", "vector", "far")
	for _, hit := range page.Hits {
		require.Equal(e, hit.Record.ID != "word", hit.Compared, hit.Record.ID)
		require.Equal(e, hit.Record.ID == "word" || hit.Record.ID == "both", hit.Keyword > 0, hit.Record.ID)
	}
	m := modelOf(entries...)
	none := both(0.5, "window", 1, 0)
	none.Terms = nil
	elsewhere := both(0.5, "window", 1, 0, 0)
	e.likeModel(m, both(0.5, "window", 1, 0), both(0.7, "none", 1, 0), none, elsewhere)
	e.finds(elsewhere, "word", "both")
}

func alphaWeighs(e *env) {
	entries := hybridEntries()
	e.add(entries...)
	m := modelOf(entries...)
	for _, alpha := range []float64{0, 0.1, 0.25, 0.5, 0.7, 0.9, 1} {
		e.likeModel(m, both(alpha, "window", 1, 0), both(alpha, "chair", -1, 0.5), both(alpha, "seat", 0, 1))
	}
	require.Equal(e, "vector", ids(e.search(both(1, "window", 1, 0)))[0])
	page := e.search(both(0, "window", 1, 0))
	require.Equal(e, []string{"word", "both"}, ids(page)[:2])
	require.Equal(e, 4, page.Total)
	require.Zero(e, page.Hits[3].Score)
	require.Equal(e, 1.0, page.Hits[0].Score)
}

func recency(e *env) {
	const day = 24 * time.Hour
	now := made.Add(100 * day)
	var entries []driver.Entry
	for i, id := range numbered("r", 40) {
		of := embedded(record(id, "window"), float64(i%5), 2)
		if i%2 == 0 {
			of.Terms = append(of.Terms, "seat")
		}
		// Some were created after now, some used before they were created, some have no times.
		of.Record.CreatedAt = now.Add(time.Duration(i*i%61-5) * -3 * day)
		of.Record.LastAccessed = now.Add(time.Duration(i*7%53-5) * -2 * day)
		switch i % 8 {
		case 5:
			of.Record.CreatedAt = time.Time{}
		case 6:
			of.Record.LastAccessed = time.Time{}
		case 7:
			of.Record.CreatedAt, of.Record.LastAccessed = time.Time{}, time.Time{}
		}
		entries = append(entries, of)
	}
	e.add(entries...)
	m := modelOf(entries...)
	for _, r := range []driver.Recency{
		longterm.DefaultRecency(), {HalfAccess: day, HalfAge: day}, {Fresh: 1, Access: 1, HalfAccess: 10 * day, HalfAge: day}, {Fresh: 1, Age: 1, HalfAccess: 1, HalfAge: 20 * day},
		{Match: 2, Fresh: 0.5, Access: 0.1, Age: 3, HalfAccess: 90 * time.Minute, HalfAge: 1000 * day}, {Match: 1, HalfAccess: 1, HalfAge: 1},
	} {
		for _, s := range []driver.Search{asking("window"), asking("seat"), near(1, 2), both(0.7, "seat", 2, 1)} {
			s.Ranking.Recency, s.Ranking.Now = &r, now
			e.likeModel(m, s)
			s.Limit, s.Offset = 7, 3
			e.likeModel(m, s)
		}
	}
	s := asking("window")
	s.Ranking.Recency, s.Ranking.Now = &driver.Recency{Fresh: 1, Age: 1, HalfAccess: day, HalfAge: 30 * day}, made.Add(30*day)
	old := entry(recordOf(driver.RecordKey{Namespace: "shop", UserID: "bob", ID: "old"}, "window"))
	e.add(old)
	s.Scope = longterm.Of("shop", "bob")
	require.InDelta(e, 0.5, e.finds(s, "old").Hits[0].Score, tolerance)
}

func ties(e *env) {
	var entries []driver.Entry
	for i, id := range []string{"b", "a", "d", "c", "e"} {
		of := embedded(record(id, "window"), 1, 0)
		of.Record.CreatedAt = made.Add(time.Duration(i/2) * time.Microsecond)
		entries = append(entries, of)
	}
	other := embedded(recordOf(driver.RecordKey{Namespace: "shop", UserID: "a", ID: "z"}, "window"), 1, 0)
	e.add(append(entries, other)...)
	want := []string{"e", "c", "d", "z", "a", "b"}
	for _, s := range []driver.Search{asking("window"), near(1, 0), near(0, 1), both(0.5, "window", 1, 0)} {
		s.Scope = longterm.OfNamespace("shop")
		e.finds(s, want...)
		s.Ranking.Recency, s.Ranking.Now = &driver.Recency{Match: 1, HalfAccess: 1, HalfAge: 1}, made
		e.finds(s, want...)
		for offset := range want {
			s.Limit, s.Offset = 1, offset
			require.Equal(e, want[offset:offset+1], ids(e.search(s)))
		}
	}
}
