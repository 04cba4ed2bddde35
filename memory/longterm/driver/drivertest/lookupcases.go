package drivertest

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func lookupCases() []testCase {
	return []testCase{{
		Name:  "lookup by key",
		About: "Lookup returns the entries of keys, each once, and leaves out missing ones.",
		Run:   lookupByKey,
	}, {
		Name:  "lookup by hash",
		About: "Lookup returns the entries with the hashes of an owner, each once, even if a key names them too.",
		Run:   lookupByHash,
	}, {
		Name:  "lookup of many",
		About: "Lookup accepts MaxChanges keys and hashes.",
		Run:   lookupMany,
	}, {
		Name:  "vectors come back",
		About: "Lookup returns each entry's vector and model, to the bit, and none for an entry without a vector.",
		Run:   vectorsComeBack,
	}}
}

func (e *env) looksUp(l driver.Lookup, want ...string) {
	e.Helper()
	var got []string
	for _, found := range e.lookup(l) {
		require.NotZero(e, found.Version)
		got = append(got, found.Record.ID)
	}
	slices.Sort(got)
	require.Equal(e, want, got)
}

func lookupByKey(e *env) {
	e.looksUp(driver.Lookup{Keys: []driver.RecordKey{keyOf("a")}})
	e.addTexts("a", "one", "b", "two", "c", "three")
	e.looksUp(driver.Lookup{})
	e.looksUp(driver.Lookup{Keys: []driver.RecordKey{keyOf("a")}}, "a")
	e.looksUp(driver.Lookup{Keys: []driver.RecordKey{keyOf("c"), keyOf("a"), keyOf("none"), keyOf("c")}}, "a", "c")
	for _, other := range []driver.RecordKey{
		{ID: "a"}, {Namespace: "shop", ID: "a"}, {UserID: "anna", ID: "a"}, {Namespace: "anna", UserID: "shop", ID: "a"},
		{Namespace: "shop", UserID: "bob", ID: "a"}, keyOf("A"), keyOf("a "), keyOf(""),
	} {
		e.absent(other)
	}
}

func lookupByHash(e *env) {
	e.addTexts("a", "one", "b", "two", "c", "three")
	of := func(hashes ...string) driver.Lookup {
		return driver.Lookup{Hashes: hashes, Namespace: "shop", UserID: "anna"}
	}
	e.looksUp(of(hash("b")), "b")
	e.looksUp(of(hash("c"), hash("none"), hash("a"), hash("c")), "a", "c")
	e.looksUp(driver.Lookup{Keys: []driver.RecordKey{keyOf("a"), keyOf("b")}, Hashes: []string{hash("b"), hash("c")}, Namespace: "shop", UserID: "anna"}, "a", "b", "c")
	e.looksUp(driver.Lookup{Hashes: []string{hash("a")}, Namespace: "shop"})
	e.looksUp(driver.Lookup{Hashes: []string{hash("a")}, UserID: "anna"})
	e.looksUp(driver.Lookup{Hashes: []string{hash("a")}})
	e.looksUp(of("", hash("A"), "%"))
}

func lookupMany(e *env) {
	var entries []driver.Entry
	l := driver.Lookup{Namespace: "shop", UserID: "anna"}
	all := numbered("many", 600)
	for i, id := range all {
		entries = append(entries, entry(record(id, "one of many")))
		if i%2 == 0 {
			l.Keys = append(l.Keys, keyOf(id))
		} else {
			l.Hashes = append(l.Hashes, hash(id))
		}
	}
	e.add(entries...)
	e.looksUp(l, all...)
	for len(l.Keys)+len(l.Hashes) < driver.MaxChanges {
		l.Keys = append(l.Keys, keyOf(all[len(l.Keys)%len(all)]))
	}
	e.looksUp(l, all...)
}

func vectorsComeBack(e *env) {
	vectors := [][]float32{nil, unit(1), unit(-0.1, 0.2, 0.3), unit(1e-30, 1, -1e-7), make([]float32, 1536)}
	vectors[4][700] = -1
	for i, vector := range vectors {
		added := entry(record(numbered("v", 5)[i], "text"))
		if vector != nil {
			added.Vector, added.Model = vector, "model \x00 é"
		}
		e.add(added)
		got := e.get(driver.KeyOf(&added.Record))
		require.Equal(e, vector, got.Vector)
		require.Equal(e, added.Model, got.Model)
	}
}
