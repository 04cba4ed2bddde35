package drivertest

import (
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func writeCases() []testCase {
	return []testCase{{
		Name:  "write adds",
		About: "A Write with If 0 adds a record, and conflicts if the record exists.",
		Run:   writeAdds,
	}, {
		Name:  "write replaces",
		About: "A Write on a record's version replaces all of it, including terms and vector, and assigns another version.",
		Run:   writeReplaces,
	}, {
		Name:  "write removes",
		About: "A Write without an entry removes a record from all results.",
		Run:   writeRemoves,
	}, {
		Name:  "conditional write",
		About: "A Write conflicts, and changes nothing, unless the record has the version that the change requires.",
		Run:   writeConditions,
	}, {
		Name:  "write of several changes",
		About: "One Write adds, replaces and removes records of several owners.",
		Run:   writeSeveral,
	}, {
		Name:  "writes are atomic",
		About: "One change that conflicts undoes all others of its Write, at any position.",
		Run:   allOrNone,
	}, {
		Name:  "versions never come back",
		About: "A key never gets a version again that it had before, even after its record was removed and added again.",
		Run:   versionsNeverComeBack,
	}, {
		Name:  "write of many changes",
		About: "A Write accepts MaxChanges changes, and all records are found.",
		Run:   writeMany,
	}, {
		Name:  "empty write",
		About: "A Write without changes does nothing and succeeds.",
		Run: func(e *env) {
			e.addTexts("a", "one")
			e.unchanged(func() { e.write() })
		},
	}}
}

// replacing returns the change that replaces the present entry.
func (e *env) replacing(by driver.Entry) driver.RecordChange {
	e.Helper()
	key := driver.KeyOf(&by.Record)
	return driver.RecordChange{Key: key, If: e.get(key).Version, Entry: &by}
}

// removing returns the change that removes the present entry of an id of Anna's.
func (e *env) removing(id string) driver.RecordChange {
	e.Helper()
	return driver.RecordChange{Key: keyOf(id), If: e.version(id)}
}

func writeAdds(e *env) {
	e.absent(keyOf("a"))
	added := embedded(record("a", "window seat"), 1, 2)
	added.Version = 77 // ignored
	e.add(added)
	got := e.get(keyOf("a"))
	requireSameRecord(e, &added.Record, &got.Record)
	require.NotEqual(e, uint64(77), got.Version)
	e.unchanged(func() { e.conflict(adding(entry(record("a", "aisle seat")))...) })
	e.finds(asking("window"), "a")
	e.finds(near(1, 2), "a")
	e.finds(listing(), "a")
}

func writeReplaces(e *env) {
	before := embedded(record("a", "window seat"), 1, 0)
	before.Record.Topics, before.Record.Metadata = []string{"travel"}, map[string]any{"a": "b"}
	e.add(before, embedded(record("b", "something else"), -1, 0))
	first := e.version("a")
	after := embedded(record("a", "garden table"), 0, 1)
	after.Record.Hash, after.Record.Entities = hash("new"), []string{"Anna"}
	e.write(e.replacing(after))
	got := e.get(keyOf("a"))
	require.NotEqual(e, first, got.Version)
	requireSameRecord(e, &after.Record, &got.Record)
	require.Equal(e, after.Vector, got.Vector)
	e.finds(asking("window"))
	e.finds(asking("seat"))
	e.finds(asking("garden"), "a")
	require.InDelta(e, 1, e.finds(near(0, 1), "a", "b").Hits[0].Similarity, tolerance)
	e.looksUp(driver.Lookup{Hashes: []string{hash("a")}, Namespace: "shop", UserID: "anna"})
	e.looksUp(driver.Lookup{Hashes: []string{hash("new")}, Namespace: "shop", UserID: "anna"}, "a")
	bare := record("a", "now without a vector")
	e.write(e.replacing(driver.Entry{Record: bare}))
	e.finds(near(0, 1), "b")
	e.finds(asking("garden"))
	require.Empty(e, e.get(keyOf("a")).Vector)
	e.finds(listing(), "a", "b")
}

func writeRemoves(e *env) {
	e.add(embedded(record("a", "window seat"), 1, 0), embedded(record("b", "window table"), 0, 1))
	e.write(e.removing("a"))
	e.absent(keyOf("a"))
	e.looksUp(driver.Lookup{Hashes: []string{hash("a")}, Namespace: "shop", UserID: "anna"})
	e.finds(listing(), "b")
	e.finds(asking("window", "seat"), "b")
	e.finds(near(1, 0), "b")
	e.finds(both(0.5, "seat", 1, 0), "b")
	e.write(driver.RecordChange{Key: keyOf("a")}) // as it is not there
	e.write(e.removing("b"))
	e.finds(listing())
	e.finds(asking("window"))
	e.addTexts("a", "window again")
	e.finds(asking("window"), "a")
}

func writeConditions(e *env) {
	changed := entry(record("a", "changed"))
	for _, version := range []uint64{1, 2, math.MaxInt64, math.MaxUint64} {
		e.conflict(driver.RecordChange{Key: keyOf("a"), If: version, Entry: &changed})
		e.conflict(driver.RecordChange{Key: keyOf("a"), If: version})
	}
	e.absent(keyOf("a"))
	e.addTexts("a", "one", "b", "two")
	stale := e.version("a")
	e.write(e.replacing(entry(record("a", "other"))))
	v := e.version("a")
	for _, version := range []uint64{0, stale, v + 1, v - 1, e.version("b"), math.MaxInt64, math.MaxUint64} {
		if version == v {
			continue // some indexes number the versions of all records together
		}
		e.unchanged(func() {
			e.conflict(driver.RecordChange{Key: keyOf("a"), If: version, Entry: &changed})
			e.conflict(driver.RecordChange{Key: keyOf("a"), If: version})
		})
	}
	e.write(driver.RecordChange{Key: keyOf("a"), If: v, Entry: &changed})
	e.write(e.removing("a"))
	e.conflict(driver.RecordChange{Key: keyOf("a"), If: v, Entry: &changed})
	e.absent(keyOf("a"))
}

func writeSeveral(e *env) {
	e.addTexts("a", "one", "b", "two", "c", "three")
	other := entry(recordOf(driver.RecordKey{Namespace: "shop", UserID: "bob", ID: "a"}, "of another"))
	changes := slices.Concat(adding(entry(record("d", "four")), other),
		[]driver.RecordChange{e.replacing(entry(record("a", "changed"))), e.removing("b")})
	e.write(changes...)
	page := e.finds(listing(), "a", "c", "d")
	require.Equal(e, []string{"changed", "three", "four"}, []string{page.Hits[0].Record.Text, page.Hits[1].Record.Text, page.Hits[2].Record.Text})
	require.Equal(e, "of another", e.get(driver.KeyOf(&other.Record)).Record.Text)
}

func allOrNone(e *env) {
	e.add(embedded(record("a", "one"), 1, 0), embedded(record("b", "two"), 0, 1), entry(record("c", "three")))
	stale := e.replacing(entry(record("c", "refused")))
	e.write(e.replacing(entry(record("c", "three again"))))
	good := []driver.RecordChange{e.replacing(entry(record("a", "refused"))), e.removing("b"), adding(entry(record("d", "refused")))[0]}
	sameHash := entry(record("e", "refused"))
	sameHash.Record.Hash = hash("c")
	for _, bad := range []driver.RecordChange{
		stale, {Key: keyOf("c"), If: stale.If}, adding(entry(record("c", "refused")))[0], adding(sameHash)[0],
		{Key: keyOf("none"), If: stale.If}, {Key: driver.RecordKey{ID: "c"}, If: e.version("c")},
	} {
		for at := range len(good) + 1 {
			e.unchanged(func() { e.conflict(slices.Insert(slices.Clone(good), at, bad)...) })
		}
	}
	e.finds(asking("refused"))
	e.write(good...)
	e.finds(listing(), "a", "c", "d")
}

func versionsNeverComeBack(e *env) {
	seen := map[uint64]bool{}
	note := func() {
		v := e.version("a")
		require.False(e, seen[v], "version %d was used before", v)
		seen[v] = true
	}
	for range 5 {
		e.addTexts("a", "one")
		note()
		for range 3 {
			e.write(e.replacing(entry(record("a", "one"))))
			note()
			require.NoError(e, e.index.Touch(e.ctx, []driver.RecordKey{keyOf("a")}, made))
			note()
		}
		e.write(e.removing("a"))
	}
}

func writeMany(e *env) {
	all := numbered("many", driver.MaxChanges)
	entries := make([]driver.Entry, len(all))
	for i, id := range all {
		entries[i] = embedded(record(id, "one of many"), float64(i), 1)
	}
	e.write(adding(entries...)...)
	e.finds(listing(), all...)
	var removed []driver.RecordChange
	for _, hit := range e.search(listing()).Hits {
		removed = append(removed, driver.RecordChange{Key: driver.KeyOf(&hit.Record), If: hit.Version})
	}
	e.write(removed...)
	e.finds(listing())
	e.finds(near(0, 1))
}
