package drivertest

import (
	"math"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func semanticCases() []testCase {
	return []testCase{{
		Name:  "nearest first",
		About: "A semantic search finds all records with a vector, nearest first, with the cosine as similarity.",
		Run:   nearestFirst,
	}, {
		Name:  "search by vectors is exact",
		About: "Among hundreds of vectors, with or without a narrow filter, exactly the nearest are found.",
		Run:   exactlyNearest,
	}, {
		Name:  "distance threshold",
		About: "Records beyond MaxDistance, as 1 − similarity, are neither found nor counted.",
		Run:   distanceThreshold,
	}, {
		Name:  "models are not mixed",
		About: "Vectors of another model or dimension are never compared.",
		Run:   modelsNotMixed,
	}, {
		Name:  "records without vectors",
		About: "A semantic search finds a record only while it has a vector.",
		Run:   withoutVectors,
	}}
}

func nearestFirst(e *env) {
	entries := []driver.Entry{
		embedded(record("east", "a"), 1, 0, 0), embedded(record("north", "b"), 0, 1, 0), embedded(record("west", "c"), -1, 0, 0),
		embedded(record("northeast", "d"), 1, 1, 0), embedded(record("up", "e"), 0, 0, 1),
	}
	e.add(entries...)
	page := e.finds(near(0.9, 0.3, 0.1), "east", "northeast", "north", "up", "west")
	for _, hit := range page.Hits {
		require.True(e, hit.Compared)
		require.Equal(e, hit.Similarity, hit.Score)
		require.Zero(e, hit.Keyword)
	}
	e.likeModel(modelOf(entries...), near(1, 2, 3), near(-1, 0, 0), near(1, 0, 0))
	page = e.search(near(1, 0, 0))
	require.InDelta(e, 1, page.Hits[0].Similarity, tolerance)
	require.InDelta(e, -1, page.Hits[4].Similarity, tolerance)
	for _, hit := range page.Hits {
		require.LessOrEqual(e, math.Abs(hit.Similarity), 1.0)
	}
}

// randomVectors returns entries with reproducible random vectors.
func randomVectors(prefix string, n, dimension int) []driver.Entry {
	random := rand.New(rand.NewPCG(1, 2))
	var entries []driver.Entry
	for _, id := range numbered(prefix, n) {
		entries = append(entries, embedded(record(id, "text"), randomDirection(random, dimension)...))
	}
	return entries
}

func randomDirection(random *rand.Rand, dimension int) []float64 {
	direction := make([]float64, dimension)
	for i := range direction {
		direction[i] = random.NormFloat64()
	}
	return direction
}

func exactlyNearest(e *env) {
	entries := randomVectors("v", 700, 24)
	for i := range entries {
		if i%50 == 7 {
			entries[i].Record.Topics = []string{"few"}
		}
	}
	e.add(entries...)
	m := modelOf(entries...)
	random := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		s := near(randomDirection(random, 24)...)
		s.Limit = 10
		e.likeModel(m, s)
		s.Filter.Topics = &driver.TextCondition{Eq: new("few")}
		e.likeModel(m, s)
		s.Limit, s.Offset = 7, 10
		e.likeModel(m, s)
	}
}

func distanceThreshold(e *env) {
	entries := []driver.Entry{
		embedded(record("a", "a"), 1, 0), embedded(record("b", "b"), 1, 0.2), embedded(record("c", "c"), 1, 1), embedded(record("d", "d"), 0, 1), embedded(record("e", "e"), -1, 0),
	}
	e.add(entries...)
	within := func(distance float64) driver.Search {
		s := near(1, 0)
		s.Ranking.MaxDistance = &distance
		return s
	}
	e.finds(within(0.001), "a")
	e.finds(within(0.1), "a", "b")
	e.finds(within(0.5), "a", "b", "c")
	e.finds(within(1.5), "a", "b", "c", "d")
	e.finds(within(2.1), "a", "b", "c", "d", "e")
	s := within(0.001)
	s.Vector = unit(-1, -1)
	e.finds(s)
	s = within(0.5)
	s.Limit, s.Offset = 1, 1
	require.Equal(e, 3, e.search(s).Total)
	s.Ranking.Recency, s.Ranking.Now = new(longterm.DefaultRecency()), made
	e.likeModel(modelOf(entries...), s)
}

func modelsNotMixed(e *env) {
	other, longer, shorter := embedded(record("other", "bread"), 1, 0), embedded(record("longer", "c"), 1, 0, 0), embedded(record("shorter", "d"), 1)
	other.Model = "Model"
	mine := embedded(record("mine", "milk"), 0, 1)
	e.add(mine, other, longer, shorter)
	e.finds(near(1, 0), "mine")
	e.finds(near(1, 0, 0), "longer")
	e.finds(near(1), "shorter")
	e.finds(near(1, 0, 0, 0))
	s := near(1, 0)
	s.Model = "Model"
	e.finds(s, "other")
	s.Model = "another"
	e.finds(s)
	m := modelOf(mine, other, longer, shorter)
	e.likeModel(m, both(0.5, "milk", 1, 0), both(0.5, "bread", 1, 0), both(0.5, "none", 1, 0, 0))
	page := e.search(both(0.5, "bread", 1, 0))
	require.Equal(e, []string{"other", "mine"}, ids(page))
	require.False(e, page.Hits[0].Compared)
	require.True(e, page.Hits[1].Compared)
}

func withoutVectors(e *env) {
	e.add(entry(record("a", "window")), embedded(record("b", "seat"), 1, 0))
	e.finds(near(1, 0), "b")
	e.write(e.replacing(embedded(record("a", "window"), 0, 1)))
	e.finds(near(1, 0), "b", "a")
	e.write(e.replacing(entry(record("b", "seat"))))
	e.finds(near(1, 0), "a")
	e.write(e.replacing(embedded(record("a", "window"), 0, 1, 0)))
	e.finds(near(1, 0))
	e.finds(near(0, 1, 0), "a")
	e.finds(listing(), "a", "b")
}
