package drivertest

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func nearCases() []testCase {
	return []testCase{{
		Name:  "many searches at once",
		About: "Nearest returns for each search the hits that Search returns.",
		Run:   nearestOfMany,
	}, {
		Name:  "invalid searches at once",
		About: "Nearest refuses more than MaxChanges searches and any that Search refuses.",
		Run:   nearestRefused,
	}, {
		Name:  "search among thousands of vectors",
		About: "Among more than ExactVectors, with or without a filter, terms, Recency or a threshold, the first ten hits hold at least 99 % of the best ten, scores are exact, and totals count all.",
		Run:   nearestOfThousands,
	}, {
		Name:  "no total",
		About: "With NoTotal, the hits are the same and the total is at least their number.",
		Run:   withoutTotal,
	}, {
		Name:  "neighbours",
		About: "Neighbours returns the messages before and after each message in its session, by CreatedAt and then by id.",
		Run:   neighbours,
	}}
}

func nearestOfMany(e *env) {
	e.add(slices.Concat(randomVectors("v", 60, 3), []driver.Entry{entry(record("bare", "text"))})...)
	few := near(1, 2, 3)
	few.Limit, few.Offset = 3, 1
	threshold := near(-1, 0, 0)
	threshold.Ranking.MaxDistance, threshold.NoTotal = new(0.1), true
	filtered := near(0, 1, 0)
	filtered.Filter.ID = &driver.TextCondition{StartsWith: new("v0001")}
	all := near(0, 1, 0)
	all.Scope = longterm.Everyone()
	searches := []driver.Search{few, threshold, filtered, near(1, 0), all}
	found, err := e.index.Nearest(e.ctx, searches)
	require.NoError(e, err)
	require.Len(e, found, len(searches))
	for i, s := range searches {
		want := e.search(s).Hits
		require.Equal(e, ids(driver.HitPage{Hits: want}), ids(driver.HitPage{Hits: found[i]}), "search %d", i)
		for j := range want {
			require.Equal(e, want[j].Version, found[i][j].Version)
			require.InDelta(e, want[j].Similarity, found[i][j].Similarity, tolerance)
			requireSameRecord(e, &want[j].Record, &found[i][j].Record)
		}
	}
	found, err = e.index.Nearest(e.ctx, nil)
	require.NoError(e, err)
	require.Empty(e, found)
}

func nearestRefused(e *env) {
	_, err := e.index.Nearest(e.ctx, slices.Repeat([]driver.Search{near(1)}, driver.MaxChanges+1))
	require.Error(e, err)
	_, err = e.index.Nearest(e.ctx, []driver.Search{near(1), {Scope: anna, Mode: driver.ModeSemantic}})
	require.ErrorIs(e, err, driver.ErrFilter)
	_, err = e.index.Nearest(e.ctx, []driver.Search{{Mode: driver.ModeSemantic, Vector: unit(1), Model: "model"}})
	require.ErrorIs(e, err, driver.ErrScope)
	_, err = e.index.Neighbours(e.ctx, make([]driver.RecordKey, driver.MaxChanges+1))
	require.Error(e, err)
}

// topics returns reproducible vectors in groups: texts of a subject are near each other.
type topics struct {
	random  *rand.Rand
	centers [][]float64
}

func newTopics(dimension int) *topics {
	t := &topics{random: rand.New(rand.NewPCG(3, 4))}
	for range 40 {
		t.centers = append(t.centers, randomDirection(t.random, dimension))
	}
	return t
}

func (t *topics) direction() []float64 {
	direction := slices.Clone(t.centers[t.random.IntN(len(t.centers))])
	for i := range direction {
		direction[i] += 0.7 * t.random.NormFloat64()
	}
	return direction
}

func nearestOfThousands(e *env) {
	const dimension = 64
	topics := newTopics(dimension)
	var entries []driver.Entry
	for i, id := range numbered("v", 2*driver.ExactVectors) {
		r := record(id, "table")
		if i%7 == 0 {
			r.Text = "window seat"
		}
		r.CreatedAt = made.Add(time.Duration(i) * time.Hour)
		if i%3 == 0 {
			r.LastAccessed = made.Add(time.Duration(i*7919%9001) * time.Hour)
		}
		if i%100 == 5 {
			r.Topics = []string{"few"}
		}
		entries = append(entries, embedded(r, topics.direction()...))
	}
	e.add(entries...)
	gone := entries[17]
	e.write(driver.RecordChange{Key: driver.KeyOf(&gone.Record), If: e.version(gone.Record.ID)})
	entries = slices.Delete(entries, 17, 18)
	model := modelOf(entries...)
	recency := longterm.DefaultRecency()
	for name, change := range map[string]func(s *driver.Search){
		"plain":       func(*driver.Search) {},
		"few":         func(s *driver.Search) { s.Filter.Topics = &driver.TextCondition{Eq: new("few")} },
		"most":        func(s *driver.Search) { s.Filter.Topics = &driver.TextCondition{Ne: new("few")} },
		"none":        func(s *driver.Search) { s.Filter.Topics = &driver.TextCondition{Eq: new("none")} },
		"recency":     func(s *driver.Search) { s.Ranking.Recency, s.Ranking.Now = &recency, made.Add(9000*time.Hour) },
		"hybrid":      func(s *driver.Search) { s.Mode, s.Terms, s.Ranking.Alpha = driver.ModeHybrid, []string{"window"}, 0.3 },
		"threshold":   func(s *driver.Search) { s.Ranking.MaxDistance = new(0.5) },
		"second page": func(s *driver.Search) { s.Offset = 10 },
		"everyone":    func(s *driver.Search) { s.Scope = longterm.Everyone() },
		"recall": func(s *driver.Search) {
			s.Mode, s.Terms, s.Ranking.Alpha = driver.ModeHybrid, []string{"window"}, 0.3
			s.Ranking.Recency, s.Ranking.Now = &recency, made.Add(9000*time.Hour)
			s.Filter.Type = &driver.TextCondition{Ne: new(string(sessiondriver.RecordMessage))}
		},
	} {
		found, wanted := 0, 0
		for range 10 {
			s := near(topics.direction()...)
			s.Limit = 10
			change(&s)
			all, got := model.search(s), e.search(s)
			if !e.harness.Approximate {
				require.Equal(e, len(all), got.Total, name)
			}
			want := all[min(s.Offset, len(all)):min(s.Offset+s.Limit, len(all))]
			require.Len(e, got.Hits, len(want), name)
			wanted += len(want)
			for _, hit := range want {
				i := slices.IndexFunc(got.Hits, func(h driver.Hit) bool { return h.Record.ID == hit.Record.ID })
				if i >= 0 {
					found++
					require.InDelta(e, hit.Score, got.Hits[i].Score, tolerance, name)
				}
			}
		}
		if e.harness.Approximate && (name == "hybrid" || name == "recency" || name == "recall") {
			continue
		}
		require.GreaterOrEqual(e, float64(found), 0.99*float64(wanted), "%s: of the best hits", name)
	}
}

func withoutTotal(e *env) {
	e.add(slices.Concat(randomVectors("v", 30, 3), []driver.Entry{entry(record("bare", "window"))})...)
	list := listing()
	list.Limit = 5
	for _, s := range []driver.Search{list, near(1, 0, 0), asking("window"), both(0.5, "window", 1, 0, 0)} {
		want := e.search(s)
		s.NoTotal = true
		got := e.search(s)
		require.Equal(e, ids(want), ids(got))
		require.GreaterOrEqual(e, got.Total, len(got.Hits))
	}
}

func neighbours(e *env) {
	message := func(id, session string, at time.Time) driver.Entry {
		r := record(id, "said")
		r.Type, r.SessionID, r.CreatedAt = sessiondriver.RecordMessage, session, at
		return entry(r)
	}
	note := record("note", "text")
	note.SessionID, note.CreatedAt = "s", made.Add(90*time.Second)
	others := message("other", "s", made.Add(time.Minute))
	others.Record.UserID = "bob"
	others.Record.Hash = hash("bob")
	e.add(
		message("c", "s", made), message("a", "s", made.Add(time.Minute)), message("b", "s", made.Add(time.Minute)),
		message("unset", "s", time.Time{}), message("alone", "t", made), entry(note), others, message("tab\t'\"", "s", made.Add(time.Hour)),
	)
	keys := []driver.RecordKey{keyOf("b"), keyOf("missing"), keyOf("note"), keyOf("alone"), keyOf("unset"), keyOf("a"), keyOf("c"), keyOf("tab\t'\""), keyOf("b"), driver.KeyOf(&others.Record)}
	got, err := e.index.Neighbours(e.ctx, keys)
	require.NoError(e, err)
	require.Equal(e, []driver.Neighbours{
		{Previous: "a", Next: "tab\t'\""}, {}, {}, {}, {Next: "c"}, {Previous: "c", Next: "b"}, {Previous: "unset", Next: "a"}, {Previous: "b"},
		{Previous: "a", Next: "tab\t'\""}, {},
	}, got)
	e.write(driver.RecordChange{Key: keyOf("a"), If: e.version("a")})
	got, err = e.index.Neighbours(e.ctx, keys[:1])
	require.NoError(e, err)
	require.Equal(e, []driver.Neighbours{{Previous: "c", Next: "tab\t'\""}}, got)
	got, err = e.index.Neighbours(e.ctx, nil)
	require.NoError(e, err)
	require.Empty(e, got)
}
