package drivertest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func touchCases() []testCase {
	return []testCase{{
		Name:  "touch",
		About: "Touch sets LastAccessed and adds 1 to AccessCount of the named records, assigns other versions, and changes nothing else.",
		Run:   touchSets,
	}, {
		Name:  "touch does not turn back the clock",
		About: "A Touch with a time before LastAccessed counts, but does not change LastAccessed.",
		Run:   touchEarlier,
	}, {
		Name:  "touch of missing records",
		About: "Touch ignores missing records, also if another owner has the id, and adds none.",
		Run:   touchAbsent,
	}, {
		Name:  "touched records are found by time",
		About: "Filters and orders apply the LastAccessed that a Touch has set.",
		Run:   touchFinds,
	}, {
		Name:  "touch of many",
		About: "Touch accepts MaxChanges keys.",
		Run:   touchMany,
	}}
}

func (e *env) touch(at time.Time, ids ...string) {
	e.Helper()
	var keys []driver.RecordKey
	for _, id := range ids {
		keys = append(keys, keyOf(id))
	}
	require.NoError(e, e.index.Touch(e.ctx, keys, at))
}

func touchSets(e *env) {
	a := embedded(record("a", "window seat"), 1, 0)
	a.Record.AccessCount, a.Record.UpdatedAt, a.Record.Metadata = 7, made.Add(time.Hour), map[string]any{"a": "b"}
	a.Origin = "elsewhere"
	e.add(a, entry(record("b", "table")), entry(record("c", "chair")))
	before, b, c := e.get(keyOf("a")), e.version("b"), e.version("c")
	at := made.Add(36 * time.Hour).In(time.FixedZone("elsewhere", 3600))
	e.touch(at, "a", "b")
	after := e.get(keyOf("a"))
	require.NotEqual(e, before.Version, after.Version)
	require.NotEqual(e, b, e.version("b"))
	require.Equal(e, c, e.version("c"))
	a.Record.AccessCount, a.Record.LastAccessed = 8, at
	requireSameRecord(e, &a.Record, &after.Record)
	require.Equal(e, before.Vector, after.Vector)
	require.Equal(e, "elsewhere", after.Origin)
	e.conflict(driver.RecordChange{Key: keyOf("a"), If: before.Version})
	e.touch(at.Add(time.Microsecond), "a")
	a.Record.AccessCount, a.Record.LastAccessed = 9, at.Add(time.Microsecond)
	got := e.get(keyOf("a"))
	requireSameRecord(e, &a.Record, &got.Record)
	e.finds(asking("window"), "a")
	e.finds(near(1, 0), "a")
	e.touch(at)
	e.finds(listing(), "a", "b", "c")
}

func touchEarlier(e *env) {
	a := entry(record("a", "window"))
	a.Record.LastAccessed = made.Add(time.Hour)
	e.add(a)
	for i, at := range []time.Time{made, made.Add(time.Hour), made.Add(time.Hour - time.Microsecond), made.Add(-1000 * time.Hour)} {
		before := e.version("a")
		e.touch(at, "a")
		got := e.get(keyOf("a"))
		require.NotEqual(e, before, got.Version)
		require.Equal(e, i+1, got.Record.AccessCount)
		require.True(e, got.Record.LastAccessed.Equal(made.Add(time.Hour)), "last accessed %s", got.Record.LastAccessed)
	}
}

func touchAbsent(e *env) {
	other := entry(recordOf(driver.RecordKey{Namespace: "shop", UserID: "bob", ID: "a"}, "of another"))
	e.add(other, entry(record("b", "table")))
	before := e.get(driver.KeyOf(&other.Record))
	e.touch(made, "a", "none", "b")
	e.absent(keyOf("a"))
	require.Equal(e, before, e.get(driver.KeyOf(&other.Record)))
	require.Equal(e, 1, e.get(keyOf("b")).Record.AccessCount)
	e.write(e.removing("b"))
	e.touch(made, "b")
	e.finds(listing())
}

func touchFinds(e *env) {
	e.addTexts("a", "seat one", "b", "seat two", "c", "seat three")
	at := func(hours int) time.Time { return made.Add(time.Duration(hours) * time.Hour) }
	e.touch(at(3), "a")
	e.touch(at(1), "b")
	s := listing()
	s.Order = driver.OrderLeastRecentlyUsed
	e.finds(s, "c", "b", "a")
	e.touch(at(5), "b")
	e.finds(s, "c", "a", "b")
	s.Filter.LastAccessed = &driver.TimeCondition{Gte: new(at(3))}
	e.finds(s, "a", "b")
	s.Filter.LastAccessed = &driver.TimeCondition{Lt: new(at(3))}
	e.finds(s)
}

func touchMany(e *env) {
	all := numbered("many", driver.MaxChanges)
	entries := make([]driver.Entry, len(all))
	for i, id := range all {
		entries[i] = entry(record(id, "one of many"))
	}
	e.add(entries...)
	e.touch(made.Add(time.Hour), all...)
	s := listing()
	s.Filter.LastAccessed = &driver.TimeCondition{Eq: new(made.Add(time.Hour))}
	e.finds(s, all...)
}
